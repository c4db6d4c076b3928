# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of the source tree, and how a check of this folder reports."""
import os
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def files():
    """Paths below the top, without build directories and git's own."""
    for folder, folders, names in os.walk(TOP):
        folders[:] = sorted(d for d in folders if d != ".git" and not d.startswith("__pycache__")
                            and not os.path.isdir(os.path.join(folder, d, "meson-info")))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), TOP)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


class Check:
    """Collects faults; finish() names them and gives the exit status."""

    def __init__(self):
        self.faults = []

    def fault(self, text):
        self.faults.append(text)

    def same(self, what, names, other, others):
        """Two lists have to hold the same names."""
        for name in sorted(set(names) - set(others)):
            self.fault(f"{name}: in {what}, not in {other}")
        for name in sorted(set(others) - set(names)):
            self.fault(f"{name}: in {other}, not in {what}")

    def finish(self):
        for text in self.faults:
            print(text)
        print(f"{len(self.faults)} faults")
        sys.exit(1 if self.faults else 0)
