#!/bin/sh
# Shares an export among the jobs of a Slurm of one node, which runs for this
# test alone, and compares the volume with one that was made at once.
# Usage: slurm.sh PROGRAM
set -eu
program=$(realpath "$1")
# Debian keeps the daemons there.
PATH=$PATH:/usr/sbin
for name in munged slurmctld slurmd sbatch; do
  if ! command -v $name >/dev/null; then
    echo "1..0 # SKIP $name is not installed (Debian: slurm-wlm munge)"
    exit 0
  fi
done
if [ "$(id -u)" != 0 ]; then
  echo "1..0 # SKIP only root may start a Slurm of its own"
  exit 0
fi

# Its path stands in scripts: short, and with a blank.
folder=$(mktemp -d)
mkdir "$folder/a scan" "$folder/state" "$folder/spool"
chmod 755 "$folder"
pids=
finish () {
  for pid in $pids; do
    kill "$pid" 2>/dev/null || :
  done
  wait
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

host=$(hostname -s)
# Two ports that this process alone is likely to use.
port=$((20000 + $$ % 10000 * 2))
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$folder/slurm.conf"

dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
chmod 400 "$folder/munge.key"
munged --foreground --force --key-file="$folder/munge.key" \
  --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --seed-file="$folder/munge.seed" --log-file="$folder/munged.log" \
  >"$folder/munged.out" 2>&1 &
pids=$!
while [ ! -S "$folder/munge.socket" ]; do
  kill -0 "$pids" || { sed 's/^/# /' "$folder/munged.out"; exit 1; }
  sleep 0.1
done
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
pids="$pids $!"
slurmd -D >"$folder/slurmd.log" 2>&1 &
pids="$pids $!"

# Slurm needs some seconds to find its node.
n=0
while [ "$(sinfo --noheader --format=%T 2>/dev/null)" != idle ]; do
  n=$((n + 1))
  if [ $n -gt 200 ]; then
    echo "1..0 # SKIP no Slurm here: $(tail -n 1 "$folder/slurmctld.log")"
    exit 0
  fi
  sleep 0.1
done
echo 1..1

cd "$folder/a scan"
"$program" phantom scan.h5 --size 64 --projections 45 --rows 40 >/dev/null
set -- "$program" export scan.h5 --centre 32.5 --engine host
"$@" -o straight >/dev/null 2>&1
"$@" -o shared --slurm 3 --submit --sbatch --time=5 --log "a log" | sed 's/^/# /'

n=0
while [ ! -d shared ] && [ $n -lt 600 ]; do
  sleep 0.1
  n=$((n + 1))
done
if [ -d shared ] && diff -rq straight shared >/dev/null && [ -s "a log" ]; then
  echo "ok 1 /slurm/shared"
else
  squeue | sed "s/^/# /" || :
  tail -n 20 ../slurm*.log shared.slurm/*.log | sed "s/^/# /" || :
  echo "not ok 1 /slurm/shared"
fi
