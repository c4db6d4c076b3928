#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live-kill.py COMMAND SHIM [KILLS [SEED]] - kill -9 of save, reset and watch at random moments,
while the played kernel (tests/shim/README.md) records on.

After each kill every generation that was reported as saved is in the file with all its stacks,
whole to the byte; the next save goes through; tracing is as it was; and in the end every cookie
that was recorded resolves to what was recorded, but for those of generations that a line said to
be lost.
SEED chooses the moments, as far as time can be chosen.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from live_world import Failed, World, fail  # noqa: E402

COMMAND, SHIM = sys.argv[1:3]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 300
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
# A world is left for a new one after so many kills.
KILLS_A_WORLD = 25

# ---- what is killed ----

class Chance:
    """Moments of the time that a command takes here and now."""

    def __init__(self):
        self.random = random.Random(SEED)
        self.usual = {}

    def note(self, command, seconds):
        usual = self.usual.setdefault(command, seconds)
        self.usual[command] += (seconds - usual) / 4

    def moment(self, command, times):
        return self.random.uniform(0, times * self.usual[command])


def to_its_end(world, command, chance):
    begun = time.monotonic()
    status = world.start(command, '-o', world.store).wait()
    chance.note(command, time.monotonic() - begun)
    world.check_end(command, status, 1)


def kill_once(world, command, chance):
    """Where it is done earlier, it is not killed."""
    process = world.start(command, '-o', world.store)
    try:
        status = process.wait(chance.moment(command, 1.1))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    world.check_end(command, status, 1)
    return False


def begin_watch(world, command, chance):
    """So that its file is known."""
    process = world.start('watch', '-d', os.path.dirname(world.store))
    begun = time.monotonic()
    while not world.said()[0].count('\n') >= 2:
        time.sleep(0.002)
        if time.monotonic() - begun > 60:
            fail(f'watch saves nothing: {world.said()}')
    chance.note(command, time.monotonic() - begun)
    process.terminate()
    if process.wait():
        fail(f'watch: {world.said()[1]}')
    world.store = world.said()[0].split('\n', maxsplit=1)[0]


def kill_watch(world, command, chance):
    """It is asked to rotate time and again."""
    process = world.start('watch', '-d', os.path.dirname(world.store))
    until = time.monotonic() + chance.moment(command, 4)
    # It takes signals from where it has told its file.
    while time.monotonic() < until and process.poll() is None:
        if os.fstat(world.out.fileno()).st_size:
            process.send_signal(signal.SIGUSR1)
        time.sleep(0.002)
    if process.poll() is not None:
        fail(f'watch ended: {world.said()[1]}')
    process.kill()
    process.wait()
    return True


# name, series, how a world begins, what is killed, its share of all
KINDS = (
    ('save', 'ours', to_its_end, kill_once, 4),
    ('reset', 'ours', to_its_end, kill_once, 5),
    ('watch', 'ours', begin_watch, kill_watch, 5),
    ('save', '8', to_its_end, kill_once, 1),
)


def kill_kind(folder, kind, quota, chance):
    """Returns how many cookies there were, and how many of them are lost."""
    command, series, begin, kill, _ = kind
    cookies = lost = killed = said = 0
    while killed < quota:
        generation = chance.random.randrange(1, 1 << 32)
        world = World(COMMAND, SHIM, folder, series, f'generation={generation}')
        kills = 0
        try:
            world.begin_recording(1000)
            begin(world, command, chance)
            while killed < quota and kills < KILLS_A_WORLD:
                was_killed = kill(world, command, chance)
                world.said()
                world.check_reported()
                if kills % 4 == 0:
                    world.check_state()
                kills += was_killed
                killed += was_killed
                if was_killed:
                    world.save()
            nr, nr_lost = world.end()
        except Failed as failed:
            raise Failed(f'{command}, series {series}, kill {killed}: {failed}') from failed
        finally:
            if world.recorder:
                world.recorder.kill()
        cookies += nr
        lost += nr_lost
        said += len(world.lost)
    print(f'{command}, series {series}: killed {killed} times; {said} generations said to be '
          f'lost or saved in part')
    return cookies, lost


def kill_all(folder):
    chance = Chance()
    left, shares = KILLS, sum(kind[-1] for kind in KINDS)
    cookies = lost = 0
    for kind in KINDS:
        quota = left * kind[-1] // shares
        left, shares = left - quota, shares - kind[-1]
        nr, nr_lost = kill_kind(folder, kind, quota, chance)
        cookies += nr
        lost += nr_lost
    print(f'{KILLS} kills: {cookies} cookies, {lost} of them lost, which was said')


def main():
    print('seed', SEED, flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ['TMPDIR'] = folder
        try:
            kill_all(os.path.realpath(folder))
        except Failed as failed:
            print('FAIL:', failed)
            return 1
    return 0


sys.exit(main())
