#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reproducer.py ROOT BUILD: the folder that `heddle capture` writes is complete by itself.

A program of several files with headers in three places is captured on the simulator; then its sources are removed, and the folder is
moved. The Makefile must build the program that replays, with g++ and without a warning (and the kernel, where there is nvcc). The replay is made on the
simulator, with the kernel as Clang compiles it from the folder: results must be those that were captured, and other ones where the kernel's
source was changed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
FILES = {
    "app/main.cu": """#include "step.h"
#include <cstdio>
#include <vector>
int main() {
  std::vector<float> values(COUNT, 2.0f);
  float *device = nullptr;
  cudaMalloc(&device, COUNT * sizeof(float));
  cudaMemcpy(device, values.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice);
  launchStep(device);
  cudaMemcpy(values.data(), device, COUNT * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%f\\n", values[COUNT - 1]);
}
""",
    "app/kernels/step.cu": """#include "../../common/scale.h"
#include "step.h"
namespace solver {
__global__ void step(float *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT)
    values[i] = scaled(values[i]) + float(i);
}
} // namespace solver
void launchStep(float *values) { solver::step<<<(COUNT + 127) / 128, 128>>>(values); }
""",
    "app/include/step.h": "#pragma once\nvoid launchStep(float *values);\n",
    "common/scale.h": "#pragma once\n__device__ inline float scaled(float value) { return 3.0f * value; }\n",
}


def run(words, expected=0, **more):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **more)
    if done.returncode != expected:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}, wanted {expected}\n{done.stdout}")
    return done.stdout


def clang_flags(runtime, arch):
    """Those of runtime/cuda/flags.txt that make PTX."""
    sections, name = {}, None
    for line in (runtime / "flags.txt").read_text().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line and not line.startswith("#"):
            sections[name].append(line.replace("${RUNTIME}", str(runtime)).replace("${ARCH}", arch))
    return sections["all"] + sections["device"]


def replay(folder, expected):
    makefile = (folder / "Makefile").read_text()
    flags = re.search(r"^FLAGS \?= (.*)", makefile, re.M)[1].split()
    source = re.search(r"\$\(FLAGS\) (\S+) -o", makefile)[1]
    run(["clang++-22", *clang_flags(ROOT / "runtime/cuda", "sm_90"), "-O3", *flags, source, "-o", "kernel.ptx"], cwd=folder)
    return run(["./heddle-replay", ".", "--cubin", "kernel.ptx", "--driver", BUILD / "lib/libheddle_cudart.so"], expected, cwd=folder)


def main():
    if not shutil.which("make") or not shutil.which("g++"):
        print("no make or no g++ here")
        sys.exit(77)
    if "HEDDLE_SANITIZE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text():
        print("skipped: the program of the folder is not linked to the sanitizers' runtime, which the library of this build needs")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        base = pathlib.Path(temporary)
        for name, text in FILES.items():
            (base / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
            (base / "sources" / name).write_text(text)
        print(run([BUILD / "heddle", "capture", "main.cu", "kernels/step.cu", "-Iinclude", "-DCOUNT=1000", "--compiler", "clang", "-k", "step",
                   "-o", base / "captured"], cwd=base / "sources/app"))
        shutil.rmtree(base / "sources")
        folder = base / "another place"
        os.rename(base / "captured", folder)
        copied = sorted(str(path.relative_to(folder / "source")) for path in (folder / "source").rglob("*.*") if path.is_file())
        if copied != ["app/include/step.h", "app/kernels/step.cu", "common/scale.h"]:
            sys.exit(f"copied: {copied}")
        # Not optimized, which would take twice as long as all the rest of this test.
        run(["make", "CXX=g++", "CXXFLAGS=-O0 -Wall -Wextra -Werror", "heddle-replay"], cwd=folder)
        print(replay(folder, 0))
        if shutil.which("nvcc"):
            run(["make", "kernel.cubin"], cwd=folder)
        header = folder / "source/common/scale.h"
        header.write_text(header.read_text().replace("3.0f", "3.5f"))
        print(replay(folder, 1))


main()
