#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every command the documentation shows and compares what it prints with what the page says.

A ```console block holds lines `$ command` and, under each, the output expected. In the expected text a line of
three dots stands for any lines, and three dots inside a line for any text. `[exit N]` as the last line says that
the command ends with exit code N; without it, 0 is wanted. A command with no output below it is only run.

Usage: run_docs.py ROOT BUILD PAGE...     prints each command that fails with both texts; exit 1 if any does
"""
import os
import re
import subprocess
import sys
from pathlib import Path

# What the tests themselves are part of, or what would change the machine: shown to people, not run from here.
NOT_RUN = re.compile(r"^(make (test|install|bench|format|tidy|clean)|git clone|cd |sudo |apt-get )")


def blocks(page):
    """Yields (line number, lines) of each console block."""
    lines = page.read_text().splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.strip() == "```console":
            start = number
        elif start is not None and line.strip() == "```":
            yield start, lines[start : number - 1]
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


def run(root, build, command):
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", NO_COLOR="1")
    command = command.replace("make demo", f"make demo BUILD={build}")
    return subprocess.run(["bash", "-c", command], cwd=root, env=environment, text=True, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    root, build, pages = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), [Path(p) for p in sys.argv[3:]]
    ran = failed = 0
    for page in pages:
        for start, lines in blocks(page):
            for number, command, expected in commands(start, lines):
                if NOT_RUN.match(command):
                    continue
                wanted_exit = 0
                if expected and (exit_line := re.fullmatch(r"\[exit (\d+)\]", expected[-1].strip())):
                    wanted_exit = int(exit_line.group(1))
                    expected = expected[:-1]
                result = run(root, build, command)
                ran += 1
                matches = not expected or pattern_of(expected).match(result.stdout)
                if result.returncode != wanted_exit or not matches:
                    failed += 1
                    print(f"{page}:{number}: $ {command}\nexit {result.returncode}, wanted {wanted_exit}\n"
                          f"--- the page says\n" + "\n".join(expected) + f"\n--- it printed\n{result.stdout}")
    print(f"{ran - failed} passed, {failed} failed")
    sys.exit(1 if failed or not ran else 0)


main()
