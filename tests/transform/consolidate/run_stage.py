#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Consolidates a program and compares it with what it was, on the simulator.

What is emitted must compute the same, and hold nothing that waits for a block or asks how large one is.

Usage: run_stage.py HEDDLE PROGRAM DIRECTIVE [EXPECTED...]
       EXPECTED: texts that the report must hold
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FORBIDDEN = re.compile(r"__syncthreads\w*|\bblockDim\b|\bbar\.sync\b")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def main():
    heddle, program, directive, *expected = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / Path(program).name
        run = subprocess.run([heddle, "opt", program, "-o", made, "-d", directive, "--verify", "--remarks",
                              "--compiler", "clang", "--timeout", "60"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        print(run.stdout)
        if run.returncode != 0:
            sys.exit(f"{program}: exit code {run.returncode}")
        wrong = [f"the report does not say '{text}'" for text in expected if text not in run.stdout]
        wrong += [f"'{found}' is left" for found in FORBIDDEN.findall(without_comments(made.read_text()))]
        if wrong:
            sys.exit("\n".join(wrong))


main()
