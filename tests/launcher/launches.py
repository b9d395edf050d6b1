#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle nvcc` with a compiler that records how it is called (fake-compiler), and with real ones.

Usage: launches.py HEDDLE CASE     exit 1 with what is wrong; 77 where the compiler that the case needs is not installed
       launches.py --list CASE...     exit 1 if these are not all
"""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = {}

KERNEL = """\
#include <cstdio>

{pragma}
__global__ void scale(float *values, float factor, int count) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= factor;
}}

int main() {{
  float *values = nullptr;
  cudaMalloc(&values, 1024 * sizeof(float));
  scale<<<4, 256>>>(values, 2, 1024);
  std::printf("%s:%d\\n", __FILE__, __LINE__);
  return cudaDeviceSynchronize();
}}
"""
WITH_PRAGMA = KERNEL.format(pragma="#pragma heddle coarsen x=2")
WITHOUT_PRAGMA = KERNEL.format(pragma="//")
REFUSED = KERNEL.format(pragma="#pragma heddle coarsen x=5")
TRANSFORMED = "blockDim.x * 2"
# Without these the compiler warns of a pragma that is left, which is an error in many a build.
PRAGMA_LEFT = ["-Xcompiler=-Wno-unknown-pragmas", "-diag-suppress=20199"]


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(str(each) for each in what))


class Place:
    """A folder with sources, compilers called nvcc and clang++, and a cache of its own."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        self.bin, self.cache, self.log = folder / "bin", folder / "cache", folder / "arguments"
        self.bin.mkdir()
        for name in ("nvcc", "clang++"):
            (self.bin / name).symlink_to(HERE / "fake-compiler")

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return name

    def environment(self, **more):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_") or name in ("HEDDLE_HEADER_CACHE", "HEDDLE_COMPILE_CACHE", "HEDDLE_DATA")}
        environment.update(HEDDLE_LAUNCHER_CACHE=str(self.cache), FAKE_ARGUMENTS=str(self.log), PATH=f"{self.bin}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        environment.update(more)
        return environment

    def run(self, *words, cwd=None, text=None, **more):
        """The result of `heddle nvcc WORDS`, with the arguments that the compiler got as `arguments`; None if it was not called."""
        self.log.unlink(missing_ok=True)
        done = subprocess.run([self.heddle, "nvcc", *words], cwd=cwd or self.folder, env=self.environment(**more), input=text, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        done.arguments = self.log.read_text().splitlines() if self.log.exists() else None
        return done

    def entries(self):
        return sorted(path for path in self.cache.iterdir()) if self.cache.exists() else []

    def read(self, name):
        return (self.folder / name).read_text()


def passes_unchanged(place, *words, **more):
    done = place.run("nvcc", *words, **more)
    check(done.arguments == list(words), f"{words} was called with {done.arguments}", done.stderr)
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(place.entries() == [], "something is in the cache")


@case
def without_pragma_nothing_changes(place):
    place.write("a.cu", WITHOUT_PRAGMA)
    passes_unchanged(place, "-O3", "-c", "a.cu", "-o", "a.o", "-DX=a b", "", "-MD")
    passes_unchanged(place, "a.o", "b.o", "-o", "program")
    passes_unchanged(place, "--version")
    passes_unchanged(place, "-v")
    place.write("a.rsp", "-c a.cu -o a.o")
    passes_unchanged(place, "-optf", "a.rsp")


@case
def what_is_not_compiled_is_passed_on(place):
    place.write("a.cu", WITH_PRAGMA)
    passes_unchanged(place, "-E", "a.cu")
    passes_unchanged(place, "-M", "a.cu")
    passes_unchanged(place, "-MM", "-MF", "a.d", "a.cu")
    passes_unchanged(place, "--dryrun", "-c", "a.cu")
    passes_unchanged(place, "-x", "cu", "-c", "-", text=WITH_PRAGMA)
    passes_unchanged(place, "-c", "a.cu", "-o")  # the compiler complains
    passes_unchanged(place, "-x", "c++", "-c", "a.cu")
    done = place.run("nvcc", "-c", "nowhere.cu")
    check(done.arguments == ["-c", "nowhere.cu"], done.arguments)


@case
def pragmas_are_carried_out(place):
    place.write("src/a.cu", WITH_PRAGMA)
    done = place.run("nvcc", "-O3", "-arch=sm_80", "-c", "src/a.cu", "-o", "a.o")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(done.stdout == "fake compiler: done\n", done.stdout)
    (entry,) = place.entries()
    expected = ['-Xcompiler=-iquote,"src"', "-O3", "-arch=sm_80", "-c", str(entry / "a.cu"), "-o", "a.o"]
    check(done.arguments == expected, done.arguments)
    text = place.read("a.o")
    check(TRANSFORMED in text and "pragma heddle" not in text, text)
    check(text.startswith('#line 1 "src/a.cu"\n'), text)
    # Lines that were there keep their numbers.
    check(line_of(text, "cudaMalloc") == ("src/a.cu", 12), line_of(text, "cudaMalloc"))
    check(line_of(text, "std::printf") == ("src/a.cu", 14), line_of(text, "std::printf"))

    again = place.run("nvcc", "-O3", "-arch=sm_80", "-c", "src/a.cu", "-o", "a.o")
    check(again.arguments == expected and place.entries() == [entry], "the result is not found in the cache")
    place.run("nvcc", "-O3", "-arch=sm_90", "-c", "src/a.cu")
    check(len(place.entries()) == 2, "other flags have the same key")
    place.write("src/a.cu", "\n" + WITH_PRAGMA)
    place.run("nvcc", "-O3", "-arch=sm_80", "-c", "src/a.cu")
    check(len(place.entries()) == 3, "another text has the same key")
    check(line_of(place.read("a.o"), "cudaMalloc") == ("src/a.cu", 13), "the object is named by the source")

    # Clang's words.
    done = place.run("clang++", "--cuda-gpu-arch=sm_80", "-c", "src/a.cu")
    check(done.arguments[:2] == ["-iquote", "src"] and done.arguments[-1].endswith("/a.cu"), done.arguments)
    # After -- it takes all words for files: options are added before it.
    place.write("src/b.cu", WITH_PRAGMA.replace("main()", "main(int count, char **)").replace("<<<4, 256>>>", "<<<4, 32 * count>>>"))
    done = place.run("clang++", "--cuda-gpu-arch=sm_80", "-c", "--", "src/b.cu")
    check(done.arguments[-4:-2] == ["-isystem", done.arguments[-3]] and done.arguments[-2] == "--", done.arguments)
    check(done.arguments[-1].startswith(str(place.cache)), done.arguments)


def line_of(text, part):
    """Which file and line a compiler says that the first line with `part` is."""
    file, number = None, 0
    for line in text.splitlines():
        directive = re.fullmatch(r'#line (\d+)(?: "(.*)")?', line)
        if directive:
            number, file = int(directive[1]), directive[2] or file
            continue
        if part in line:
            return file, number
        number += 1
    return None


@case
def refusals_are_warnings(place):
    place.write("a.cu", REFUSED)
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(done.returncode == 0 and done.arguments == ["-c", "a.cu", "-o", "a.o", *PRAGMA_LEFT], done.arguments)
    first = done.stderr.splitlines()[0]
    check(re.match(r"a\.cu:13:\d+: warning: coarsen x=5: the block of this launch is 256 in x, which is not divisible by 5 \[-Wheddle\]$", first), done.stderr)
    check("[coarsen]" not in done.stderr, done.stderr)
    again = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(again.stderr == done.stderr, "the warning is not given again from the cache", again.stderr)

    for words in (["--color", "always"], ["--color=never", "--color=always"]):
        colored = place.run(*words, "nvcc", "-c", "a.cu", "-o", "a.o")
        check("\033[1;35mwarning:\033[0m coarsen x=5:" in colored.stderr, colored.stderr)
        check(colored.arguments == done.arguments, colored.arguments)
    wrong = place.run("--color", "purple", "nvcc", "-c", "a.cu")
    check(wrong.returncode == 2 and wrong.arguments is None and "--color" in wrong.stderr, wrong.stderr)

    silent = place.run("nvcc", "-Wno-heddle", "-c", "a.cu", "-o", "a.o")
    check(silent.stderr == "" and silent.arguments == ["-c", "a.cu", "-o", "a.o", *PRAGMA_LEFT], silent.stderr, silent.arguments)
    error = place.run("nvcc", "-c", "-Werror=heddle", "a.cu", "-o", "a.o")
    check(error.returncode == 1 and error.arguments is None, error.arguments)
    check(": error: coarsen x=5:" in error.stderr and "[-Werror=heddle]" in error.stderr, error.stderr)

    place.write("b.cu", WITH_PRAGMA)
    variable = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_WERROR="1")
    check((variable.returncode, variable.stderr) == (error.returncode, error.stderr), variable.stderr)
    for words, value in ((["-Wno-error=heddle"], "1"), ([], "0"), ([], "")):
        warned = place.run("nvcc", "-c", *words, "a.cu", "-o", "a.o", HEDDLE_WERROR=value)
        check(warned.returncode == 0 and ": warning: coarsen x=5:" in warned.stderr, warned.stderr)
    accepted = place.run("nvcc", "-c", "-Werror=heddle", "b.cu", "-o", "b.o")
    check(accepted.returncode == 0 and "-Werror=heddle" not in accepted.arguments, accepted.stderr, accepted.arguments)
    place.write("flags.rsp", "-Werror=heddle -c 'a.cu'")
    in_file = place.run("nvcc", "-optf", "flags.rsp", "-Wno-error=heddle")
    check(in_file.arguments == ["-c", "a.cu", *PRAGMA_LEFT], in_file.arguments)


@case
def what_is_not_checked_is_a_warning(place):
    """The same texts as those of `heddle opt`."""
    place.write("a.cu", WITH_PRAGMA.replace("__global__", "static __global__").replace("int main() {", "int start(int threads) {").replace("<4, 256>", "<4, threads>"))
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(re.match(r"a\.cu:13: warning: not checked: this launch of kernel 'scale': its block is not known.* \[-Wheddle\]\n", done.stderr), done.stderr)
    check(done.returncode == 0 and TRANSFORMED in place.read("a.o"), done.stderr)
    again = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(again.stderr == done.stderr, "the warning is not given again from the cache", again.stderr)
    error = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_WERROR="1")
    check(error.returncode == 1 and error.arguments is None and ": error: not checked:" in error.stderr, error.stderr)
    # A property that depends on data.
    place.write("b.cu", WITH_PRAGMA.replace("values[i] *= factor", "values[int(values[i])] = factor"))
    done = place.run("nvcc", "-c", "b.cu", "-o", "b.o", HEDDLE_ASSUME="no-overlap")
    if TRANSFORMED in place.read("b.o"):
        check("b.cu: warning: kernel 'scale': undecided: global-memory races" in done.stderr, done.stderr)


