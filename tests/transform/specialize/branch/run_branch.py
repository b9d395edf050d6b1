#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Specializes a program by its branch, and compares it with what it was at every size, on the simulator: the results must have the same bits.
The static check and, at the first size, the one for races, barriers and memory must find nothing.

Usage: run_branch.py HEDDLE PROGRAM ARGUMENTS...      ARGUMENTS: the program's, one text for each run
"""
import subprocess
import sys
import tempfile
from pathlib import Path


def must(command):
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(" ".join(map(str, command)), run.stdout, sep="\n")
    if run.returncode != 0:
        sys.exit(f"exit code {run.returncode}")
    return run.stdout


def main():
    heddle, program, *sizes = sys.argv[1:]
    beside = f"-I{Path(program).parent}"
    flags = ["--compiler", "clang", "--timeout", "60"]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / Path(program).name
        said = must([heddle, "opt", program, "-o", made, "-d", "specialize by=branch", "--remarks", "--cuda-path", "none"])
        if "execute one kind of work at a time" not in said:
            sys.exit("nothing was specialized")
        for size in sizes:
            must([heddle, "verify", *flags, program, made, "-Wall", "-Werror", beside, "--", *size.split()])
        must([heddle, "check", *flags, made, beside, "--", *sizes[0].split()])


main()
