#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""headers-last IN OUT - copy a shared library, its program headers moved to the end of the file.

A library that is cut off, by a disk that was full when it was installed, ends every program that
loads it: ld.so (glibc 2.36) maps what the program headers say, never asks how long the file is, and
gets SIGBUS where the mapping has no file behind it. The one thing that it does look for in the file
is the program headers themselves, wherever the ELF header says they are. No linker puts them
anywhere but at the front; at the end they are what every cut takes away, and dlopen() says "cannot
read file data".
"""
import struct
import sys

PT_LOAD = 1
PN_XNUM = 0xffff
# By class: offset and form of e_phoff, offset of e_phentsize (e_phnum follows); then, in a program
# header, form and the places of p_offset, p_filesz and p_align.
CLASSES = {
    1: (28, "I", 42, "8I", (1, 4, 7)),
    2: (32, "Q", 54, "2I6Q", (2, 5, 7)),
}
ORDERS = {1: "<", 2: ">"}


def fail(words):
    sys.exit(f"headers-last: {sys.argv[1]}: {words}")


def round_up(value, align):
    return -(-value // align) * align


def main():
    with open(sys.argv[1], "rb") as file:
        data = bytearray(file.read())
    if data[:4] != b"\x7fELF" or data[4] not in CLASSES or data[5] not in ORDERS:
        fail("not ELF")
    order = ORDERS[data[5]]
    at, form, sizes, header, (offset, filesz, align) = CLASSES[data[4]]
    (start,) = struct.unpack_from(order + form, data, at)
    size, nr = struct.unpack_from(order + "2H", data, sizes)
    if nr == PN_XNUM or size != struct.calcsize(order + header):
        fail("program headers of an unknown form")
    table = bytes(data[start:start + size * nr])
    loads = [h for h in struct.iter_unpack(order + header, table) if h[0] == PT_LOAD]
    # Not into the page in which a segment ends: ld.so clears what is behind it there, for .bss.
    end = max(round_up(h[offset] + h[filesz], max(h[align], 8)) for h in loads)
    data += bytes(max(end, round_up(len(data), 8)) - len(data))
    struct.pack_into(order + form, data, at, len(data))
    with open(sys.argv[2], "wb") as file:
        file.write(data + table)


main()