@case
def remarks_are_no_errors(place):
    place.write("a.cu", KERNEL.format(pragma="#pragma heddle coarsen x=1"))
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_WERROR="1")
    check(re.match(r"a\.cu:4:\d+: remark: coarsen x=1: left unchanged: all factors are 1.*[^\]]\n", done.stderr), done.stderr)
    check(done.returncode == 0 and done.arguments == ["-c", "a.cu", "-o", "a.o", *PRAGMA_LEFT], done.arguments)
    again = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_WERROR="1")
    check((again.returncode, again.stderr) == (0, done.stderr), "the remark is not given again from the cache", again.stderr)
    silent = place.run("nvcc", "-Wno-heddle", "-c", "a.cu", "-o", "a.o")
    check(silent.stderr == "", silent.stderr)
    # What the user states is known to the user.
    place.write("b.cu", WITH_PRAGMA)
    done = place.run("nvcc", "-c", "b.cu", "-o", "b.o", HEDDLE_WERROR="1", HEDDLE_ASSUME="whole-program")
    check(done.stderr == "b.cu: remark: assumed: no other file launches a kernel of this one or calls its functions [HEDDLE_ASSUME=whole-program]\n", done.stderr)
    check(done.returncode == 0 and TRANSFORMED in place.read("b.o"), done.returncode)
    # A GPU without a table.
    done = place.run("nvcc", "-arch=sm_87", "-c", "b.cu", "-o", "b.o", HEDDLE_WERROR="1")
    check(done.stderr == "b.cu: remark: there is no table for sm_87: directives use the limits of sm_86\n", done.stderr)
    check(done.returncode == 0 and TRANSFORMED in place.read("b.o"), done.returncode)


