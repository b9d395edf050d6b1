#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Carries out the directives that are in a program; the result must compute the same, bit for bit, and compile
without a warning.

Comments in a program say what else must hold of the result:
  // args: 64 8           the program's arguments
  // becomes: TEXT        a line of it, white space at both ends left out
  // leaves no: TEXT      what it must not hold

Usage: run_loops.py HEDDLE PROGRAM.cu [--nvcc PATH] [--keep FILE]
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def complaints(program, out):
    lines = [line.strip() for line in out.splitlines()]
    for line in program.splitlines():
        if (m := re.match(r"\s*// becomes: (.*)", line)) and m[1].strip() not in lines:
            yield f"no line is: {m[1]}"
        if (m := re.match(r"\s*// leaves no: (.*)", line)) and any(m[1] in one and "// leaves no" not in one for one in lines):
            yield f"there still is: {m[1]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("program", type=Path)
    parser.add_argument("--nvcc")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    text = given.program.read_text()
    arguments = next((m[1].split() for m in re.finditer(r"// args: (.*)", text)), [])
    with tempfile.TemporaryDirectory() as folder:
        out = given.keep or Path(folder) / given.program.name
        command = [given.heddle, "opt", str(given.program), "-o", str(out), "--verify", "--compiler", "clang",
                   "--cuda-path", "none", "--timeout", "60", "-Wall", "-Werror", "-Wno-unknown-pragmas",
                   "-Wno-dangling-else",  # the given programs have some on purpose
                   "--"] + arguments
        done = subprocess.run(command, text=True, capture_output=True)
        if done.returncode != 0 or "same: " not in done.stdout:
            sys.exit(f"$ {' '.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
        failed = list(complaints(text, out.read_text()))
        if given.nvcc:
            nvcc = subprocess.run([given.nvcc, "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall", "-c", "-o",
                                   "/dev/null", f"-I{given.program.parent}", str(out)], text=True, capture_output=True)
            if nvcc.returncode != 0:
                failed.append(f"nvcc is not content\n{nvcc.stdout}{nvcc.stderr}")
        if failed:
            sys.exit("\n".join(failed) + "\n\n" + out.read_text())


main()
