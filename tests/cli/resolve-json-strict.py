#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every line of resolve --format json is one object to a strict parser, with the trace's bytes.

resolve-json-strict.py COMMAND MKTRACE [TRACE...]
"""
import json
import os
import subprocess
import sys
import tempfile


def refuse(what):
    raise ValueError(what)


def unique(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), pairs
    return members


def objects(command, trace):
    done = subprocess.run([command, 'resolve', '-q', '-f', 'json', trace], stdout=subprocess.PIPE)
    assert done.returncode in (0, 1), done.returncode
    assert not any(byte < 32 and byte != 10 or byte == 127 for byte in done.stdout)
    lines = done.stdout.decode('utf-8').split('\n')
    assert lines.pop() == ''
    return [json.loads(line, parse_constant=refuse, object_pairs_hook=unique) for line in lines]


def comms():
    """All bytes, and what could be taken for something else."""
    yield from (bytes([byte]) for byte in range(1, 256) if byte not in b'\n')
    yield from (b'x\\u -x', b'\\', b'"', b'\xc3\xa9', b'\xc3', b'\xed\xa0\x80', b'\xf0\x9f\x90\xa7',
                b'\xf4\x90\x80\x80', b'\xc0\x80', b'\xe2\x80\xa8', b'\xc2\x9b[2J', b'\x1b[2J')


def quoted(data):
    return '"' + ''.join('\\x%02x' % byte for byte in data) + '"'


def check_bytes(command, mktrace):
    wanted = [comm for comm in comms() if comm.strip(b' \t\n\v\f\r')]
    text = ''.join('comm %d %s\n' % (nr + 1, quoted(comm)) for nr, comm in enumerate(wanted))
    text += 'cpu 0\n'
    text += ''.join('%d %d sched_switch prev_comm=%s\n' % (1000 * nr + 1000, nr + 1, quoted(comm))
                    for nr, comm in enumerate(wanted))
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'made.dat')
        subprocess.run([mktrace, trace], input=text.encode(), check=True)
        found = objects(command, trace)
    assert len(found) == len(wanted)
    for event, comm in zip(found, wanted):
        field = event['fields']['prev_comm'].encode('utf-8', 'surrogateescape')
        assert field == comm, (field, comm)
        # libtraceevent reads the list of comms line by line, with sscanf()
        task = event['comm'].encode('utf-8', 'surrogateescape')
        assert task == comm, (task, comm)


def main():
    command, mktrace = sys.argv[1:3]
    check_bytes(command, mktrace)
    for trace in sys.argv[3:]:
        found = objects(command, trace)
        print(trace, len(found))
        for event in found:
            assert 'missed' in event or isinstance(event['pid'], int), event
            assert isinstance(event['ts'], int) and isinstance(event['cpu'], int), event


main()