@case
def one_refusal_does_not_stop_the_others(place):
    other = WITH_PRAGMA.replace("scale", "other").replace("int main()", "int otherMain()").replace("#include <cstdio>\n", "")
    place.write("a.cu", REFUSED + other)
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(done.stderr.count("warning:") == 1, done.stderr)
    text = place.read("a.o")
    check(TRANSFORMED in text[text.index("void other"):] and TRANSFORMED not in text[:text.index("void other")], text)
    check("pragma heddle" not in text, text)


@case
def misspelled_pragmas_are_warnings(place):
    place.write("a.cu", KERNEL.format(pragma="#pragma heddle coarsn x=2"))
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check(re.match(r"a\.cu:3:\d+: warning: .*coarsn.*\[-Wheddle\]\n", done.stderr), done.stderr)
    check(done.returncode == 0 and done.arguments == ["-c", "a.cu", "-o", "a.o", *PRAGMA_LEFT], done.arguments)
    # What Clang cannot read is left to the compiler.
    place.write("a.cu", WITH_PRAGMA + "int x = undeclared;\n")
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
    check("a.cu: warning: the directives of this file are not applied, since Clang cannot read it [-Wheddle]" in done.stderr, done.stderr)
    check("a.cu:17:9: note: use of undeclared identifier 'undeclared'" in done.stderr, done.stderr)
    check(done.returncode == 0 and done.arguments == ["-c", "a.cu", "-o", "a.o", *PRAGMA_LEFT], done.arguments)


