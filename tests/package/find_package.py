#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cmake --install` gives what a project of a user needs: find_package(Heddle) from a folder that was moved after the installation, headers, man
pages and completion scripts. The project is tests/package/consumer.

Usage: find_package.py SOURCE BUILD     exit 1 with what is wrong
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

INSTALLED = [
    "bin/heddle", "bin/heddle-runner", "include/heddle/launch.cuh", "lib/cmake/Heddle/HeddleConfig.cmake", "lib/cmake/Heddle/HeddleOptimize.cmake", "lib/heddle/libheddle_cudart.so", "lib/heddle/libheddle_jit.so",
    "share/heddle/arch/sm_90.json", "share/heddle/runtime/cuda/cuda_runtime.h", "share/man/man1/heddle.1", "share/man/man1/heddle-opt.1", "share/man/man1/heddle-runner.1",
    "share/bash-completion/completions/heddle", "share/zsh/site-functions/_heddle", "share/fish/vendor_completions.d/heddle.fish",
    "share/doc/heddle/LICENSE",
]


def run(*command):
    # A Heddle that the environment points to must not hide what the installation lacks.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_") or name in ("HEDDLE_HEADER_CACHE", "HEDDLE_COMPILE_CACHE")}
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    return done.returncode, done.stdout


def succeed(*command):
    status, text = run(*command)
    if status != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit {status}\n{text}")


def main(source, build):
    with tempfile.TemporaryDirectory(prefix="heddle-install-") as temporary:
        first, prefix, project = (Path(temporary) / name for name in ("first", "moved to here", "consumer"))
        succeed("cmake", "--install", build, "--prefix", first)
        first.rename(prefix)
        lacking = [file for file in INSTALLED if not (prefix / file).is_file()]
        if lacking:
            sys.exit(f"not installed: {', '.join(lacking)}")

        configure = ["cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSAXPY={source}/examples/saxpy.cu"]
        succeed(*configure, "-S", source / "tests/package/consumer", "-B", project)
        succeed("cmake", "--build", project)
        if "threadIdx.x + kx * blockDim.x" not in (project / "saxpy.cu").read_text():
            sys.exit("the kernel of saxpy.cu was not transformed")

        # Another minor version is another interface.
        other = Path(temporary) / "other"
        other.mkdir()
        (other / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(other NONE)\nfind_package(Heddle 0.1 REQUIRED)\n")
        status, text = run(*configure, "-S", other, "-B", other / "build")
        if status == 0 or "requested version" not in text:
            sys.exit(f"find_package(Heddle 0.1) accepts this version\n{text}")


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:3]))
