# SPDX-License-Identifier: GPL-2.0-or-later
"""A played kernel (tests/shim/README.md) for the tests in Python: what records in it, what our
commands say of its maps, and whether that is true.
"""
import json
import os
import re
import subprocess
import tempfile

REPORTED = re.compile(r'generation (\d+)(?: saved,|:) (\d+) stacks?,', re.M)
LOST_ONE = re.compile(r'generation (\d+) (?:is in no save|was reset after|is lost|'
                      r'is not saved here)')
# Nothing was recorded since the last reset: how it ends where the recorder had no turn meanwhile.
EMPTY = re.compile(r'/stack_map: no stack in it: ')
LOST_MORE = re.compile(r'generations (\d+) to (\d+) (?:are in no save|are not saved here)')


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **more)


# For every test.
os.environ['LC_ALL'] = 'C'
os.environ['ASAN_OPTIONS'] = 'verify_asan_link_order=0'
for name in 'TRACE_STACKMAP', 'NOTIFY_SOCKET':
    os.environ.pop(name, None)


class Failed(Exception):
    pass


def fail(*words):
    raise Failed(' '.join(map(str, words)))


def whole(file):
    """Where the command writes next is not to be moved: it has the same file, and may run."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()


class World:
    """A played kernel, what records in it, and what was said of its maps."""

    def __init__(self, command, shim, folder, series, *settings):
        self.command, self.program = command, shim
        self.folder = os.path.join(tempfile.mkdtemp(dir=folder), 'world')
        self.store = os.path.join(tempfile.mkdtemp(dir=folder), 'maps.stackmap')
        os.environ['STACKMAP_SHIM'] = self.folder
        self.shim('setup', self.folder, series, 'bits=14', *settings, 'option=1')
        self.reported, self.lost, self.recorder = {}, set(), None
        self.shim('record-many', '300')

    def shim(self, *words):
        done = run(self.program, *words)
        if done.returncode:
            fail(words, done.stderr)
        return done.stdout

    def begin_recording(self, first):
        self.recorder = subprocess.Popen([self.program, 'record-on', str(first), '5'],
                                         stdin=subprocess.PIPE)

    def end_recording(self):
        if self.recorder:
            self.recorder.stdin.close()
            if self.recorder.wait():
                fail('the recorder')
        self.recorder = None

    def start(self, *words, **more):
        """A command of ours in the world, its output in files: they stay when it is killed."""
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        # "run" is replaced by the command: the pid is its own.
        return subprocess.Popen([self.program, 'run', self.command, *words], stdout=self.out,
                                stderr=self.err, **more)

    def said(self):
        out, err = whole(self.out), whole(self.err)
        for generation, stacks in REPORTED.findall(out):
            generation = int(generation)
            self.reported[generation] = max(int(stacks), self.reported.get(generation, 0))
        self.lost.update(int(generation) for generation in LOST_ONE.findall(err))
        for first, last in LOST_MORE.findall(err):
            self.lost.update(range(int(first), int(last) + 1))
        return out, err

    def check_end(self, command, status, *good):
        """Of a command that nobody killed: what it says to be lost shows in its status."""
        out, err = self.said()
        if LOST_ONE.search(err) or LOST_MORE.search(err):
            good = (1,)
        else:
            good = (0, *good)
        if status not in good and not (status == 2 and EMPTY.search(err)):
            fail(f'{command} ends with {status}: {err}')
        return out, err

    def save(self):
        """The next save, which nobody kills."""
        status = self.start('save', '-o', self.store).wait()
        return self.check_end('the next save', status)

    def check_state(self):
        state = self.shim('state')
        for line in 'option: 1', 'tracing_on: 1', 'swapped out: 0':
            if line not in state.split('\n'):
                fail(f'not "{line}":\n{state}')
        if 'open:' in state:
            fail(f'a file is still open:\n{state}')

    def whole_stacks(self, path):
        """{generation: stacks} of what is whole in a file."""
        # At once, where there are two processors.
        both = [subprocess.Popen([self.command, word, '--json', '-m', path], text=True,
                                 stdout=subprocess.PIPE) for word in ('verify', 'list')]
        verified, listed = (json.loads(one.communicate()[0] or 'null') for one in both)
        if any(one.returncode not in (0, 1) for one in both):
            fail(f'verify or list of {path}')
        damages = [(one['offset'], one['offset'] + one['bytes'])
                   for file in verified['files'] for one in file['damages']]
        stacks = {}
        for save in (save for file in listed['files'] for save in file['saves']):
            begin, end = save['offset'], save['offset'] + save['bytes']
            if any(first < end and last > begin for first, last in damages):
                continue
            for one in save['generations']:
                nr = one['generation']
                stacks[nr] = max(one['stacks'], stacks.get(nr, 0))
        return stacks

    def check_reported(self, *more):
        """Each generation that was reported is there, here or in @more, with all its stacks."""
        there = {}
        for path in filter(os.path.exists, (self.store, *more)):
            there.update(self.whole_stacks(path))
        for generation, nr in self.reported.items():
            if there.get(generation, 0) < nr:
                fail(f'generation {generation}: {nr} stacks reported, there are '
                     f'{there.get(generation, 0)} whole ones')

    def check_cookies(self, *more):
        """All that was recorded, against what the saved maps tell, those in @more too."""
        recorded = [line.split('\t') for line in self.shim('recorded').splitlines()]
        wanted = dict(recorded)
        text = ''.join(f' <idle>-0 [001] d..3. 1.0: stack_id: {cookie}\n' for cookie in wanted)
        maps = [word for path in (self.store, *more) for word in ('-m', path)]
        done = run(self.command, 'expand', *maps, input=text)
        found, cookie = {}, None
        for line in done.stdout.splitlines():
            if line.startswith(' => '):
                found[cookie].append(line[4:])
            elif 'stack_id: ' in line:
                cookie = re.search(r'<stack_id [^>]*>', line)[0]
                found[cookie] = []
        nr_lost = 0
        for cookie, frames in wanted.items():
            if ';'.join(found.get(cookie, [])) == frames:
                continue
            generation = int(re.search(r'gen (\d+)', cookie)[1])
            if found.get(cookie):
                fail(f'{cookie} resolves to {found[cookie]}, it was {frames}')
            if generation not in self.lost:
                fail(f'{cookie} is lost, and no line says so (said: {sorted(self.lost)})')
            nr_lost += 1
        return len(wanted), nr_lost

    def end(self):
        self.end_recording()
        self.save()
        self.check_reported()
        return self.check_cookies()