@case
def pragmas_that_are_left_are_no_warnings(place):
    """A refused directive is our warning alone: builds that allow none of the compiler's go on."""
    quiet = KERNEL.replace("values[i] *= factor;", "{body}values[i] *= factor;")
    loop = "for (int j = 0; j < count; ++j) "
    place.write("all/a.cu", quiet.format(pragma="#pragma heddle coarsen x=5", body="\n    #pragma heddle interchange\n    " + loop))
    place.write("one/a.cu", quiet.format(pragma="#pragma heddle coarsen x=2", body="") + '_Pragma("heddle coarsen x=2") __global__ void empty() {}\n')
    place.write("header/a.h", "#pragma once\n#pragma heddle coarsen x=5\n__global__ void other(float *a) { a[threadIdx.x] = 0; }\n")
    start = "void start(float *a) { other<<<1, 64>>>(a); }\n"
    place.write("header/a.cu", '#include "a.h"\n' + start)
    place.write("embedded/a.h", place.read("header/a.h"))
    place.write("embedded/a.cu", '#include "a.h"\n' + WITH_PRAGMA + start)
    place.write("none/a.cu", WITH_PRAGMA)
    for folder, is_left in (("all", True), ("one", True), ("header", True), ("embedded", False), ("none", False)):
        done = place.run("nvcc", "-c", f"{folder}/a.cu", "-o", "a.o")
        check((done.arguments[-2:] == PRAGMA_LEFT) == is_left, folder, done.arguments, done.stderr)
        check((TRANSFORMED in place.read("a.o")) == (folder not in ("all", "header")), folder, place.read("a.o"))
    done = place.run("clang++", "--cuda-gpu-arch=sm_80", "-c", "--", "all/a.cu")
    check(done.arguments == ["--cuda-gpu-arch=sm_80", "-c", "-Wno-unknown-pragmas", "--", "all/a.cu"], done.arguments)


