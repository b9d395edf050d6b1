#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle opt --depfile`: a build makes the output again when a header changes that the input includes.

Usage: depfile.py HEDDLE     exit 1 with what is wrong
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = """\
#include "size.h"
#include <system.h>
#include <cstdio>
static __global__ void scale(float *values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
void start(float *values) { scale<<<4, THREADS>>>(values); }
"""
FILES = {"a b.cu": KERNEL, "inc/size.h": '#pragma once\n#ifdef NEVER\n#include "none.h"\n#endif\n#include "inner.h"\n',
         "inc/inner.h": "#define THREADS 256\n", "sys/system.h": "\n", "other.cu": '#include "size.h"\nint threads() { return THREADS; }\n'}


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(str(each) for each in what))


def main(heddle):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for file, text in FILES.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text)

        def opt(*words):
            command = [heddle, "opt", *words, "-Iinc", "-isystem", "sys", "-d", "coarsen x=2", "--no-check", "--compiler", "clang"]
            return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def rule(targets, files):
            return f"{targets}:" + "".join(f" \\\n  {folder}/{file}" for file in files) + "\n"

        headers = ["inc/inner.h", "inc/size.h"]
        done = opt("a b.cu", "-o", "out.cu", "--depfile", "out.d")
        check(done.returncode == 0, done.stderr)
        check((folder / "out.d").read_text() == rule("out.cu", ["a\\ b.cu", *headers]), (folder / "out.d").read_text())

        done = opt("a b.cu", "other.cu", "--output-dir", "new", "--depfile", "new.d")
        check(done.returncode == 0, done.stderr)
        text = (folder / "new.d").read_text()
        check(text == rule("new/a\\ b.cu new/other.cu", ["a\\ b.cu", *headers, "other.cu"]), text)

        # Nothing is written where the output is not.
        done = opt("a b.cu", "-o", "refused.cu", "--depfile", "refused.d", "-d", "coarsen x=5")
        check(done.returncode == 1 and not (folder / "refused.d").exists(), done.stderr)
        done = opt("a b.cu", "--in-place", "--depfile", "out.d")
        check(done.returncode == 2 and "--depfile" in done.stderr, done.stderr)
        done = opt("a b.cu", "-o", "out.cu", "--depfile", "nowhere/out.d")
        check(done.returncode == 4 and "nowhere" in done.stderr, done.returncode, done.stderr)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
