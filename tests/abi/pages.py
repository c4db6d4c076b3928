# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sources of the man pages hold: sections, and the blocks of examples in them."""
import re

import tree


def section(page, *titles):
    """Text of the first of these sections that the page has, or ""."""
    parts = re.split(r"^== (.*)$", tree.read(page), flags=re.M)
    found = dict(zip(parts[1::2], parts[2::2]))
    for title in titles:
        if title in found:
            return found[title]
    return ""


def blocks(text):
    """[(is C, lines)] of the blocks between lines of ----."""
    found = []
    before, is_c, inside = "", False, None
    for line in text.split("\n"):
        if line == "----" and inside is None:
            is_c, inside = before == "[source,c]", []
        elif line == "----":
            found.append((is_c, inside))
            inside = None
        elif inside is not None:
            inside.append(line)
        before = line
    return found


def matches(wanted, got):
    """Does output `got` look as the page shows it, where "..." stands for whatever is left out?"""
    parts = []
    for line in wanted:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(re.escape(line.rstrip()).replace(r"\.\.\.", ".*?") + r"[ \t]*\n")
    return re.fullmatch("".join(parts), got) is not None