@case
def with_nvcc_and_errors(place):
    nvcc = real("nvcc", "/usr/local/cuda/bin")
    place.write("a.cu", REFUSED.replace("values[i] *=", "\n    #pragma heddle interchange\n    for (int j = 0; j < count; ++j)\n      values[i] *="))
    words = ["-arch=sm_80", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Werror", "-c", "a.cu", "-o", "a.o"]
    plain = subprocess.run([nvcc, *words], cwd=place.folder, capture_output=True, text=True)
    check(plain.returncode != 0, "the compiler does not mind")
    done = place.run(nvcc, *words)
    check(done.returncode == 0 and "warning: coarsen x=5:" in done.stderr and "unknown-pragmas" not in done.stderr, done.stderr)


@case
def headers_have_pragmas_too(place):
    kernel = WITH_PRAGMA[WITH_PRAGMA.index("#pragma"):WITH_PRAGMA.index("int main")]
    place.write("inc/kernel.h", '#pragma once\n#include "factor.h"\n' + kernel)
    place.write("inc/factor.h", "#define FACTOR 2\n")
    place.write("src/a.cu", '#include "kernel.h"\n#include <cstdio>\n' + WITH_PRAGMA[WITH_PRAGMA.index("int main"):].replace(", 2,", ", FACTOR,"))
    done = place.run("nvcc", "-Iinc", "-MD", "-MF", "a.d", "-c", "src/a.cu", "-o", "a.o")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    text = place.read("a.o")
    check(TRANSFORMED in text, text)
    check(line_of(text, "__global__ void scale") == ("inc/kernel.h", 4), line_of(text, "__global__ void scale"))
    check(line_of(text, "cudaMalloc")[0] == "src/a.cu", line_of(text, "cudaMalloc"))
    check(place.read("a.d") == "a.o: src/a.cu \\\n  fixed.h \\\n  inc/kernel.h\n", place.read("a.d"))
    (entry,) = place.entries()
    place.write("inc/factor.h", "#define FACTOR 3\n")
    place.run("nvcc", "-Iinc", "-MD", "-MF", "a.d", "-c", "src/a.cu", "-o", "a.o")
    check(len(place.entries()) == 2, "another header has the same key")
    # A header of -isystem must not be changed.
    done = place.run("nvcc", "-isystem", "inc", "-c", "src/a.cu", "-o", "a.o")
    check("src/a.cu" in done.arguments, done.arguments)


@case
def headers_may_be_reached_twice(place):
    """A header with a kernel and `#pragma once` that a file includes by several paths: its text is there once."""
    place.write("inc/kernel.h", "#pragma once\n" + WITH_PRAGMA[:WITH_PRAGMA.index("int main")].replace("__global__", "static __global__"))
    place.write("inc/start.h", '#pragma once\n#include "kernel.h"\ninline void start(float *values) { scale<<<4, 256>>>(values, 2, 1024); }\n')
    (place.folder / "link").symlink_to("inc")
    rest = WITH_PRAGMA[WITH_PRAGMA.index("int main"):].replace("return", "start(values);\n  return")
    for includes in ("<kernel.h> <start.h>", "<start.h> <kernel.h>", '"../inc/start.h" <start.h> "../inc/../inc/kernel.h"', '<link/kernel.h> "../inc/start.h" <kernel.h>'):
        place.write("src/a.cu", "".join(f"#include {each}\n" for each in includes.split()) + rest)
        done = place.run("nvcc", "-Iinc", "-I.", "-MD", "-c", "src/a.cu", "-o", "a.o")
        text = place.read("a.o")
        check(done.returncode == 0 and done.stderr == "", includes, done.stderr)
        check(TRANSFORMED in text and text.count("void scale(") == 1 and text.count("256 / 2") == 2, includes, text)
        check(line_of(text, "cudaMalloc") == ("src/a.cu", len(includes.split()) + 3), includes, text)
        check("kernel.h" in place.read("a.d") and "start.h" in place.read("a.d"), place.read("a.d"))


@case
def files_may_have_marks_and_any_line_ends(place):
    """A byte order mark, CRLF, and no line end at the end, in a file and in a header with a kernel."""
    kernel, rest = WITH_PRAGMA[:WITH_PRAGMA.index("int main")], WITH_PRAGMA[WITH_PRAGMA.index("int main"):]
    mark = "\ufeff"
    for name, source, header in (("mark", mark + WITH_PRAGMA, ""), ("mark-first", mark + re.sub(".*printf.*\n", "", WITH_PRAGMA[WITH_PRAGMA.index("#pragma"):]), ""),
                                 ("crlf", WITH_PRAGMA.replace("\n", "\r\n"), ""), ("end", WITH_PRAGMA.rstrip(), ""),
                                 ("header", mark + '#include "kernel.h"\n' + rest, mark + "#pragma once\n" + kernel), ("both", mark + '#include "kernel.h"\r\n' + rest, mark + kernel.replace("\n", "\r\n"))):
        (place.folder / "a.cu").write_bytes(source.encode())
        (place.folder / "kernel.h").write_bytes(header.encode())
        done = place.run("nvcc", "-c", "a.cu", "-o", "a.o")
        text = (place.folder / "a.o").read_bytes().decode()
        check(done.returncode == 0 and done.stderr == "", name, done.stderr)
        check(TRANSFORMED in text and mark not in text, name, text)
        lines = {"mark-first": 10, "header": 4, "both": 4}
        check(line_of(text, "cudaMalloc") == ("a.cu", lines.get(name, 12)), name, line_of(text, "cudaMalloc"), text)


@case
def dependency_files_name_the_source(place):
    place.write("a.cu", WITH_PRAGMA)
    place.run("nvcc", "-MD", "-c", "a.cu", "-o", "out.o")
    check(place.read("out.d") == "out.o: a.cu \\\n  fixed.h\n", place.read("out.d"))
    failed = place.run("nvcc", "-MD", "-c", "a.cu", "-o", "failed.o", FAKE_EXIT="3")
    check(failed.returncode == 3, failed.returncode)


@case
def directives_come_from_a_file(place):
    place.write("a.cu", WITHOUT_PRAGMA)
    place.write("d.txt", "# for tests\nscale: coarsen x=2\nelsewhere: coarsen x=4\n")
    done = place.run("nvcc", "-MD", "-c", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
    check(done.returncode == 0 and done.stderr == "" and TRANSFORMED in place.read("a.o"), done.stderr)
    check(place.read("a.d") == "a.o: a.cu \\\n  fixed.h \\\n  d.txt\n", place.read("a.d"))
    check(line_of(place.read("a.o"), "cudaMalloc") == ("a.cu", 12), place.read("a.o"))
    # A file without such kernels is compiled as it is, and compiled again when the directives change.
    place.write("b.cu", "int x;\n")
    done = place.run("nvcc", "-MD", "-c", "b.cu", "-o", "b.o", HEDDLE_DIRECTIVES="d.txt")
    check(done.arguments == ["-MD", "-c", "b.cu", "-o", "b.o"], done.arguments)
    check(place.read("b.d") == "b.o: b.cu \\\n  fixed.h \\\n  d.txt\n", place.read("b.d"))
    place.write("d.txt", "*: coarsen x=2\n")
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
    check(done.stderr == "" and TRANSFORMED in place.read("a.o"), done.stderr)
    place.write("d.txt", "scale coarsen x=2\n")
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
    check("d.txt:1:1: warning: a line is KERNEL: DIRECTIVE [-Wheddle]" in done.stderr, done.stderr)
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="nowhere.txt")
    check(done.returncode == 2 and "HEDDLE_DIRECTIVES: 'nowhere.txt' cannot be read" in done.stderr and done.arguments is None, done.stderr)
    # One file of several may have no such kernel; a command that makes the whole program knows that no file has.
    place.write("d.txt", "scale: coarsen x=2\n  scael: coarsen x=2; launch-bounds\n")
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
    check(done.stderr == "" and TRANSFORMED in place.read("a.o"), done.stderr)
    done = place.run("nvcc", "a.cu", "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
    check(done.stderr.startswith("d.txt:2:3: warning: no file of this program has a kernel 'scael' [-Wheddle]\n") and done.stderr.count("warning") == 1, done.stderr)
    check(done.returncode == 0 and TRANSFORMED in place.read("a.o"), place.read("a.o"))
    for more in (["other.o"], ["-DSOMETHING", "other.a"]):
        done = place.run("nvcc", "a.cu", *more, "-o", "a.o", HEDDLE_DIRECTIVES="d.txt")
        check(done.stderr == "", done.stderr)
    done = place.run("nvcc", "a.cu", "-o", "a.o", "-Werror=heddle", HEDDLE_DIRECTIVES="d.txt")
    check(done.returncode == 1 and done.arguments is None and "error: no file of this program" in done.stderr, done.returncode, done.stderr)
    done = place.run("nvcc", "-c", "a.cu", "-o", "a.o", HEDDLE_ASSUME="nothing")
    check(done.returncode == 2 and "HEDDLE_ASSUME: 'nothing' is none of" in done.stderr, done.stderr)


@case
def several_sources_find_their_own_headers(place):
    for name in ("one", "two"):
        place.write(f"{name}/size.h", "#define COUNT 1024\n")
        place.write(f"{name}/{name}.cu", '#include "size.h"\n' + WITH_PRAGMA.replace("main", name).replace("1024", "COUNT").replace("__global__", "static __global__"))
    done = place.run("nvcc", "one/one.cu", "two/two.cu", "-o", "program")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(done.arguments[2:] == ["-o", "program"] and len(place.entries()) == 2, done.arguments)
    for name, file in zip(("one", "two"), done.arguments):
        text = Path(file).read_text()
        check(Path(file).name == f"{name}.cu" and f'#include "{place.folder}/{name}/size.h"' in text and TRANSFORMED in text, text)


@case
def inputs_may_be_in_response_files(place):
    place.write("a.cu", WITH_PRAGMA)
    place.write("all.rsp", "-c a.cu\n-DTHE_NAME='1 2'")
    done = place.run("clang++", "@all.rsp", "-o", "a.o")
    (entry,) = place.entries()
    check(done.arguments == ["-iquote", ".", "-c", str(entry / "a.cu"), "-DTHE_NAME=1 2", "-o", "a.o"], done.arguments, done.stderr)


@case
def nvcc_reads_flags_from_the_environment(place):
    """NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS: the text that nvcc will see is the one that is transformed."""
    place.write("inc/kernel.h", WITH_PRAGMA[:WITH_PRAGMA.index("int main")])
    place.write("a.cu", "#ifdef HAS_KERNEL\n#include <kernel.h>\n" + WITH_PRAGMA[WITH_PRAGMA.index("int main"):] + "#endif\n")
    words = ["nvcc", "-c", "a.cu", "-o", "a.o"]
    done = place.run(*words)
    check(done.returncode == 0 and done.stderr == "" and TRANSFORMED not in place.read("a.o"), done.stderr, place.read("a.o"))
    done = place.run(*words, NVCC_PREPEND_FLAGS="-DHAS_KERNEL", NVCC_APPEND_FLAGS="-arch=sm_80 -Iinc")
    check(done.returncode == 0 and done.stderr == "" and TRANSFORMED in place.read("a.o"), done.stderr, place.read("a.o"))
    check("-DHAS_KERNEL" not in done.arguments and "-Iinc" not in done.arguments, "nvcc reads the variables itself", done.arguments)
    done = place.run(*words, NVCC_APPEND_FLAGS="-DHAS_KERNEL -Iinc --dryrun")
    check(done.arguments == words[1:], done.arguments)


@case
def names_have_spaces_and_umlauts(place):
    folder = "my $source, dir/für \"x\""
    place.write(f"{folder}/größe.h", "#define COUNT 1024\n")
    place.write(f"{folder}/ä b.cu", '#include "größe.h"\n' + WITH_PRAGMA)
    place.cache = place.folder / "the cäche"
    done = place.run("nvcc", "-MD", "-c", f"{folder}/ä b.cu", "-o", "ä b.o")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(TRANSFORMED in place.read("ä b.o"), place.read("ä b.o"))
    check(place.read("ä b.d").startswith("ä b.o: my\\ $$source,\\ dir/für\\ \"x\"/ä\\ b.cu \\\n"), place.read("ä b.d"))
    check('#line 1 "my $source, dir/für \\"x\\"/ä b.cu"\n' in place.read("ä b.o"), place.read("ä b.o"))


@case
def sources_may_be_read_only(place):
    place.write("src/a.cu", WITH_PRAGMA)
    build = place.folder / "build"
    build.mkdir()
    os.chmod(place.folder / "src", stat.S_IRUSR | stat.S_IXUSR)
    os.chmod(place.folder / "src/a.cu", stat.S_IRUSR)
    try:
        done = place.run("nvcc", "-c", "../src/a.cu", "-o", "a.o", cwd=build)
        check(done.returncode == 0 and TRANSFORMED in place.read("build/a.o"), done.stderr)
        check(os.listdir(place.folder / "src") == ["a.cu"], os.listdir(place.folder / "src"))
    finally:
        os.chmod(place.folder / "src", stat.S_IRWXU)


@case
def the_cache_may_be_anywhere(place):
    place.write("a.cu", WITH_PRAGMA)
    home = place.folder / "home"
    home.mkdir()
    done = place.run("nvcc", "-c", "a.cu", HEDDLE_LAUNCHER_CACHE="", XDG_CACHE_HOME="", HOME=str(home))
    check(str(home / ".cache/heddle/launcher") in done.arguments[-1], done.arguments, done.stderr)
    done = place.run("nvcc", "-c", "a.cu", HEDDLE_LAUNCHER_CACHE="", XDG_CACHE_HOME=str(home / "xdg"))
    check(str(home / "xdg/heddle/launcher") in done.arguments[-1], done.arguments, done.stderr)
    done = place.run("nvcc", "-c", "a.cu", HEDDLE_LAUNCHER_CACHE="/dev/null/cache")
    check(done.returncode == 4 and "heddle nvcc: error: '/dev/null/cache" in done.stderr, done.returncode, done.stderr)


@case
def compilers_that_fail(place):
    place.write("a.cu", WITH_PRAGMA)
    for words in (["-c", "a.cu"], ["-MD", "-c", "a.cu"], ["--version"]):
        check(place.run("nvcc", *words, FAKE_EXIT="7").returncode == 7, words)
        check(place.run("nvcc", *words, FAKE_SIGNAL="SEGV").returncode == -signal.SIGSEGV, words)
        missing = place.run("no-such-compiler", *words)
        check(missing.returncode == 2, missing.returncode)
        check("heddle nvcc: error: the compiler 'no-such-compiler' cannot be started: No such file or directory" in missing.stderr, missing.stderr)
    nothing = place.run()
    check(nothing.returncode == 2 and "COMPILER is required" in nothing.stderr, nothing.stderr)
    option = place.run("-c", "a.cu")
    check(option.returncode == 2, option.stderr)
    page = place.run("--help")
    check(page.returncode == 0 and "HEDDLE_DIRECTIVES" in page.stdout, page.stdout)


@case
def many_at_once(place):
    """make -j16 on files that include one header with a pragma, twice, with one cache: all objects are the same as one by one."""
    kernel = WITH_PRAGMA[WITH_PRAGMA.index("#pragma"):WITH_PRAGMA.index("int main")].replace("__global__", "static __global__")
    place.write("kernel.h", kernel)
    place.write("a.cu", '#include "kernel.h"\n#include <cstdio>\n' + WITH_PRAGMA[WITH_PRAGMA.index("int main"):].replace("std::printf", "printf"))
    environment = place.environment()
    for round in range(2):
        running = [subprocess.Popen([place.heddle, "nvcc", "nvcc", "-c", "a.cu", "-o", f"{i}.o"], cwd=place.folder, env=environment, text=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(16)]
        for each in running:
            _, errors = each.communicate()
            check(each.returncode == 0 and errors == "", each.returncode, errors)
        texts = {place.read(f"{i}.o") for i in range(16)}
        check(len(texts) == 1 and TRANSFORMED in texts.pop(), "objects differ")
        check(len(place.entries()) == 1, place.entries())


def real(name, *hints):
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *hints]))
    if not found:
        print(f"skipped: there is no {name}")
        sys.exit(77)
    return found


