#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that measured numbers in pages of documentation are those of the recorded data.

A comment before a paragraph or table names the row of a file in bench/results and the numbers that the text takes from it:

    <!-- measured h200-coarsen.tsv | program=convolve | variant=x=4.blocked | micros: 178 | speedup: 1.83 -->

`column=value` selects rows, of which there must be exactly one. `column: number` must be the value of that row, rounded to the decimals of
the number, and the number must be in the text that follows, up to the next blank line.

Usage: numbers.py ROOT PAGE...      exit 1 if a number differs, or if no page has one
"""
import csv
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"<!-- measured (\S+) \| (.*) -->")


def comments(page):
    """Yields (line number, file, parts, text that follows) of each comment. Several comments may precede one text."""
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("<!-- measured"):
            continue
        comment = COMMENT.fullmatch(line)
        if not comment:
            sys.exit(f"{page}:{number}: this comment has another form than numbers.py describes")
        text = []
        for following in lines[number:]:
            if not following.strip():
                break
            if not following.startswith("<!--"):
                text.append(following)
        yield number, comment[1], comment[2].split(" | "), "\n".join(text)


def rows_of(file):
    with open(file, newline="") as data:
        return list(csv.DictReader((line for line in data if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


def problems(results, name, parts, text):
    """What is wrong with one comment; empty if nothing is."""
    conditions = dict(part.split("=", 1) for part in parts if not re.match(r"\w+: ", part))
    shown = dict(part.split(": ", 1) for part in parts if re.match(r"\w+: ", part))
    rows = [row for row in rows_of(results / name) if all(row[column] == value for column, value in conditions.items())]
    if len(rows) != 1:
        return [f"{len(rows)} rows of {name} are selected, not one"]
    found = []
    for column, number in shown.items():
        decimals = len(number.partition(".")[2])
        if f"{float(rows[0][column]):.{decimals}f}" != number:
            found.append(f"{column} is {rows[0][column]} in {name}, not {number}")
        if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)", text):
            found.append(f"{column} {number} is not in the text that follows")
    return found


def main():
    root, pages = Path(sys.argv[1]), [Path(page) for page in sys.argv[2:]]
    checked = wrong = 0
    for page in pages:
        for line, name, parts, text in comments(page):
            checked += 1
            for problem in problems(root / "bench" / "results", name, parts, text):
                wrong += 1
                print(f"{page}:{line}: {problem}")
    print(f"{checked} comments checked, {wrong} problems")
    sys.exit(1 if wrong or not checked else 0)


main()
