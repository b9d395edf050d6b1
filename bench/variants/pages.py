# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `table` of each folder beside this one does: results of `measure`, as a page of the documentation."""
import contextlib
import csv
import io
import re
import sys
from collections import defaultdict
from pathlib import Path


def rows_of(file):
    with open(file, newline="") as data:
        return list(csv.DictReader((line for line in data if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


class Variant:
    """One variant of a program: its kernels taken together."""

    def __init__(self, rows):
        self.name, self.directive, self.note = rows[0]["variant"], rows[0]["directive"], rows[0]["note"]
        self.timed = [row for row in rows if row["micros"]]
        self.right = bool(self.timed) and not any("other bits" in row["note"] for row in rows)
        self.micros = sum(float(row["micros"]) for row in self.timed)
        self.speedup = (0.0 if not self.timed else float(self.timed[0]["speedup"]) if len(self.timed) == 1 else
                        sum(float(row["original_micros"]) for row in self.timed) / self.micros)

    def most(self, column):
        return max(int(row[column] or 0) for row in self.timed)

    def occupancy(self):
        return min(float(row["occupancy"]) for row in self.timed)

    def resources(self):
        spilled = f", {self.most('spill_bytes')} B spilled" if self.most("spill_bytes") else ""
        return f"{self.most('registers')} registers{spilled}, {self.occupancy():.0f} %"

    def cell(self):
        if not self.right:
            return "FAIL" if self.timed else "refused" if "refused" in self.note else "failed"
        spilled = f" s{self.most('spill_bytes')}" if self.most("spill_bytes") else ""
        return f"{self.speedup:.2f} (r{self.most('registers')}{spilled} o{self.occupancy():.0f})"


def programs_of(rows):
    groups = defaultdict(lambda: defaultdict(list))
    for row in rows:
        groups[row["program"]][row["variant"]].append(row)
    return {program: {name: Variant(group) for name, group in variants.items()} for program, variants in groups.items()}


def markdown(header, lines):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def captured(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        function(*arguments)
    return text.getvalue().rstrip("\n") + "\n"


def about(file):
    """The GPU, the compiler and the day, in words."""
    gpu = re.search(r"^# GPU: (.*?); (CUDA [\d.]+).* Date: (\S+)\.$", Path(file).read_text(), re.M)
    return f"an {gpu[1].replace(', ', ' (driver ')}, {gpu[2]}, {gpu[3]})"


def print_or_check(usage, page):
    """`table DATA.tsv [--check PAGE]`, where page(DATA) is the text."""
    if len(sys.argv) not in (2, 4):
        sys.exit(usage)
    text = page(sys.argv[1])
    if len(sys.argv) == 2:
        sys.stdout.write(text)
    elif Path(sys.argv[3]).read_text() != text:
        sys.exit(f"{sys.argv[3]} is not what {sys.argv[1]} says: write it anew, {sys.argv[0]} {sys.argv[1]} > {sys.argv[3]}")
