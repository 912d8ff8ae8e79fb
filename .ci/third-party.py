#!/usr/bin/env python3
"""The licences of the crates that are linked into the binary, as text on standard output.

    .ci/third-party.py [TARGET] > THIRD-PARTY

Asks cargo which crates the binary uses on a target (that of this machine by default), and copies the licence files of
their packages; equal texts stand once. Ends with 1 if a crate names no licence, or one that a release must not hold.
"""

import json
import pathlib
import re
import subprocess
import sys

# Licences that ask for no more than their text. Another one is looked at by a person first.
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "LLVM-exception", "MIT", "MIT-0", "MPL-2.0",
    "Unicode-3.0", "Unlicense", "Zlib",
}
FILES = re.compile(r"(?i)^(licen[cs]e|copying|notice|unlicense|copyright)([-._].*)?$")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def linked(target):
    """The packages that the binary links, without itself, by name and version."""
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--locked", "--filter-platform", target))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(key for key, package in packages.items() if package["name"] == "komainu-cli")
    seen, waiting = {root}, [root]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    seen -= set(metadata["workspace_members"])
    return sorted((packages[key] for key in seen), key=lambda package: (package["name"], package["version"]))


def can_be_chosen(expression):
    """Whether the licence, a choice or a sum of several, comes to allowed ones alone."""
    expression = expression.replace("/", " OR ").replace("(", " ( ").replace(")", " ) ").replace(" WITH ", " AND ")
    words = [word if word in ("(", ")") else {"OR": "or", "AND": "and"}.get(word, str(word in ALLOWED)) for word in expression.split()]
    # Nothing but these words, brackets, True and False is left.
    return bool(eval(" ".join(words), {"__builtins__": {}}))


def main():
    host = re.search(r"host: (\S+)", subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE).stdout.decode())
    target = sys.argv[1] if len(sys.argv) > 1 else host.group(1)
    texts, faults = {}, []
    lines = ["The komainu binary holds the following crates, each under a licence of its own.", ""]
    for package in linked(target):
        name = f"{package['name']} {package['version']}"
        expression = package.get("license") or ""
        folder = pathlib.Path(package["manifest_path"]).parent
        if not expression or not can_be_chosen(expression):
            faults.append(f"{name}: licence {expression or 'missing'}")
        lines.append(f"{name}: {expression}, {package.get('repository') or 'crates.io'}")
        authors = ", ".join(package.get("authors") or [])
        if authors:
            lines.append(f"    {authors}")
        for file in sorted(path for path in folder.iterdir() if path.is_file() and FILES.match(path.name)):
            text = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").strip()
            texts.setdefault(text, []).append(f"{name} ({file.name})")
    for text, users in texts.items():
        lines += ["", "=" * 100, *users, "=" * 100, "", text]
    if faults:
        sys.exit("\n".join(["a licence that a release must not hold:", *faults]))
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
