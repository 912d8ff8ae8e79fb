#!/usr/bin/env python3
"""What OpenBench and ShogiBench ask of an engine, asked of this one.

Without arguments: the archive of HEAD, without .git, is built by `make EXE=contract`, and the program that lies there
is asked. `--engine FILE` asks a program that is built already. Exit status 1 and one line on standard error name what is
not kept. Needs Python 3.8 and nothing else; git, make and cargo to build.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIX = ".exe" if os.name == "nt" else ""


# What the presets of the engine's JSON may set; a server that meets another key does not start.
ENGINE_KEYS = ["branch", "bench", "network", "options", "time_control"]
GENERAL_KEYS = ["book_name", "upload_pgns", "priority", "throughput", "syzygy_wdl", "syzygy_adj", "win_adj", "draw_adj"]
SPSA_KEYS = ["reporting_type", "distribution_type", "alpha", "gamma", "A_ratio", "iterations", "pairs_per"]
PRESET_KEYS = {
    "test_presets": ["workload_size", "test_bounds", "test_confidence", "test_max_games"],
    "tune_presets": [f"spsa_{key}" for key in SPSA_KEYS],
    "datagen_presets": ["workload_size"] + [f"datagen_{key}" for key in ["custom_genfens", "play_reverses", "max_games"]],
}


class Broken(Exception):
    """A demand that is not kept."""


def demand(is_kept, what):
    if not is_kept:
        raise Broken(what)


def build(folder, eval_file):
    """The program that `make` leaves of the archive of HEAD."""
    archive = folder / "head.zip"
    subprocess.run(["git", "-C", ROOT, "archive", "--format=zip", "-o", archive, "HEAD"], check=True)
    source = folder / "source"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(source)
    demand(not (source / ".git").exists(), "the archive holds .git")
    net = [f"EVALFILE={eval_file.resolve()}"] if eval_file else []
    told = subprocess.run(["make", "-n", "FEATURES=tune"], cwd=source, check=True, capture_output=True, text=True).stdout
    demand("--features tune" in told, "make does not heed FEATURES")
    made = subprocess.run(["make", "-j", "EXE=contract", *net], cwd=source)
    demand(made.returncode == 0, f"make ends with {made.returncode}")
    engine = source / f"contract{SUFFIX}"
    demand(engine.is_file(), f"make leaves no {engine.name}")
    return engine


def start(engine, arguments=()):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen([str(engine), *arguments], cwd=engine.parent, **pipes)


def number(text, unit):
    """The first `N unit` or `unit N` from the last line upward, when all but letters and digits are blanks."""
    for line in reversed(text.splitlines()):
        words = re.sub(r"[^A-Za-z0-9]+", " ", line)
        found = re.search(rf"\b(\d+) {unit}\b|\b{unit} (\d+)\b", words)
        if found:
            return int(found.group(1) or found.group(2))
    raise Broken(f"no {unit} in the output of bench")


def benches(engine, count, arguments, typed, limit):
    """Nodes and nps of so many benches at once."""
    began = time.monotonic()
    running = [start(engine, arguments) for _ in range(count)]
    outputs = [b""] * count

    def finish(index):
        try:
            outputs[index] = running[index].communicate(typed, timeout=limit)[0]
        except subprocess.TimeoutExpired:
            running[index].kill()

    threads = [threading.Thread(target=finish, args=[index]) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - began
    demand(seconds < limit, f"bench takes more than {limit} s")
    demand(all(process.returncode == 0 for process in running), "bench does not end with 0")
    demand(all(output.isascii() for output in outputs), "the output of bench is not ASCII")
    texts = [output.decode("ascii") for output in outputs]
    return [(number(text, "nodes"), number(text, "nps")) for text in texts], seconds


def handshake(engine):
    """The words that a runner of games waits for, each within its time."""
    process = start(engine)
    watchdog = threading.Timer(30, process.kill)
    watchdog.start()

    def until(word, *commands):
        process.stdin.write("".join(f"{command}\n" for command in commands).encode())
        process.stdin.flush()
        began, lines = time.monotonic(), []
        for line in process.stdout:
            lines.append(line.decode("ascii").rstrip("\r\n"))
            if lines[-1].split(" ")[0] == word:
                demand(time.monotonic() - began < 5, f"{word} after more than 5 s")
                return lines
        raise Broken(f"no {word}")

    until("usiok", "usi")
    told = until("readyok", "setoption name Hash value 16", "setoption name Threads value 1", "isready")
    demand(not [line for line in told if "error" in line or "no option" in line], "an option is refused")
    lines = until("bestmove", "usinewgame", "position startpos moves 7g7f", "go nodes 20000")
    last = lines[-2].split(" ") if len(lines) > 1 else []
    for word in ["depth", "seldepth", "nodes", "nps", "time", "score"]:
        demand(word in last, f"no {word} on the last line before bestmove")
    process.stdin.write(b"quit\n")
    process.stdin.close()
    try:
        demand(process.wait(timeout=10) == 0, "quit does not end with 0")
    except subprocess.TimeoutExpired:
        raise Broken("quit takes more than 10 s") from None
    finally:
        watchdog.cancel()
        process.kill()


def check_presets():
    """The presets of the engine's JSON name only what a server takes."""
    configuration = json.loads((ROOT / ".openbench" / "Komainu.json").read_text(encoding="utf-8"))
    for kind, own_keys in PRESET_KEYS.items():
        sides = ["both", "dev"] if kind == "tune_presets" else ["both", "dev", "base"]
        known = own_keys + GENERAL_KEYS + [f"{side}_{key}" for side in sides for key in ENGINE_KEYS]
        demand("default" in configuration[kind], f"{kind} has no default")
        for name, preset in configuration[kind].items():
            unknown = sorted(set(preset) - set(known))
            demand(not unknown, f"{kind}, {name}: no server knows {unknown}")


def check(engine, arguments):
    check_presets()
    handshake(engine)
    typed, seconds = benches(engine, arguments.processes, [], b"bench\nquit\n", arguments.limit)
    called, _ = benches(engine, 1, ["bench"], b"", arguments.limit)
    nodes = {count for count, _ in typed + called}
    demand(len(nodes) == 1, f"bench counts {sorted(nodes)}")
    (found,) = nodes
    demand(arguments.nodes in (None, found), f"bench counts {found}, not {arguments.nodes}")
    slowest = min(nps for _, nps in typed)
    print(f"{found} nodes, {slowest} nps and more in {arguments.processes} at once, {seconds:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", type=pathlib.Path, help="ask this program and build none")
    parser.add_argument("--eval-file", type=pathlib.Path, help="build this net in")
    parser.add_argument("--nodes", type=int, help="what bench must count")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="benches at once [one a core]")
    parser.add_argument("--limit", type=int, default=60, help="seconds that they may take [60]")
    arguments = parser.parse_args()
    try:
        if arguments.engine:
            check(arguments.engine.resolve(), arguments)
        else:
            with tempfile.TemporaryDirectory() as folder:
                check(build(pathlib.Path(folder), arguments.eval_file), arguments)
    except (Broken, OSError) as broken:
        print(f"contract: {broken}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
