# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder that the examples of the documentation speak of.

	trace.dat			a recording of series 8, generation 1
	stack_map, stack_map_stat	the copies that belong to it
	trace.dat.stackmap		made of these
	gens.dat, gens.N.stack_map	three generations; the third was copied too early
	old.dat, old.stack_map_bin	series 7, the map as addresses
	old.kallsyms			the symbols of that boot
"""
import contextlib
import lzma
import os
import shutil
import subprocess
import tempfile

import tree

DATA = os.path.join(tree.TOP, "tests", "data", "good")
COPIES = {
    "trace.dat": "v8/sched.dat",
    "stack_map": "v8/sched.stack_map",
    "stack_map_stat": "v8/sched.stack_map_stat",
    "gens.dat": "v8/gens.dat",
    "gens.1.stack_map": "v8/gens.1.stack_map",
    "gens.2.stack_map": "v8/gens.2.stack_map",
    "gens.3.stack_map": "v8/gens.3.stack_map",
    "old.dat": "v7/sched.dat",
    "old.stack_map_bin": "v7/sched.stack_map_bin",
}
SYMBOLS = "old.kallsyms"


def play(shim, folder):
    """A played kernel (tests/shim) of our series, whose map holds the stacks of stack_map as
    generation 1: what a program needs in its environment to be in it."""
    env = {"STACKMAP_SHIM": os.path.join(os.path.realpath(folder), ".kernel"),
           "ASAN_OPTIONS": "verify_asan_link_order=0"}
    for args in (["setup", env["STACKMAP_SHIM"], "ours", "generation=1", "option=1"],
                 ["load", "stack_map"]):
        subprocess.run([shim, *args], cwd=folder, check=True, env={**os.environ, **env})
    return env


@contextlib.contextmanager
def made(command, page, with_store=True):
    """Makes what `page` speaks of with the built `command`; gives the path."""
    text = tree.read(page)
    with tempfile.TemporaryDirectory() as folder:
        for name, source in COPIES.items():
            shutil.copyfile(os.path.join(DATA, source), os.path.join(folder, name))
        if SYMBOLS in text:
            with lzma.open(os.path.join(DATA, "v7/kallsyms.xz")) as packed, \
                 open(os.path.join(folder, SYMBOLS), "wb") as plain:
                shutil.copyfileobj(packed, plain)
        if with_store:
            subprocess.run([command, "import", "-o", "trace.dat.stackmap", "stack_map",
                            "stack_map_stat"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        yield folder