@case
def with_nvcc(place):
    nvcc = real("nvcc", "/usr/local/cuda/bin")
    source = WITH_PRAGMA.replace("#include <cstdio>", '#include "my größe.h"').replace("1024", "COUNT") + '\nint warned() { int unused; }\n'
    place.write("s p/ü/my größe.h", "#include <cstdio>\n#define COUNT 1024\n")
    place.write("s p/ü/a.cu", source)
    words = ["-arch=sm_80", "-Xcompiler", "-Wunused-variable", "-MD", "-MF", "a.d", "-c", "s p/ü/a.cu", "-o", "a.o"]
    plain = subprocess.run([nvcc, *words], cwd=place.folder, capture_output=True, text=True)
    rules, names = place.read("a.d"), symbols(place, "a.o")
    done = place.run(nvcc, *words)
    check(done.returncode == 0, done.stderr)
    check(done.stderr == plain.stderr and "s p/ü/a.cu" in done.stderr, "other messages:", plain.stderr, done.stderr)
    check(place.read("a.d") == rules, "another dependency file:", *set(place.read("a.d").split("\n")) ^ set(rules.split("\n")))
    check(symbols(place, "a.o") >= {name for name in names if "main" in name or "warned" in name}, symbols(place, "a.o"))
    ptx = subprocess.run([place.heddle, "nvcc", nvcc, "-lineinfo", "-arch=sm_80", "-ptx", "s p/ü/a.cu"], cwd=place.folder, env=place.environment(), capture_output=True, text=True)
    check(ptx.returncode == 0 and r"/s p/\303\274/a.cu" in place.read("a.ptx"), "debuggers do not find the source", ptx.stderr, place.read("a.ptx")[-800:])
    check("/cache/" not in place.read("a.ptx"), place.read("a.ptx"))
    place.write("bad.cu", WITH_PRAGMA.replace("values[i] *= factor;", "values[i] *= factor; nothing();"))
    bad = place.run(nvcc, "-c", "bad.cu")
    check(bad.returncode == subprocess.run([nvcc, "-c", "bad.cu"], cwd=place.folder, capture_output=True).returncode != 0, bad.returncode)
    check("bad.cu(7): error" in bad.stderr + bad.stdout, bad.stderr, bad.stdout)


