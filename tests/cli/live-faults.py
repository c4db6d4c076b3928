#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live-faults.py COMMAND SHIM - save and reset where something fails under them: a disk that is
really full or read-only, a limit on the size of files, a tracefs that fails, another tool.

Each leaves one line, which says what is lost where something is; everything else that was recorded
resolves afterwards, and tracing is as it was.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from live_world import Failed, World, fail, run  # noqa: E402

COMMAND, SHIM = sys.argv[1:3]
RESET = f"'{SHIM}' run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'"
ELSEWHERE = r': saved to \S+/maps\.stackmap\.[0-9a-f]{16}$'


class Case:
    """One world, in which a generation is saved and the next one is recorded."""

    def __init__(self, folder, name, series='ours'):
        self.name = name
        self.world = World(COMMAND, SHIM, folder, series, 'generation=7')
        self.elsewhere = []
        self.nr_hidden = 0
        self.run('reset', 0, *([] if series == 'ours' else ['no stack came between']))
        self.world.shim('record-many', '200', '1000')
        self.before = self.state()

    def state(self):
        return [line for line in self.world.shim('state').splitlines() if 'map:' not in line]

    def at(self, *words):
        self.world.shim('at', *words)

    def run(self, command, status, *patterns, **more):
        """A line for each pattern, and this exit status."""
        process = self.world.start(command, '-o', self.world.store, **more)
        got = process.wait()
        said = self.world.said()[1].splitlines()
        fits = len(said) == len(patterns) and all(map(re.search, patterns, said))
        if got != status or not fits:
            fail(f'{self.name}: {command}: status {got}, not {status}; wanted {patterns}, said',
                 said)
        self.elsewhere += re.findall(r'saved to (\S+)$', '\n'.join(said), re.M)

    def end(self, lost=()):
        """All that was recorded resolves, but for what was lost."""
        self.world.shim('rules', 'clear')
        if self.state() != self.before:
            fail(f'{self.name}: was {self.before}, is {self.state()}')
        self.world.shim('record-many', '10', '5000')
        self.world.save()
        self.world.check_reported(*self.elsewhere)
        lost_before, self.world.lost = self.world.lost, set(lost)
        _, nr_lost = self.world.check_cookies(*self.elsewhere)
        if bool(nr_lost) != bool(lost):
            fail(f'{self.name}: {nr_lost} cookies are lost, not of {lost}')
        if not set(lost) <= lost_before:
            fail(f'{self.name}: nobody says that {lost} are lost')
        print('ok:', self.name)


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return {'preexec_fn': limit}


# ---- disks ----

def mounted(case, options):
    """Its folder becomes a small file system of its own, with the store in it."""
    folder = os.path.dirname(case.world.store)
    with open(case.world.store, 'rb') as file:
        stored = file.read()
    done = run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder)
    if done.returncode:
        return False
    with open(case.world.store, 'wb') as file:
        file.write(stored)
    return True


def unmounted(case):
    """What was in it stays."""
    folder = os.path.dirname(case.world.store)
    with open(case.world.store, 'rb') as file:
        stored = file.read()
    subprocess.run(['umount', folder], check=True)
    with open(case.world.store, 'wb') as file:
        file.write(stored)


def fill(folder):
    with open(os.path.join(folder, 'fill'), 'wb', buffering=0) as file:
        try:
            while True:
                file.write(b'x' * 1024)
        except OSError:
            pass


def a_full_disk(folder):
    case = Case(folder, 'a full disk')
    if not mounted(case, 'size=64k'):
        print('no right to mount: RLIMIT_FSIZE alone plays a full disk')
        return
    try:
        fill(os.path.dirname(case.world.store))
        case.run('save', 2, 'No space left on device')
        case.run('reset', 1, 'No space left on device' + ELSEWHERE)
        os.unlink(os.path.join(os.path.dirname(case.world.store), 'fill'))
    finally:
        unmounted(case)
    case.end()


def a_read_only_disk(folder):
    case = Case(folder, 'a read-only disk')
    where = os.path.dirname(case.world.store)
    if not mounted(case, 'size=1m'):
        return
    try:
        subprocess.run(['mount', '-o', 'remount,ro', where], check=True)
        case.run('save', 2, 'Read-only file system')
        # Nothing is reset that could not be written where it should be
        case.run('reset', 2, 'Read-only file system')
    finally:
        unmounted(case)
    case.end()


def the_store_cannot_be_read(folder):
    case = Case(folder, 'EIO from the store, which nothing is reset for')
    for place in '-', '56', '200':
        for command in 'save', 'reset':
            case.at('-a', 'read', '/*/maps.stackmap', place, 'fail', 'EIO')
            case.run(command, 2, 'maps.stackmap: .*Input/output error')
            case.world.shim('rules', 'clear')
    case.end()


