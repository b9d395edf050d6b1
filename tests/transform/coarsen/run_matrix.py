#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coarsens programs in many ways; each result must compute the same, bit for bit, and compile without a warning.

Comments at the top of a program say what holds for it:
  // axes: x y xy            what to coarsen along (default x); 'grid' merges blocks
  // args: 64 8              the program's arguments
  // then: scalar-replace    a directive that follows
  // refuses: REGEX: REASON  directives that match REGEX must be refused, with a message that holds REASON
A factor that does not divide a block is refused everywhere; anything else that is refused is a failure.

All results of a program are put into one file, each in a namespace of its own: the static check, the run on the simulator
and nvcc are paid once for all of them. Only where something is wrong is each tried alone, to find which it is.

Usage: run_matrix.py HEDDLE PROGRAM.cu... [--full | --twice] [--nvcc PATH] [--keep DIR] [--jobs N] [--write DIR]
       run_matrix.py --nvcc PATH --written DIR PROGRAM.cu...
Without --full a few of the ways are tried, others for each program, so that all programs together cover all of them;
--twice tries only those that coarsen by two and by two again.
--write leaves what was made of each program in DIR; with --written, nvcc compiles that of several programs at once: most of its time goes into
its own headers.
"""
import argparse
import collections
import concurrent.futures
import itertools
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

FACTORS = (2, 4, 8, 16)
MAPS = ("interleaved", "blocked")
# The examples are shown to people as they are: what is true of them is here.
EXAMPLE_AXES = dict.fromkeys(("heat2d", "jacobi3d", "mandelbrot", "matmul_tiled", "surface_write", "texture_shift",
                              "transpose_tiled"), ["x", "y", "xy"])
EXAMPLE_THEN = {"stencil2pt": "scalar-replace", "heat2d": "scalar-replace"}
# A second coarsening reads what the first one wrote, and may find a form there that it refuses. Not in these.
COARSEN_TWICE = {"atomics", "bounds", "cube", "device_functions", "early_return", "groups", "guard", "heat2d", "jumps", "macros",
                 "matmul_tiled", "merged_blocks", "nested", "nbody", "reduce", "shares", "stencil2pt", "synth"}
CLANG = ["--compiler", "clang"]
# Clang fuses multiplications and additions of different statements for CUDA, as it happens to find them; 'on' keeps it to
# those of one expression, which coarsening leaves as they are.
FLAGS = ["-Wall", "-Werror", "-ffp-contract=on"]


def coarsening(axis, factor, way):
    return f"coarsen {' '.join(f'{key}={factor}' for key in re.findall(r'grid|[xyz]', axis))} map={way}"


class Program:
    """A program, and what its comments state."""

    def __init__(self, file, heddle, folder):
        self.file, self.heddle, self.folder = file, heddle, folder
        self.axes, self.then = EXAMPLE_AXES.get(file.stem, ["x"]), EXAMPLE_THEN.get(file.stem)
        self.arguments, self.refusals = [], []
        for line in file.read_text().splitlines():
            if m := re.match(r"// axes: (.*)", line):
                self.axes = m[1].split()
            elif m := re.match(r"// args: (.*)", line):
                self.arguments = m[1].split()
            elif m := re.match(r"// then: (.*)", line):
                self.then = m[1]
            elif m := re.match(r"// refuses: (.*?): (.*)", line):
                self.refusals.append((re.compile(m[1]), m[2]))

    def ways(self):
        for axis, factor, way in itertools.product(self.axes, FACTORS, MAPS):
            yield coarsening(axis, factor, way)

    def twice(self):
        """By two and by two again: that it computes what the original does is that it computes what a factor of four does."""
        for axis, way in itertools.product(self.axes, MAPS):
            yield f"{coarsening(axis, 2, way)}; {coarsening(axis, 2, way)}"

    def few_ways(self):
        """Two of them and one by two twice, chosen by the program's name: the same in every run, others for the next program."""
        start = zlib.crc32(self.file.stem.encode())
        ways, twice = list(self.ways()), list(self.twice())
        return [ways[start % len(ways)], ways[(start + len(ways) // 2) % len(ways)], twice[start % len(twice)]]

    def chosen_ways(self, given):
        if given.full:
            return [*self.ways(), *self.twice()]
        return list(self.twice()) if given.twice else self.few_ways()

    def wanted_refusal(self, directive):
        return next((reason for pattern, reason in self.refusals if pattern.search(directive)), None)


def said(command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


Outcome = collections.namedtuple("Outcome", "kind text")  # made, refused or wrong


def wrong(command, done, wanted):
    return Outcome("wrong", f"$ {' '.join(command)}\nwanted {wanted}, exit {done.returncode}\n{done.stdout}")


def coarsened(program, directive, out):
    """Made, refused as it must be, or wrong."""
    command = [program.heddle, "opt", str(program.file), "-o", str(out), "-d",
               directive + (f"; {program.then}" if program.then else ""), "--no-check", "--cuda-path", "none"]
    done = said(command)
    reason = program.wanted_refusal(directive)
    refusal = re.search(r": error: (?:coarsen [^:]*: )?(.*)", done.stdout)
    if done.returncode == 1 and refusal and ("is not divisible by" in done.stdout or (reason and reason in done.stdout)):
        if out.exists():
            return wrong(command, done, "nothing written")
        return Outcome("refused", "does not divide" if "is not divisible by" in done.stdout else refusal[1])
    if done.returncode == 1 and refusal and "; coarsen" in directive and program.file.stem not in COARSEN_TWICE and not out.exists():
        return Outcome("refused", f"twice: {refusal[1]}")
    if done.returncode != 0 or reason:
        return wrong(command, done, f"a refusal with '{reason}'" if reason else "the program coarsened")
    return Outcome("made", "")


def forgotten(body):
    """Lines that forget the macros of a text: its own, and the guards of headers of ours that are in it."""
    return [f"#undef {macro}" for macro in dict.fromkeys(re.findall(r"^ *# *define +(\w+)", body, re.M))]


def joined(texts):
    """One program that does what these do, one after the other: each in a namespace, its main called 'run'."""
    includes, parts, calls = {}, [], []
    for number, text in enumerate(texts):
        includes.update(dict.fromkeys(re.findall(r"^#include .*$", text, re.M)))
        body = re.sub(r"^#include .*$", "", text, flags=re.M)
        calls.append(f"  status |= n{number}::run({'' if re.search(r'int main[(] *[)]', body) else 'argc, argv'});")
        body = body.replace("int main(", "int run(").rstrip().removesuffix("}") + "  return 0;\n}"  # main alone may leave it out
        parts += [f"namespace n{number} {{\n{body}\n}} // namespace n{number}", *forgotten(body)]
    main = ["int main(int argc, char **argv) {", "  int status = argc > 0 && argv ? 0 : 1;", *calls, "  return status;", "}"]
    return "\n".join([*includes, *parts, *main]) + "\n"


def proved(program, text, original, name, nvcc):
    """What is wrong with a text that is to do what the original does, if anything."""
    ours, theirs = program.folder / f"{name}.cu", program.folder / f"{name}.original.cu"
    ours.write_text(text)
    theirs.write_text(original)
    include = f"-I{program.file.parent}"
    # opt with nothing to do: the static check, with the blocks that the file launches.
    command = [program.heddle, "opt", str(ours), "-o", str(ours.with_suffix(".checked")), *CLANG, "--cuda-path", "none", include]
    done = said(command)
    if done.returncode != 0:
        return wrong(command, done, "a file that passes the static check")
    command = [program.heddle, "verify", str(ours), str(theirs), *CLANG, "--timeout", "60", include, *FLAGS, "--",
               *program.arguments]
    done = said(command)
    if done.returncode != 0 or "same: " not in done.stdout:
        return wrong(command, done, "the same results")
    return complaint(nvcc, ours, [program.file.parent]) if nvcc else None


def complaint(nvcc, file, folders):
    """What nvcc says about a file, if anything."""
    command = [nvcc, "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall", "-c", "-o", "/dev/null",
               *(f"-I{folder}" for folder in folders), "-isystem", str(Path(__file__).resolve().parents[3] / "runtime"), str(file)]
    done = said(command)
    return wrong(command, done, "no warning") if done.returncode != 0 else None


def side_by_side(texts):
    """Programs in one file, each in a namespace, its macros forgotten behind it."""
    includes, parts = {}, []
    for number, text in enumerate(texts):
        includes.update(dict.fromkeys(re.findall(r"^#include .*$", text, re.M)))
        body = re.sub(r"^#include .*$", "", text, flags=re.M).replace("int main(", "int run(")
        parts += [f"namespace program{number} {{\n{body}\n}} // namespace program{number}", *forgotten(body)]
    return "\n".join([*includes, *parts, "int main() {}"]) + "\n"


def compile_written(programs, nvcc, folder):
    """What nvcc says about what was made of these programs; if it is not content, of which."""
    files = [folder / program.name for program in programs]
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        sys.exit(f"not written: {', '.join(missing)}")
    files = [file for file in files if file.stat().st_size]  # of some nothing is made
    folders = list(dict.fromkeys(program.parent for program in programs))
    with tempfile.TemporaryDirectory() as temporary:
        together = Path(temporary) / "together.cu"
        together.write_text(side_by_side([file.read_text() for file in files]))
        if wrong_together := complaint(nvcc, together, folders):
            alone = [outcome.text for file in files if (outcome := complaint(nvcc, file, folders))]
            sys.exit("\n".join(alone or [wrong_together.text]))


def tried(program, directives, nvcc, written):
    """The outcome of each way."""
    files = [program.folder / f"{program.file.stem}.{number}.cu" for number in range(len(directives))]
    outcomes = [coarsened(program, directive, file) for directive, file in zip(directives, files)]
    made = [number for number, outcome in enumerate(outcomes) if outcome.kind == "made"]
    texts, original = [files[number].read_text() for number in made], program.file.read_text()
    if made and proved(program, joined(texts), joined([original] * len(made)), f"{program.file.stem}.joined", nvcc):
        for number, text in zip(made, texts):
            alone = proved(program, text, original, f"{program.file.stem}.{number}.alone", nvcc)
            outcomes[number] = alone or outcomes[number]
    if written:
        written.mkdir(parents=True, exist_ok=True)
        (written / program.file.name).write_text(joined(texts) if made else "")
    for directive, outcome in zip(directives, outcomes):
        if outcome.kind == "wrong":
            print(f"{program.file.stem}, {directive}:\n{outcome.text}", flush=True)
    return outcomes


def row(name, outcomes):
    kinds = collections.Counter(outcome.kind for outcome in outcomes)
    reasons = collections.Counter(outcome.text for outcome in outcomes if outcome.kind == "refused")
    why = "; ".join(f"{text} ({count})" for text, count in reasons.items() if text)
    return f"{name:<20} {kinds['made']:>5} {kinds['refused']:>8} {kinds['wrong']:>6}   {why}"


def main():
    parser = argparse.ArgumentParser()
    if "--written" not in sys.argv:
        parser.add_argument("heddle")
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--nvcc")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--written", type=Path)
    given = parser.parse_args()
    if given.written:
        compile_written(given.programs, given.nvcc, given.written)
        return
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        programs = [Program(file, given.heddle, given.keep or Path(temporary)) for file in given.programs]
        results = pool.map(lambda p: tried(p, p.chosen_ways(given), given.nvcc, given.write), programs)
        print(f"{'program':<20} {'made':>5} {'refused':>8} {'wrong':>6}   refused because", flush=True)
        everything = []
        for program, outcomes in zip(programs, results):
            print(row(program.file.stem, outcomes), flush=True)
            everything += [outcome._replace(text="") for outcome in outcomes]
    if len(programs) > 1:
        print(row("all", everything))
    sys.exit(any(outcome.kind == "wrong" for outcome in everything))


main()
