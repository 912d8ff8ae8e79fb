#!/bin/bash
# Plays a small match over several workers by GNU parallel and by a Slurm array, kills workers in the middle, and checks
# that each pair counts once and that the joined match is, game by game, that of a single machine.
#
#   cli/tests/schedulers/run.sh [--install] [--keep] PROGRAM [parallel] [slurm]
#
# Needs the Debian packages parallel and slurm-wlm; --install installs those that are missing (as root). Slurm runs with
# daemons, ports and files of its own in a temporary folder, as root. With openssh-server, parallel also logs in to this
# machine.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
install= keep= program= schedulers=
for word; do
    case $word in
        --install) install=yes ;;
        --keep) keep=yes ;;
        parallel | slurm) schedulers+=" $word" ;;
        *) program=$(realpath "$word") ;;
    esac
done
[ -x "$program" ] || { echo "usage: $0 [--install] [--keep] PROGRAM [parallel] [slurm]" >&2; exit 2; }
schedulers=${schedulers:-parallel slurm}

# The packages.
missing=()
[[ $schedulers != *parallel* ]] || command -v parallel > /dev/null || missing+=(parallel)
[[ $schedulers != *slurm* ]] || { command -v slurmctld && command -v slurmd && command -v munged; } > /dev/null || missing+=(slurm-wlm)
if [ ${#missing[@]} -gt 0 ]; then
    if [ -z "$install" ]; then
        echo "missing Debian packages: ${missing[*]} (apt-get install, or --install as root)" >&2
        exit 2
    fi
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}"
fi

dir=$(mktemp -d /tmp/komainu-schedulers.XXXXXX)
chmod 755 "$dir"
daemons=()
clean() {
    [ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2> /dev/null || true
    wait
    [ -n "$keep" ] && echo "files: $dir" || rm -rf "$dir"
}
trap clean EXIT

mkdir "$dir/bin"
ln -s "$program" "$dir/bin/komainu"
export PATH="$dir/bin:$PATH"
GAMES=24 PAIRS=3
MATCH="--engine much=$dir/bin/komainu --engine little=$dir/bin/komainu --each USI_Hash=1"
MATCH+=" --nodes 400 --odds little=nodes=100 --max-plies 120 --games $GAMES --format none"
export MATCH PAIRS

fail() { echo "FAILED: $*" >&2; exit 1; }

# What one machine plays.
echo "one machine: $GAMES games"
# shellcheck disable=SC2086
komainu match $MATCH --concurrency 2 --out "$dir/single" > "$dir/single.log"

# begin NAME: a folder for a scheduler, with a follower of its parts.
begin() {
    mkdir -p "$dir/$1/parts"
    cp "$here/worker.sh" "$here/array.sbatch" "$dir/$1"
    cd "$dir/$1"
    export PIDS="$dir/$1/pids"
    komainu match --merge parts --follow --out whole > follow.log 2> follow.errors &
    follower=$!
}

# kill_one: kills a worker with kill -9 as soon as it has played a game.
kill_one() {
    local pid pairs deadline=$((SECONDS + 300))
    while [ $SECONDS -lt $deadline ]; do
        while read -r pid pairs _; do
            if grep -lq . parts/*/games.jsonl 2> /dev/null && kill -9 "$pid" 2> /dev/null; then
                echo "killed the worker of pairs $pairs"
                return
            fi
        done < <(cat pids 2> /dev/null)
        sleep 0.05
    done
    fail "no worker to kill"
}

# compare NAME: each game once, equal to those of one machine; the same last line.
compare() {
    local tries
    for tries in {1..600}; do
        kill -0 "$follower" 2> /dev/null || break
        sleep 0.1
    done
    kill "$follower" 2> /dev/null && fail "$1: games are missing: $(tail -n 1 follow.log)"
    wait "$follower" || fail "$1: the follower ended with $?: $(cat follow.errors)"
    [ -e whole/stop ] || fail "$1: no stop file"
    cmp <(tail -n 1 follow.log) <(tail -n 1 "$dir/single.log") || fail "$1: other figures"
    python3 - "$dir/single" whole "$GAMES" parts << 'END' || fail "$1: other games"
import glob, json, sys
def games(folder):
    return [json.loads(line) for line in open(folder + "/games.jsonl")]
def content(game):
    return [game[key] for key in ("game", "pair", "players", "start", "ending", "winner")] + [move["m"] for move in game["moves"]]
single, joined = (sorted(games(folder), key=lambda game: game["game"]) for folder in sys.argv[1:3])
assert [game["game"] for game in joined] == list(range(int(sys.argv[3]))), "each game once"
assert [content(game) for game in joined] == [content(game) for game in single], "the same games"
summaries = [json.load(open(folder + "/summary.json")) for folder in sys.argv[1:3]]
counted = [[(one["name"], one["wins"], one["draws"], one["losses"]) for one in each["engines"]] for each in summaries]
assert counted[0] == counted[1], "the same results"
parts = sum(len(games(folder)) for folder in glob.glob(sys.argv[4] + "/*"))
print(f"{len(joined)} games, each once, equal to those of one machine; {parts} in the folders of the workers")
END
    cat follow.log | grep -a "^note" || true
}

run_parallel() {
    local hosts=()
    begin parallel
    if [ "$(id -u)" = 0 ] && command -v sshd > /dev/null; then
        start_sshd
        # Half of the tasks on this machine as it is, half by a login.
        hosts=(--sshlogin 1/:,1/komainu-test --workdir "$PWD" --env MATCH --env PIDS --env PATH)
        export PARALLEL_SSH="ssh -F $dir/ssh/config"
    fi
    seq 0 $PAIRS $((GAMES / 2 - 1)) | while read -r first; do echo "$first..$((first + PAIRS))"; done > tasks
    # shellcheck disable=SC2016 # $$ is that of the shell of the task: each try has a folder of its own
    parallel --jobs 2 --retries 3 --joblog jobs.log "${hosts[@]}" './worker.sh parts/{}-$$ {}' :::: tasks > workers.log 2>&1 &
    local parallel=$!
    kill_one
    wait $parallel || fail "parallel ended with $?: $(tail -n 5 workers.log)"
    compare parallel
}

start_sshd() {
    mkdir -p "$dir/ssh" /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$dir/ssh/host"
    ssh-keygen -q -t ed25519 -N '' -f "$dir/ssh/key"
    cp "$dir/ssh/key.pub" "$dir/ssh/authorized"
    printf '%s\n' "Port 17022" "ListenAddress 127.0.0.1" "HostKey $dir/ssh/host" "AuthorizedKeysFile $dir/ssh/authorized" \
        "StrictModes no" "UsePAM no" "PermitRootLogin prohibit-password" "PidFile none" > "$dir/ssh/sshd"
    printf '%s\n' "Host komainu-test" "HostName 127.0.0.1" "Port 17022" "User root" "IdentityFile $dir/ssh/key" \
        "IdentitiesOnly yes" "StrictHostKeyChecking no" "UserKnownHostsFile $dir/ssh/known" "LogLevel ERROR" > "$dir/ssh/config"
    /usr/sbin/sshd -D -f "$dir/ssh/sshd" -E "$dir/ssh/log" &
    daemons+=($!)
    local tries
    for tries in {1..50}; do
        ssh -F "$dir/ssh/config" komainu-test true 2> /dev/null && return
        sleep 0.1
    done
    fail "no login to this machine: $(cat "$dir/ssh/log")"
}

run_slurm() {
    [ "$(id -u)" = 0 ] || fail "slurm: only as root"
    begin slurm
    start_slurm
    sbatch --array=0-$((GAMES / 2 / PAIRS - 1)) --output=task-%a.log array.sbatch
    kill_one
    kill_node
    local tries
    for tries in {1..3000}; do
        [ -n "$(squeue --noheader)" ] || break
        sleep 0.1
    done
    compare slurm
}

# kill_node: ends all that runs on a node at once, as a power cut would, and brings the node back.
kill_node() {
    local pid pairs node script step deadline=$((SECONDS + 60))
    while [ $SECONDS -lt $deadline ] && [ -n "$(squeue --noheader)" ]; do
        while read -r pid pairs node; do
            [ "$node" = node2 ] && kill -0 "$pid" 2> /dev/null || continue
            script=$(ps -o ppid= -p "$pid" 2>/dev/null) && step=$(ps -o ppid= -p "$script" 2>/dev/null) || continue
            # shellcheck disable=SC2086 # blanks stand before the numbers
            kill -9 "${slurmd[2]}" $step $script "$pid" || true
            scontrol update nodename=node2 state=down reason=test
            echo "node2 went down with pairs $pairs"
            start_node 2
            scontrol update nodename=node2 state=resume
            return
        done < pids
        sleep 0.05
    done
    echo "node2 had no task any more"
}

start_node() {
    slurmd -D -N "node$1" -f "$SLURM_CONF" > "$dir/daemons/node$1.log" 2>&1 &
    slurmd[$1]=$!
    daemons+=($!)
}

start_slurm() {
    mkdir -p "$dir/daemons/spool1" "$dir/daemons/spool2" "$dir/daemons/state"
    head -c 1024 /dev/urandom > "$dir/daemons/key"
    chmod 400 "$dir/daemons/key"
    munged --foreground --force --key-file "$dir/daemons/key" --socket "$dir/daemons/munge" --pid-file "$dir/daemons/munge.pid" \
        --seed-file "$dir/daemons/seed" --log-file "$dir/daemons/munge.log" > "$dir/daemons/munged.out" 2>&1 &
    daemons+=($!)
    export SLURM_CONF="$dir/daemons/slurm.conf"
    local host
    host=$(hostname -s)
    cat > "$SLURM_CONF" << END
ClusterName=komainu
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/daemons/munge,cred_expire=5
CredType=cred/munge
StateSaveLocation=$dir/daemons/state
SlurmdSpoolDir=$dir/daemons/spool-%n
SlurmctldPidFile=$dir/daemons/slurmctld.pid
SlurmdPidFile=$dir/daemons/slurmd-%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldTimeout=10
SlurmdTimeout=20
KillWait=2
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17818 CPUs=1
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17819 CPUs=1
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
END
    local tries
    for tries in {1..50}; do
        munge --socket "$dir/daemons/munge" -n > /dev/null 2>&1 && break
        sleep 0.1
    done
    slurmctld -D -f "$SLURM_CONF" > "$dir/daemons/slurmctld.log" 2>&1 &
    daemons+=($!)
    start_node 1
    start_node 2
    for tries in {1..300}; do
        [ "$(sinfo --noheader --states=idle --format=%D 2> /dev/null)" = 2 ] && return
        sleep 0.1
    done
    sinfo || true
    fail "no two idle nodes: $(tail -n 5 "$dir"/daemons/*.log)"
}

declare -a slurmd
for scheduler in $schedulers; do
    echo "$scheduler"
    "run_$scheduler"
done
echo "passed:$schedulers" | tr -s ' '
