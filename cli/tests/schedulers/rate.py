#!/usr/bin/env python3
"""Measures `komainu match --merge DIR --follow` on the folders of many workers, which are made out of a small match.

    rate.py KOMAINU SEED WORKERS GAMES DIR

SEED is the folder of a match between two engines, GAMES the games of each worker. The games of SEED are dealt out again
with other numbers and another last move, so that no two are equal. Half of the games are there at the beginning.
"""
import json, os, random, re, shutil, subprocess, sys, time

komainu, seed, workers, each, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
each += each % 2
random.seed(1)
plan = open(f"{seed}/match.toml").read()
games = [json.loads(line) for line in open(f"{seed}/games.jsonl")]
names = games[0]["players"]
plan = re.sub(r"(?m)^games = .*", f"games = {workers * each * 2}", plan, count=1)
plan = re.sub(r"(?m)^elo1 = .*", "elo1 = 0.01", re.sub(r"(?m)^(alpha|beta) = .*", r"\1 = 1e-9", plan))


def game(number):
    line = dict(random.choice(games))
    players = names if number % 4 in (0, 3) else names[::-1]
    line.update(game=number, pair=number // 2, round=number // 2, players=players)
    # The number of the game as two moves.
    square = lambda at: "123456789"[at // 9] + "abcdefghi"[at % 9]
    hand = lambda at: square(at % 40) + square(40 + at // 40 % 40)
    last = [{**move, "m": hand(at)} for move, at in zip(line["moves"][-2:], (number, number // 1600))]
    line["moves"] = line["moves"][:-2] + last
    return json.dumps(line, separators=(",", ":")) + "\n"


def path(worker):
    return f"{folder}/parts/{worker}"


shutil.rmtree(folder, ignore_errors=True)
for worker in range(workers):
    os.makedirs(path(worker))
    first = worker * each
    with open(f"{path(worker)}/match.toml", "w") as file:
        file.write(f'pairs = "{first}..{first + each}"\n' + plan)
    with open(f"{path(worker)}/games.jsonl", "w") as file:
        file.writelines(game(2 * first + at) for at in range(each))
size = sum(os.path.getsize(f"{path(worker)}/games.jsonl") for worker in range(workers))
print(f"{workers} folders, {workers * each} games, {size / 1e6:.0f} MB", flush=True)

started = time.time()
follower = subprocess.Popen([komainu, "match", "--merge", f"{folder}/parts", "--follow", "--out", f"{folder}/whole"],
                            stdout=open(f"{folder}/said", "w"))


def cpu():
    fields = open(f"/proc/{follower.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(key):
    return int(re.search(key + r":\s+(\d+)", open(f"/proc/{follower.pid}/status").read())[1]) / 1024


whole = f"{folder}/whole/games.jsonl"


def lines():
    try:
        with open(whole, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def wait_for(count, patience=600):
    until = time.time() + patience
    while lines() < count:
        assert follower.poll() is None and time.time() < until, open(f"{folder}/said").read()[-2000:]
        time.sleep(0.1)


wait_for(workers * each)
took = cpu()
print(f"first poll: {time.time() - started:.1f} s, cpu {took:.2f} s, "
      f"{workers * each / took:.0f} games a second of cpu, {memory('VmHWM'):.0f} MB", flush=True)
# The report is written once now.
while not os.path.exists(f"{folder}/whole/report.html"):
    time.sleep(0.1)
time.sleep(3)
print(f"with the first report: cpu {cpu():.2f} s, {memory('VmHWM'):.0f} MB", flush=True)
began, spent = time.time(), cpu()
time.sleep(20)
print(f"nothing new: {1000 * (cpu() - spent) / (time.time() - began):.1f} ms of cpu a second", flush=True)
for rate in (100, 400):
    began, spent, added = time.time(), cpu(), 0
    base = lines()
    while time.time() - began < 15:
        due = int(rate * (time.time() - began)) // 2 * 2
        while added < due:
            at = base + added - workers * each
            worker, offset = (at // 2) % workers, (at // 2) // workers
            number = 2 * (worker * each) + each + 2 * offset
            with open(f"{path(worker)}/games.jsonl", "a") as file:
                file.write(game(number) + game(number + 1))
            added += 2
        time.sleep(0.05)
    wait_for(base + added)
    used, behind = 1000 * (cpu() - spent) / (time.time() - began), time.time() - began - 15
    print(f"{rate} games a second: {added} games, {used:.0f} ms of cpu a second, behind by {behind:.1f} s, "
          f"{memory('VmHWM'):.0f} MB", flush=True)
follower.terminate()
follower.wait()
