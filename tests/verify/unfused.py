#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""opt --verify without --compiler, where nvcc is found: the second comparison, without fused operations, must build.

    unfused.py HEDDLE FOLDER

No directive writes a text that is fused differently by intention, so that a nvcc which swaps the program for another one takes
the compiler's place for the first comparison.
"""
import os
import stat
import subprocess
import sys
import tempfile

HEDDLE, FOLDER = sys.argv[1:3]

# Differs between two texts unless fusing is disabled: represents what a compiler does.
PROGRAM = r"""
#ifndef FUSED
#define FUSED 1 // while it is read
#endif
__global__ void k(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = FUSED; }
int main() {
  float *p, host[64];
  cudaMalloc(&p, sizeof host);
  k<<<1, 64>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
}
"""

WRAPPER = """#!/bin/sh
# Calls nvcc with -DFUSED=1, or 2 for the file of a temporary folder, unless -fmad=false is there.
fused=1
for word; do
  case "$word" in {temporary}/*.cu) fused=2;; esac
done
for word; do
  case "$word" in -fmad=false) fused=1;; esac
done
echo "$@" >> {log}
exec {nvcc} -DFUSED=$fused "$@"
"""


def main():
    nvcc = next(os.path.join(folder, "nvcc") for folder in
                [os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "bin")] + os.environ["PATH"].split(":")
                if os.access(os.path.join(folder, "nvcc"), os.X_OK))
    with tempfile.TemporaryDirectory() as folder:
        temporary, log = os.path.join(folder, "tmp"), os.path.join(folder, "log")
        os.mkdir(temporary)
        wrapper, program = os.path.join(folder, "nvcc"), os.path.join(folder, "program.cu")
        with open(wrapper, "w") as out:
            out.write(WRAPPER.format(temporary=temporary, nvcc=nvcc, log=log))
        os.chmod(wrapper, os.stat(wrapper).st_mode | stat.S_IXUSR)
        with open(program, "w") as out:
            out.write(PROGRAM)
        done = subprocess.run(
            [HEDDLE, "opt", program, "-o", os.path.join(folder, "out.cu"), "-d", "coarsen x=2", "--no-check", "--verify",
             "--cuda-path", "none"],
            capture_output=True, text=True, timeout=600,
            env=dict({name: value for name, value in os.environ.items() if name not in ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT")}, PATH=folder + ":" + os.environ["PATH"], TMPDIR=temporary))
        print(done.stdout + done.stderr)
        with open(log) as file:
            print(file.read())
        right = (done.returncode == 0 and "differ at device-to-host copy 1" in done.stdout
                 and "once more with -fmad=false" in done.stderr and "same: 1 device-to-host copy" in done.stdout)
        return not right


if __name__ == "__main__":
    sys.exit(main())
