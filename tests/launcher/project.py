#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/cmake-project, with its directives applied in one of the ways of docs/nvcc.md: it prints what the original prints on the simulator.

    simulated   each file is transformed by the launcher, with a compiler that copies it, and `heddle run` runs the result; needs no nvcc
    launcher    CMake and nvcc, with CMAKE_CUDA_COMPILER_LAUNCHER
    function    CMake and nvcc, with heddle_optimize() of an installation

Usage: project.py SOURCE BUILD WAY     exit 1 with what is wrong; 77 where nvcc or CMake is not installed, or with sanitizers
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, environment, **more):
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(condition, *what):
    if not condition:
        sys.exit("\n".join(str(each) for each in what))


class Project:
    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = source, build, folder
        self.heddle = build / "heddle"
        self.project = folder / "project with ü"
        shutil.copytree(source / "examples/cmake-project", self.project)
        self.cache = folder / "cache"
        self.environment = dict(os.environ, HEDDLE_LAUNCHER_CACHE=str(self.cache), LC_ALL="C.UTF-8")
        self.expected = self.on_simulator(self.project / "src")
        expect(self.expected.startswith("before "), self.expected)

    def on_simulator(self, folder):
        return run(self.heddle, "run", "--quiet", "--compiler", "clang", folder / "main.cu", folder / "filters.cu", f"-I{self.project}/include",
                   environment=self.environment)

    def texts(self):
        return [file.read_text() for file in self.cache.glob("*/*.cu")]

    # Ways

    def simulated(self):
        nvcc = self.folder / "nvcc"
        nvcc.symlink_to(self.source / "tests/launcher/fake-compiler")
        directives = self.folder / "directives.txt"
        directives.write_text("difference: coarsen x=2\n")
        out = self.folder / "out"
        out.mkdir()
        for name in ("main", "filters"):
            messages = run(self.heddle, "nvcc", nvcc, "-arch=sm_80", "-Iinclude", "-Werror=heddle", "-c", f"src/{name}.cu", "-o", out / f"{name}.cu",
                           cwd=self.project, environment=dict(self.environment, HEDDLE_DIRECTIVES=str(directives)))
            expect("warning" not in messages, messages)
        for name, kernels in (("main", ("scale", "difference")), ("filters", ("scale", "sumOfNeighbours"))):
            text = (out / f"{name}.cu").read_text()
            for kernel in kernels:
                body = text[text.index(f"void {kernel}("):]
                expect("kx" in body[:body.index("\n}")], f"{kernel} in {name}.cu was not transformed", text)
        expect(self.on_simulator(out) == self.expected, "other results")

    def launcher(self):
        self.configure(f"-DCMAKE_CUDA_COMPILER_LAUNCHER={self.heddle};nvcc")
        self.build_and_compare()
        expect(len(self.texts()) == 2, self.texts())
        # A header with directives is a dependency of both, though their texts do not include it any more.
        header = self.project / "include/kernels.h"
        header.write_text(header.read_text().replace("coarsen x = 4", "coarsen x = 2"))
        again = self.build_and_compare()
        expect("main.cu" in again and "filters.cu" in again and len(self.texts()) == 4, again)
        expect("no work to do" in self.build_and_compare(), "it is built again for no reason")

    def function(self):
        prefix = self.folder / "installation"
        run("cmake", "--install", self.build, "--prefix", prefix, environment=self.environment)
        self.configure("-DSMOOTH_USE_FUNCTION=ON", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.build_and_compare()
        expect(len(self.texts()) == 2, self.texts())
        main = [text for text in self.texts() if "roughness" in text]
        expect(len(main) == 1 and "kx" in main[0][main[0].index("void difference("):main[0].index("roughness")], main)
        # Other directives: the file that has them is compiled again.
        lists = self.project / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("difference: coarsen x=2", "difference: coarsen x=4"))
        again = self.build_and_compare()
        expect("main.cu" in again and "filters.cu" not in again and len(self.texts()) == 3, again)

    # CMake, for programs on the simulator

    def configure(self, *settings):
        path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])
        for program in ("nvcc", "cmake", "ninja"):
            if not shutil.which(program, path=path):
                print(f"skipped: there is no {program}")
                sys.exit(77)
        if "HEDDLE_SANITIZE:BOOL=ON" in (self.build / "CMakeCache.txt").read_text():
            print("skipped: nvcc does not link the sanitizers' runtime, which the library of this build needs")
            sys.exit(77)
        library = self.build / "lib"
        run("cmake", "-G", "Ninja", "-S", self.project, "-B", self.folder / "out", f"-DCMAKE_CUDA_COMPILER={shutil.which('nvcc', path=path)}",
            "-DCMAKE_CUDA_ARCHITECTURES=90-virtual", "-DCMAKE_CUDA_RUNTIME_LIBRARY=None", "-DCMAKE_CUDA_FLAGS=--no-compress",
            f"-DCMAKE_CUDA_STANDARD_LIBRARIES=-L{library} -lheddle_cudart -Wl,-rpath,{library}", "-DCMAKE_CUDA_COMPILER_FORCED=ON", *settings,
            environment=self.environment)

    def build_and_compare(self):
        said = run("cmake", "--build", self.folder / "out", "-v", environment=self.environment)
        expect("warning" not in said, said)
        printed = run(self.folder / "out/smooth", environment=self.environment)
        expect(printed == self.expected, "other results:", printed, self.expected)
        return said


def main():
    source, build = (Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="heddle-project-") as folder:
        getattr(Project(source, build, Path(folder).resolve()), sys.argv[3])()


if __name__ == "__main__":
    main()
