#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""attach-kill.py COMMAND DATA [KILLS] - kill attach and detach with SIGKILL, whenever.

After each kill the trace has every byte that it had, what was reported as attached is whole, and
stock trace-cmd reports the same. In the end all is attached, and detach gives back every byte.
What is deterministic is in the unit tests; here it is the whole program.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND, DATA = os.path.abspath(sys.argv[1]), sys.argv[2]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
ENV = dict(os.environ, LC_ALL="C", TRACEEVENT_PLUGIN_DIR="/nonexistent", HOME="/nonexistent")


def command(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, env=ENV)


def check(good, what):
    if not good:
        sys.exit(f"not ok: {what}")


def make_map(nr):
    """A map that takes a while to be written: names do not repeat."""
    name = f"map{nr}"
    with open(name, "w", encoding="ascii") as file:
        for slot in range(300):
            file.write(f"stack_id {slot} gen {nr} ref 1 depth 8\n")
            for _ in range(8):
                file.write(f" => f{random.getrandbits(64):x}+0x0/0x10\n")
    return name


def generations():
    """Of the saves that are attached, all of them whole."""
    done = command("list", "--json", "trace.dat")
    check(done.returncode in (0, 2), f"list: {done.returncode} {done.stdout} {done.stderr}")
    if done.returncode:
        check("no saved map" in done.stderr or "neither" in done.stderr, f"list: {done.stderr}")
        return set()
    check(command("verify", "-m", "trace.dat").returncode == 0, "verify")
    found = set()
    for part in done.stdout.split('"generation":')[1:]:
        found.add(int(part.split(",")[0].strip(" }]\n")))
    return found


def report():
    done = subprocess.run(["trace-cmd", "report", "-N", "trace.dat"], capture_output=True,
                          check=False, env=ENV)
    return done.returncode, done.stdout, done.stderr


def kill(words, longest):
    """True: it was killed before it ended."""
    with subprocess.Popen([COMMAND, *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=ENV) as child:
        time.sleep(random.random() * longest)
        child.send_signal(signal.SIGKILL)
        child.wait()
        return child.returncode != 0


def measure(words):
    start = time.monotonic()
    done = command(*words)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return time.monotonic() - start


def main():
    seed = int(os.environ.get("SEED", time.time_ns()))
    print(f"SEED={seed}")
    random.seed(seed)
    shutil.copy(os.path.join(DATA, "v8/sched.dat"), "trace.dat")
    with open("trace.dat", "rb") as file:
        whole = file.read()
    reported = report()
    takes = measure(["attach", "trace.dat", make_map(999999)])
    measure(["detach", "--discard", "trace.dat"])
    attached, nr_killed = set(), 0
    for nr in range(1, KILLS + 1):
        name = make_map(nr)
        if nr % 10 == 0:
            killed = kill(["detach", "-o", "out", "trace.dat"], takes * 1.2)
            left = generations()
            check(killed or not left, f"{nr}: detach left something")
            out = command("verify", "-m", "out").returncode if os.path.exists("out") else None
            check(left in (attached, set()), f"{nr}: detach left {left} of {attached}")
            check(left or not attached or out == 0, f"{nr}: detach lost {attached}")
            attached = left
            if os.path.exists("out"):
                os.remove("out")
        else:
            killed = kill(["attach", "trace.dat", name], takes * 1.2)
            found = generations()
            check(attached <= found <= attached | {nr}, f"{nr}: {found}, not {attached}")
            check(killed or nr in found, f"{nr}: reported and not attached")
            attached = found
        nr_killed += killed
        with open("trace.dat", "rb") as file:
            check(file.read(len(whole)) == whole, f"{nr}: the trace has changed")
        if nr % 10 == 5:
            check(report() == reported, f"{nr}: trace-cmd reports something else")
        os.remove(name)
    measure(["attach", "trace.dat", make_map(1000000)])
    check(generations() == attached | {1000000}, "in the end")
    measure(["detach", "--discard", "trace.dat"])
    with open("trace.dat", "rb") as file:
        check(file.read() == whole, "detach: every byte")
    print(f"{nr_killed} of {KILLS} killed, {len(attached)} attached at last")
    check(nr_killed * 4 >= KILLS, "too few were killed in time")


with tempfile.TemporaryDirectory() as folder:
    DATA = os.path.abspath(DATA)
    os.chdir(folder)
    if not shutil.which("trace-cmd"):
        sys.exit(77)
    main()