@case
def with_ccache(place):
    nvcc, ccache = real("nvcc", "/usr/local/cuda/bin"), real("ccache", "/usr/bin")
    folder = "s p, q"
    place.write(f"{folder}/size.h", "#define COUNT 1024\n")
    place.write(f"{folder}/a.cu", '#include "size.h"\n' + WITH_PRAGMA.replace("1024", "COUNT"))
    variables = {"CCACHE_DIR": str(place.folder / "ccache"), "CCACHE_CONFIGPATH": str(place.folder / "ccache.conf")}
    for _ in range(2):
        done = place.run(ccache, nvcc, "-arch=sm_80", "-c", f"{folder}/a.cu", "-o", "a.o", **variables)
        check(done.returncode == 0 and done.stderr == "", done.stderr)
    counts = subprocess.run([ccache, "--print-stats"], env=place.environment(**variables), capture_output=True, text=True, check=True).stdout
    hits = sum(int(line.split("\t")[1]) for line in counts.splitlines() if line.startswith(("direct_cache_hit", "preprocessed_cache_hit")))
    check(hits == 1, "the second compilation is no hit", counts)


def symbols(place, name):
    listed = subprocess.run(["nm", "-C", name], cwd=place.folder, capture_output=True, text=True, check=True).stdout
    return {line[17:] for line in listed.splitlines()}