def a_limit_on_the_store(folder):
    case = Case(folder, 'a limit on the size of files, which the store reaches')
    size = os.path.getsize(case.world.store)
    case.run('save', 2, 'File too large', **limited(size + 100))
    case.run('reset', 1, 'File too large' + ELSEWHERE, **limited(size + 100))
    case.end()


def a_limit_on_every_file(folder):
    case = Case(folder, 'a limit that no file can hold a map in')
    case.run('save', 2, 'File too large', **limited(200))
    case.run('reset', 2, 'generation 8 is lost: .* 200 stacks of it are not written: .*too large',
             **limited(200))
    case.end(lost=[8])


def a_limit_ends_no_other_command(folder):
    case = Case(folder, 'a limit on the size of files, for import')
    raw = os.path.join(folder, 'raw')
    with open(raw, 'wb') as file:
        file.write(subprocess.run([SHIM, 'run', 'cat', '/sys/kernel/tracing/stack_map'],
                                  stdout=subprocess.PIPE, check=True).stdout)
    done = run(COMMAND, 'import', '-o', os.path.join(folder, 'new.stackmap'), raw, **limited(200))
    if done.returncode != 2 or not re.search(': write: File too large$', done.stderr.strip()):
        fail(f'{case.name}: status {done.returncode}: {done.stderr}')
    case.end()


# ---- tracefs ----

def tracefs_fails(folder):
    case = Case(folder, 'EIO from every export')
    for name in 'stack_map', 'stack_map_bin':
        case.at('-a', 'read', name, '-', 'fail', 'EIO')
    case.run('save', 2, 'stack_map: read: Input/output error')
    case.run('reset', 2, 'stack_map: read: Input/output error')
    case.end()


def one_export_fails(folder):
    for name in 'stack_map_bin', 'stack_map_stat':
        case = Case(folder, f'EIO in the middle of {name}')
        case.at('-a', 'read', name, '100', 'fail', 'EIO')
        if name == 'stack_map_bin':
            case.run('save', 0, 'Input/output error: the text is saved')
            case.run('reset', 0, 'Input/output error: the text is saved')
        else:
            case.run('save', 0, 'Input/output error: saved without statistics')
            case.run('reset', 2, 'stack_map_stat: read: Input/output error')
        case.end()


def tracefs_fails_behind_the_reset(folder):
    case = Case(folder, 'EIO from both exports once the map was reset, for a moment')
    for name in 'stack_map', 'stack_map_bin':
        case.at('read', name, '100', 'fail', 'EIO')
    case.run('reset', 0, 'Input/output error: the text is saved in its place')
    case.end()
    case = Case(folder, 'EIO from both exports once the map was reset, for good')
    for name in 'stack_map', 'stack_map_bin':
        case.at('-a', 'read', name, '100', 'fail', 'EIO')
    case.run('reset', 2, 'text is saved in its place', 'generation 8 is lost: .*Input/output error')
    case.end(lost=[8])


def hide_names(case):
    """Of a function that no save has."""
    case.world.shim('record', '-n', '1', 'not_saved_%d+0x10/0x100' % case.nr_hidden)
    case.nr_hidden += 1
    case.world.shim('set', 'kallsyms=hidden')


def the_text_fails_behind_the_reset(folder):
    case = Case(folder, 'EIO from the text, which alone has names, for a moment')
    for byte in '0', '5000':
        hide_names(case)
        case.at('read', 'stack_map', byte, 'fail', 'EIO')
        case.run('reset', 0, 'addresses cannot be named')
        case.world.shim('rules', 'clear')
        case.world.shim('record-many', '200', str(2000 + int(byte)))
    case.end()
    case = Case(folder, 'EIO from the text, which alone has names, for good')
    hide_names(case)
    case.at('-a', 'read', 'stack_map', '0', 'fail', 'EIO')
    case.run('save', 1, 'addresses cannot be named',
             'saved without it, and without names for some frames')
    case.end()
    case = Case(folder, 'EIO from the text, which is not needed, for good')
    case.at('-a', 'read', 'stack_map', '0', 'fail', 'EIO')
    case.run('reset', 0, 'stack_map: read: Input/output error: saved without it')
    case.end()
    for byte in '0', '5000':
        case = Case(folder, f'EIO from byte {byte} of the text, which alone shows the map')
        case.at('before', 'stack_map', '0', f"run {RESET}; '{SHIM}' record-many 200 4000")
        case.at('-a', 'read', 'stack_map', byte, 'fail', 'EIO')
        case.run('reset', 1, 'stack_map: read: Input/output error: saved without it',
                 'generation 9 is in no save of this file')
        case.end(lost=[9])


