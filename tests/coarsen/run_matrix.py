#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coarsens a program in many ways; each result must compute the same, bit for bit, and compile without a warning.

Comments at the top of a program say what holds for it:
  // axes: x y xy            what to coarsen along (x where nothing is said); 'grid' merges blocks
  // args: 64 8              the program's arguments
  // then: scalar-replace    a directive that follows
  // refuses: REGEX: REASON  directives that match REGEX must be refused, with a message that holds REASON
A factor that does not divide a block is refused everywhere; anything else that is refused is a failure.

Usage: run_matrix.py HEDDLE PROGRAM.cu [--full] [--nvcc PATH] [--keep DIR]
Without --full a few of the ways are tried, others for each program, so that all programs together cover all of them.
"""
import argparse
import itertools
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

FACTORS = (2, 4, 8, 16)
MAPS = ("interleaved", "blocked")
# The examples are shown to people as they are: what is true of them stands here.
EXAMPLE_AXES = {name: ["x", "y", "xy"] for name in ("heat2d", "matmul_tiled", "transpose_tiled", "mandelbrot")}

EXAMPLE_THEN = {"stencil2pt": "scalar-replace", "heat2d": "scalar-replace"}


def facts_of(program):
    axes, arguments, refusals, then = EXAMPLE_AXES.get(program.stem, ["x"]), [], [], EXAMPLE_THEN.get(program.stem)
    for line in program.read_text().splitlines():
        if m := re.match(r"// axes: (.*)", line):
            axes = m[1].split()
        elif m := re.match(r"// args: (.*)", line):
            arguments = m[1].split()
        elif m := re.match(r"// then: (.*)", line):
            then = m[1]
        elif m := re.match(r"// refuses: (.*?): (.*)", line):
            refusals.append((re.compile(m[1]), m[2]))
    return axes, arguments, refusals, then


def ways(axes):
    for axis, factor, way in itertools.product(axes, FACTORS, MAPS):
        words = [f"{key}={factor}" for key in re.findall(r"grid|[xyz]", axis)]
        yield f"coarsen {' '.join(words)} map={way}"


def few(all_ways, name):
    """Three of them, chosen by the program's name: the same in every run, others for the next program."""
    start = zlib.crc32(name.encode())
    return [all_ways[(start + i * len(all_ways) // 3) % len(all_ways)] for i in range(min(3, len(all_ways)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("program", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--nvcc")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    axes, arguments, refusals, then = facts_of(given.program)
    chosen = list(ways(axes)) if given.full else few(list(ways(axes)), given.program.stem)
    verified = refused = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, directive in enumerate(chosen):
            out = (given.keep or Path(folder)) / f"{given.program.stem}.{number}.cu"
            command = [given.heddle, "opt", str(given.program), "-o", str(out), "-d", directive + (f"; {then}" if then else ""), "--verify",
                       "--compiler", "clang", "--cuda-path", "none", "--timeout", "60", "-Wall", "-Werror"]
            done = subprocess.run(command + ["--"] + arguments, text=True, capture_output=True)
            text = done.stdout + done.stderr
            reason = next((r for pattern, r in refusals if pattern.search(directive)), None)
            if done.returncode == 1 and ": refused: " in text and (
                    "does not divide by" in text or (reason and reason in text)):
                refused += 1
                if out.exists():
                    failed += 1
                    print(f"{directive}: refused, and something was written")
                continue
            if done.returncode != 0 or reason or "same: " not in text:
                failed += 1
                wanted = f"a refusal with '{reason}'" if reason else "the same results"
                print(f"$ {' '.join(command)} -- {' '.join(arguments)}\nwanted {wanted}, exit {done.returncode}\n{text}")
                continue
            verified += 1
            if given.nvcc and (given.full or verified == 1):
                nvcc = subprocess.run(
                    [given.nvcc, "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall", "-c", "-o", "/dev/null",
                     f"-I{given.program.parent}", "-isystem", str(Path(__file__).parents[2] / "runtime"), str(out)],
                    text=True, capture_output=True)
                if nvcc.returncode != 0:
                    failed += 1
                    print(f"{directive}: nvcc is not content\n{nvcc.stdout}{nvcc.stderr}")
    print(f"{given.program.stem}: {verified} verified, {refused} refused as they must be, {failed} failed")
    sys.exit(1 if failed or not verified + refused else 0)


main()