@case
def with_clang(place):
    """Clang compiles the host's side without a toolkit; Heddle's headers are those of HEDDLE_DATA."""
    clang = real("clang++-22", "/usr/lib/llvm-22/bin")
    runtime = Path(os.environ["HEDDLE_DATA"]) / "runtime/cuda"
    place.write("src/size.h", "#include <cstdio>\n#define COUNT 1024\n")
    place.write("src/a.cu", WITH_PRAGMA.replace("#include <cstdio>", '#include "size.h"').replace("1024", "COUNT").replace("return cuda", "int unused; return cuda"))
    words = ["-x", "cuda", "-nocudainc", "-nocudalib", f"--cuda-path={runtime}", "--cuda-gpu-arch=sm_80", "-Xclang", "-target-sdk-version=12.9", "-isystem",
             str(runtime), "-include", "heddle_cuda_wrapper.h", "--cuda-host-only", "-Wunused-variable", "-MMD", "-MF", "a.d", "-c", "src/a.cu", "-o", "a.o"]
    plain = subprocess.run([clang, *words], cwd=place.folder, capture_output=True, text=True)
    check(plain.returncode == 0, plain.stderr)
    rules = place.read("a.d")
    done = place.run(clang, *words)
    check(done.returncode == 0 and len(place.entries()) == 1, done.stderr)
    location = "src/a.cu:15:7: warning: unused variable 'unused'"
    check(location in plain.stderr and location in done.stderr, plain.stderr, done.stderr)
    rule_words = [text.replace("\\\n", " ").split() for text in (place.read("a.d"), rules)]  # lines are broken where paths are long
    check(rule_words[0] == rule_words[1], place.read("a.d"), rules)
    strings = (place.folder / "a.o").read_bytes()
    check(b"src/a.cu\0" in strings and b"/cache/" not in strings, "__FILE__ is not the source")


def main():
    if sys.argv[1:2] == ["--list"]:
        check(sorted(sys.argv[2:]) == sorted(CASES), "the cases are:", *CASES)
        return
    heddle, name = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="heddle-launches-") as folder:
        CASES[name](Place(str(Path(heddle).resolve()), Path(folder).resolve()))


if __name__ == "__main__":
    main()
