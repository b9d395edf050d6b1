#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""modules.py ROOT: which module uses which.

Three things say it, and they must agree: the lists in src/*/CMakeLists.txt, the table in docs/design.md, and what the sources include.
Modules that are used must not use each other in a circle. Numbers of devices are in arch/ alone.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
SRC = ROOT / "src"
# Pages are made of values of these modules; their libraries are linked, their compile options are not taken over.
LINKED_ONLY = {"report": {"check", "counts", "divergence", "model", "tune"}}
# 65536 registers and 132 multiprocessors, 48 KB and 227 KB of shared memory: of one generation or another.
DEVICE_NUMBERS = re.compile(r"\b(65536|49152|232448|132|(48|227) \* 1024)\b")
WITHOUT_DEVICE_NUMBERS = ["analysis", "transform", "tune", "verify", "model", "check", "cli"]

# Directives hand their text to source/Code and source/Rewriter, which know depth, comments and lines: a line end inside a string, or
# one that is added to a string, is text put together by hand. Files embedded in place of their #include are whole lines already.
LINES_BY_HAND = re.compile(r'"(?:[^"\\\n]|\\.)*\\n(?:[^"\\\n]|\\.)*"')
LINE_END_ADDED = re.compile(r'\+\s*"(?:\\n)+"|"(?:\\n)+"\s*\+')
MAY_HAVE_LINES = {"Includes.cpp", "JoinedText.cpp", "RuntimeHeaders.cpp"}


def words_after(keyword, words):
    """The words behind one in capitals, up to the next in capitals."""
    found, on = [], False
    for word in words:
        if word.isupper():
            on = word == keyword
        elif on:
            found.append(word)
    return found


def used_by_cmake():
    uses = {}
    for file in SRC.glob("*/CMakeLists.txt"):
        module = re.search(r"heddle_module\((\w+)([^)]*)\)", file.read_text())
        if module:
            uses[module[1]] = set(words_after("USES", module[2].split()))
        else:
            uses[file.parent.name] = set()
    for module, linked in LINKED_ONLY.items():
        uses[module] |= linked
    return uses


def used_by_table():
    uses = {}
    for line in (ROOT / "docs/design.md").read_text().splitlines():
        row = re.match(r"\| `src/(\w+)` \|.*\|([^|]*)\|$", line)
        if row:
            uses[row[1]] = {word for word in row[2].replace(",", " ").split()}
    return uses


def code_of(file):
    return re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))


def sources(module):
    return [file for ending in ("h", "cpp") for file in (SRC / module).rglob(f"*.{ending}")]


def all_used(uses, module, seen=None):
    seen = set() if seen is None else seen
    for used in uses.get(module, ()):
        if used not in seen:
            seen.add(used)
            all_used(uses, used, seen)
    return seen


def problems():
    cmake, table = used_by_cmake(), used_by_table()
    for module in sorted(cmake.keys() - {"cli", "passes"}):
        if cmake[module] != table.get(module):
            yield (f"docs/design.md says that {module} uses {sorted(table.get(module, []))}, "
                   f"CMake {sorted(cmake[module])}")
        if module in all_used(cmake, module):
            yield f"{module} uses itself, by way of others"
        for file in sources(module):
            for included in re.findall(r'#include "(\w+)/', file.read_text(encoding="utf-8")):
                if included in cmake and included != module and included not in all_used(cmake, module):
                    yield f"{file.relative_to(ROOT)} includes {included}, which {module} does not use"
    for module in WITHOUT_DEVICE_NUMBERS:
        for file in sources(module):
            for number in DEVICE_NUMBERS.findall(code_of(file)):
                yield f"{file.relative_to(ROOT)} has {number[0]}, a number of a device: ask arch/"
    for file in sources("transform"):
        code = code_of(file)
        by_hand = [text for text in LINES_BY_HAND.findall(code) if re.search(r"[^\s;\\tnr\"]", text)]
        for text in by_hand + LINE_END_ADDED.findall(code):
            if file.name not in MAY_HAVE_LINES:
                yield f"{file.relative_to(ROOT)} puts lines together by hand: {text.strip()[:60]}"


found = list(problems())
print("\n".join(found) or "modules are as docs/design.md says")
sys.exit(1 if found else 0)
