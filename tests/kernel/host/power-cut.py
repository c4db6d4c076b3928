# SPDX-License-Identifier: GPL-2.0-or-later
"""power-cut.py REPORTED SHOW_JSON - of the disk after a cut: is each generation of REPORTED in what
show --json printed, and does each that is there hold every stack of maps.GENERATION, a copy of the
kernel's stack_map from just before it was saved?
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


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        reported = {int(line) for line in file}
    with open(sys.argv[2], encoding="utf-8") as file:
        shown = json.load(file)["stacks"]
    found = {}
    for stack in shown:
        found.setdefault(stack["generation"], {})[stack["slot"]] = stack.get("frames")
    faults = [f"generation {nr} was reported as saved and is not there"
              for nr in sorted(reported - set(found))]
    for generation, stacks in found.items():
        wanted = stacks_of_text(f"maps.{generation}")
        for slot, frames in wanted.items():
            if stacks.get(slot) != frames:
                faults.append(f"generation {generation}, slot {slot}: {stacks.get(slot)}, "
                              f"wanted {frames}")
                break
    for fault in faults[:3]:
        print(fault)
    sys.exit(1 if faults else 0)


main()
