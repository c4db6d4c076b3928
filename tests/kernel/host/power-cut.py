# SPDX-License-Identifier: GPL-2.0-or-later
"""power-cut.py REPORTED SHOW_JSON - of the disk after a cut: does what show --json printed have so
many stacks of each generation as a line "GENERATION STACKS" of REPORTED says? And is every stack
that is there what maps.GENERATION says, a copy of the kernel's stack_map when it was saved last?
"""
import json
import re
import sys


def stacks_of_text(path):
    """{slot: [frame]}"""
    stacks = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            head = re.match(r"stack_id (\d+) gen \d+ ref \d+ depth \d+$", line)
            if head:
                frames = stacks.setdefault(int(head[1]), [])
            elif line.startswith(" => "):
                frames.append(line[4:].rstrip("\n"))
    return stacks


def places(frames):
    """Without the size of the function, which the last one of a module has not got everywhere."""
    return [re.sub(r"/0x[0-9a-f]+", "", frame) for frame in frames or ()]


def faults(reported, found):
    for generation, nr in reported.items():
        there = len(found.get(generation, ()))
        if there < nr:
            yield f"generation {generation}: {nr} stacks reported, {there} there"
    for generation, stacks in found.items():
        wanted = stacks_of_text(f"maps.{generation}")
        for slot, frames in stacks.items():
            if places(wanted.get(slot)) != places(frames):
                yield f"generation {generation}, slot {slot} is another stack"


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        reported = {int(line.split()[0]): int(line.split()[1]) for line in file}
    with open(sys.argv[2], encoding="utf-8") as file:
        shown = json.load(file)["stacks"]
    found = {}
    for stack in shown:
        found.setdefault(stack["generation"], {})[stack["slot"]] = stack.get("frames")
    there = list(faults(reported, found))
    for fault in there[:2]:
        print(fault)
    sys.exit(1 if there else 0)


main()
