#!/usr/bin/env python3
"""The archives of a release: packed, and tested as those have them who download one.

    .ci/archive.py pack NAME BINARY WEB THIRD-PARTY    writes NAME.tar.gz, or NAME.zip for a BINARY that ends in .exe
    .ci/archive.py test ARCHIVE                        unpacks it elsewhere, looks at what it holds, and starts the program

WEB is the folder that `make web` has written, THIRD-PARTY what .ci/third-party.py has printed. The program must run here.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# What every archive holds beside the program. cli/tests/integration/docs.rs reads this list.
FILES = ["README.md", "README.ja.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "engine-notes.md", "LICENSE-MIT", "LICENSE-APACHE"]
FOLDERS = ["docs"]
SHELLS = {"bash": "komainu.bash", "zsh": "_komainu", "fish": "komainu.fish", "elvish": "komainu.elv", "powershell": "_komainu.ps1"}

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(program, *arguments, given=None):
    """The standard output of a program that must end well."""
    done = subprocess.run([str(program), *arguments], input=given, stdout=subprocess.PIPE, check=True, timeout=300)
    return done.stdout.decode().replace("\r\n", "\n")


def pack(name, binary, web, third_party):
    binary, folder = pathlib.Path(binary), pathlib.Path(name)
    folder.mkdir()
    shutil.copy(binary, folder)
    shutil.copy(third_party, folder / "THIRD-PARTY")
    for file in FILES:
        shutil.copy(ROOT / file, folder)
    for below in FOLDERS:
        shutil.copytree(ROOT / below, folder / below)
    shutil.copytree(web, folder / "web")
    output(binary.resolve(), "man", str(folder / "man"))
    (folder / "completions").mkdir()
    for shell, file in SHELLS.items():
        (folder / "completions" / file).write_text(output(binary.resolve(), "completions", shell), encoding="utf-8")
    kind = "zip" if binary.suffix == ".exe" else "gztar"
    print(shutil.make_archive(name, kind, ".", name))


def faults(folder, version):
    """What is wrong with an unpacked archive."""
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    wanted = [*FILES, "THIRD-PARTY", "man/komainu.1", "man/komainu-match.1", "web/komainu.html", "web/komainu.wasm"]
    wanted += [f"completions/{file}" for file in SHELLS.values()]
    found = [f"it lacks {name}" for name in wanted if name not in held]
    for page in sorted(name for name in held if name.endswith(".md")):
        text = (folder / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)# ]+)[^)]*\)", text):
            if "://" not in target and not (folder / page).parent.joinpath(target).exists():
                found.append(f"{page}: no {target}")
    program = next((path for path in (folder / "komainu", folder / "komainu.exe") if path.exists()), None)
    if program is None:
        return [*found, "it lacks the program"]
    if output(program, "--version").strip() != f"komainu {version}":
        found.append("--version is another one")
    if "\nusiok\n" not in output(program, given=b"usi\nquit\n"):
        found.append("no usiok")
    if not output(program, "perft", "3").splitlines()[-1].startswith("nodes 25470 "):
        found.append("perft 3 is wrong")
    played = output(program, given=b"isready\nposition startpos moves 7g7f\ngo nodes 20000\nquit\n")
    if "bestmove " not in played or "built-in net" not in played:
        found.append("no move with the built-in net")
    if "clap " not in (folder / "THIRD-PARTY").read_text(encoding="utf-8"):
        found.append("THIRD-PARTY does not name the crates inside")
    return found


def test(archive):
    version = re.search(r'^version *= *"([^"]*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M).group(1)
    with tempfile.TemporaryDirectory() as place:
        if archive.endswith(".zip"):
            zipfile.ZipFile(archive).extractall(place)
        else:
            tarfile.open(archive).extractall(place)
        folders = list(pathlib.Path(place).iterdir())
        name = pathlib.Path(archive).name.removesuffix(".zip").removesuffix(".tar.gz")
        if [folder.name for folder in folders] != [name]:
            sys.exit(f"{archive}: not one folder of its name")
        found = faults(folders[0], version)
    if found:
        sys.exit("\n".join([f"{archive}:", *found]))
    print(f"{archive}: whole, and its program plays")


def main():
    match sys.argv[1:]:
        case ["pack", name, binary, web, third_party]:
            pack(name, binary, web, third_party)
        case ["test", archive]:
            test(archive)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
