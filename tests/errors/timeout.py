#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A simulated program that --timeout stops reports what ran until then and ends with exit code 1.

    timeout.py HEDDLE SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

HEDDLE, SOURCE = sys.argv[1:3]

# The first kernel ends, the second does not. What the program makes of the error is its argument.
PROGRAM = r"""
#include <cstdlib>
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void spin(volatile int *p) {
  for (int i = 0; p[0] == 1; ++i)
    p[1] = i; // else it would be a deadlock: no thread changes what it waits for
}
int main(int, char **words) {
  int *p, q[32];
  cudaMalloc(&p, sizeof q);
  fill<<<1, 32>>>(p);
  cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost);
  spin<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  switch (std::atoi(words[1])) {
  case 0: return 0;
  case 1: return 77;
  default: for (;;) {} // waits for a result that does not come
  }
}
"""

failures = []


def expect(name, words, texts, never="\0"):
    done = subprocess.run(words, capture_output=True, timeout=100, env=dict(os.environ, HEDDLE_DATA=SOURCE, NO_COLOR="1"))
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    wrong = [f"no '{text}'" for text in texts if text not in said]
    if never in said:
        wrong.append(f"'{never}'")
    if done.returncode != 1:
        wrong.append(f"exit code {done.returncode}, not 1")
    if wrong:
        failures.append(f"{name}: {', '.join(wrong)}\n{said}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "spin.cu")
        with open(file, "w") as out:
            out.write(PROGRAM)

        def words(verb, *more):
            return [HEDDLE, verb, file, "--compiler", "clang", "--timeout", "0.3", *more]

        stopped, ended = "did not end within 0.3 s", "it is killed"
        expect("run", words("run", "--", "0"), [stopped, "2 launches"])
        expect("run --quiet", words("run", "--quiet", "--", "0"), [stopped, "2 launches"])
        expect("run: the program's own code", words("run", "--", "1"), [stopped, "2 launches"])
        expect("run: does not end", words("run", "--", "2"), [stopped, ended, "2 launches"])
        # That the program drops the error of a kernel which we stopped is nothing to blame it for.
        expect("check", words("check", "--", "0"), [stopped], "error-ignored")
        expect("check: does not end", words("check", "--", "2"), [stopped, ended, "what came after is not checked"])
        expect("profile", words("profile", "--", "1"), [stopped, "fill"])
        expect("capture", words("capture", "-k", "spin", "-o", os.path.join(folder, "launch"), "--", "1"), [stopped, "cannot be captured: the launch fails"])
        expect("verify", [HEDDLE, "verify", file, file, "--compiler", "clang", "--timeout", "0.3", "--", "0"],
               [stopped, "nothing is verified"])
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
