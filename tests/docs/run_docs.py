#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every command that the documentation shows, and compares its output with the page.

A ```console block has lines `$ command`, each followed by the expected output. In the expected text a line of
three dots matches any lines, and three dots inside a line match any text. `[exit N]` as the last line is the
expected exit code; without it, 0 is expected. A command without expected output is only run.
`<!-- needs nvcc -->` on the line before a block names programs that it needs; without them the block is skipped.
Verbs that build a program do so with Clang, which takes a third of nvcc's time, unless the command, or a `needs` before its block, names a
compiler. The front page is run unchanged, and so is a program that runs for long (AS_SHOWN).
Each page has a temporary folder of its own in place of /tmp, so that pages can run side by side and none relies on another.

Usage: run_docs.py ROOT BUILD PAGE...     prints each command that fails with both texts; exit 1 if any does
       (a page without commands passes: CMake adds a test only for pages that have a console block)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Commands that run these tests themselves, or that would change the host: shown to people, not run here.
NOT_RUN = re.compile(r"^(make (test|install|package|bench|format|tidy|clean)|git clone|cd |sudo |apt-get )")


# Where a CUDA toolkit is usually installed, if its programs are not on the path.
PROGRAMS = os.environ["PATH"] + ":/usr/local/cuda/bin"


# The front page, which has each verb that builds a program; and a program that the simulator runs for longer than it is compiled: calls of
# math functions, which nvcc has as instructions, take most of its time.
AS_SHOWN = re.compile(r"README\.md: |.* examples/ignition/ignition\.cu ")
# Such verbs.
BUILDING = re.compile(r"\bheddle (run|verify|check|profile|capture|opt)\b(?!.*(--compiler|--cuda-path))")


def needs(line_before):
    """The programs that a block needs."""
    named = re.fullmatch(r"<!-- needs (.*) -->", line_before.strip())
    return named[1].split() if named else []


def by_clang(command):
    return BUILDING.sub(r"heddle \1 --compiler clang", command)


def blocks(page):
    """Yields (line number, lines, programs that it needs) of each console block that can be run here."""
    lines = page.read_text().splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.strip() == "```console":
            start = number
        elif start is not None and line.strip() == "```":
            needed = needs(lines[start - 2] if start > 1 else "")
            if all(shutil.which(program, path=PROGRAMS) for program in needed):
                yield start, lines[start : number - 1], needed
            else:
                print(f"{page}:{start}: skipped: {lines[start - 2].strip()}")
            start = None
    if start is not None:
        sys.exit(f"{page}:{start}: the console block does not end")


def commands(start, lines):
    """Yields (line number, command, expected lines)."""
    current = None
    for offset, line in enumerate(lines, 1):
        if line.startswith("$ "):
            if current:
                yield current
            current = (start + offset, line[2:], [])
        elif current:
            if current[1].endswith("\\") and not current[2]:
                current = (current[0], current[1][:-1] + line.strip(), [])
            else:
                current[2].append(line)
    if current:
        yield current


def pattern_of(expected):
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r".*?".join(re.escape(p) for p in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts) + r"\n*\Z")


def run(root, build, folder, command):
    """Returns the exit code and the output, in which the page's own folder is /tmp again."""
    environment = dict(os.environ, PATH=f"{build}:{PROGRAMS}", NO_COLOR="1", LC_ALL="C.UTF-8")  # `ls` sorts by the locale
    command = command.replace("make demo", f"make demo BUILD={build}").replace("/tmp/", f"{folder}/")
    try:
        done = subprocess.run(["bash", "-c", command], cwd=root, env=environment, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        return None, f"{late.output or ''}\nstopped after {late.timeout:.0f} s"
    return done.returncode, done.stdout.replace(folder, "/tmp")


def check_page(root, build, page, folder):
    """Returns how many commands ran and how many of them failed."""
    ran = failed = 0
    for start, lines, needed in blocks(page):
        for number, command, expected in commands(start, lines):
            if NOT_RUN.match(command):
                continue
            wanted_exit = 0
            if expected and (exit_line := re.fullmatch(r"\[exit (\d+)\]", expected[-1].strip())):
                wanted_exit = int(exit_line.group(1))
                expected = expected[:-1]
            is_as_shown = AS_SHOWN.match(f"{page.name}: {command} ") or "nvcc" in needed
            code, output = run(root, build, folder, command if is_as_shown else by_clang(command))
            ran += 1
            matches = not expected or pattern_of(expected).match(output)
            if code != wanted_exit or not matches:
                failed += 1
                print(f"{page}:{number}: $ {command}\nexit {code}, wanted {wanted_exit}\n"
                      f"--- the page says\n" + "\n".join(expected) + f"\n--- it printed\n{output}", flush=True)
    return ran, failed


def main():
    root, build, pages = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), [Path(p) for p in sys.argv[3:]]
    counts = []
    for page in pages:
        with tempfile.TemporaryDirectory(prefix="heddle-docs-") as folder:
            counts.append(check_page(root, build, page, folder))
    ran, failed = map(sum, zip(*counts))
    print(f"{ran - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