def short_and_interrupted(folder):
    case = Case(folder, 'short reads, and interrupted ones')
    for name in 'stack_map', 'stack_map_bin', 'stack_map_stat':
        case.at('-a', 'read', name, '-', 'limit', '37')
        case.at('-n', '5', 'read', name, '-', 'fail', 'EINTR')
    case.at('-n', '2', 'open', '*', '-', 'fail', 'EINTR')
    case.at('before', 'stack_map', '0', 'fail', 'EINTR')
    case.at('before', 'stack_map', '0', 'fail', 'EAGAIN')
    case.at('-a', 'write', '/*/maps*', '-', 'limit', '111')
    case.at('-n', '5', 'write', '/*/maps*', '-', 'fail', 'EINTR')
    case.at('-n', '2', 'fsync', '/*', '-', 'fail', 'EINTR')
    case.run('save', 0)
    case.run('reset', 0)
    case.end()


def nothing_is_there_yet(folder):
    for command in 'save', 'reset':
        case = Case(folder, f'EAGAIN from every file, for {command}')
        for name in 'stack_map', 'stack_map_bin', 'stack_map_stat', 'events/ftrace/stack_id/format':
            case.at('-n', '9', 'read', name, '-', 'fail', 'EAGAIN')
        case.run(command, 0)
        case.end()


# ---- another tool ----

def another_tool(folder):
    case = Case(folder, 'another tool resets between two saves')
    case.run('save', 0)
    case.world.shim('record-many', '5', '2000')
    subprocess.run([SHIM, 'run', 'sh', '-c', 'echo 0 > /sys/kernel/tracing/stack_map'], check=True)
    case.world.shim('record-many', '5', '3000')
    case.run('save', 1, 'generation 8 was reset after it was saved')
    case.end(lost=[8])
    case = Case(folder, 'another tool resets a generation that nobody saved')
    subprocess.run([SHIM, 'run', 'sh', '-c', 'echo 0 > /sys/kernel/tracing/stack_map'], check=True)
    case.world.shim('record-many', '5', '3000')
    case.run('reset', 1, 'generation 8 is in no save of this file')
    case.end(lost=[8])
    case = Case(folder, 'another tool resets while a save reads')
    case.at('read', 'stack_map_bin', '100', 'run ' + RESET)
    case.run('save', 0)
    case.end()
    case = Case(folder, 'another tool resets between our look and our reset')
    case.at('before', 'stack_map', '0', f"run {RESET}; '{SHIM}' record-many 11 4000")
    case.run('reset', 0, 'another tool reset the map a moment before: generation 8 is saved too')
    case.end()
    case = Case(folder, 'another tool resets twice between our look and our reset')
    case.at('before', 'stack_map', '0', f"run {RESET}; '{SHIM}' record-many 11 4000; {RESET}")
    case.run('reset', 1, 'generation 9 is in no save of this file')
    case.end(lost=[9])
    case = Case(folder, 'another tool resets as we open the map, to save it in a new file')
    case.elsewhere.append(case.world.store)
    case.world.store += '.new'
    case.at('opened', 'stack_map', 'rw', f"run {RESET}; '{SHIM}' record-many 11 4000")
    case.run('reset', 1, 'generation 8 is in no save of this file')
    case.end(lost=[8])


def another_tool_on_series_8(folder):
    for name, record in ('nothing', ''), ('more', f"; '{SHIM}' record-many 11 4000"):
        case = Case(folder, f'another tool resets behind our copy, and {name} comes', '8')
        case.at('fsync', '/*/maps.stackmap', '-', 'run ' + RESET + record)
        case.run('reset', 1, 'another tool reset generation 8 after it was copied',
                 'may be missing, nothing tells how many')
        case.end()


CASES = (a_full_disk, a_read_only_disk, the_store_cannot_be_read, a_limit_on_the_store,
         a_limit_on_every_file, a_limit_ends_no_other_command, tracefs_fails, one_export_fails,
         tracefs_fails_behind_the_reset, the_text_fails_behind_the_reset,
         short_and_interrupted, nothing_is_there_yet, another_tool, another_tool_on_series_8)


def main():
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ['TMPDIR'] = os.path.join(folder, 'elsewhere')
        os.mkdir(os.environ['TMPDIR'])
        for case in CASES:
            try:
                case(os.path.realpath(folder))
            except Failed as fault:
                print('FAIL:', fault)
                failed = 1
    return failed


sys.exit(main())
