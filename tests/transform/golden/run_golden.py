#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden cases of transforms: what `heddle opt` writes and prints, byte for byte.

A folder holds the cases of one directive, pass or normalization. A case is

    NAME.cu            the input. Its first lines are the commands to run, the file and the output left out:
                       // heddle opt --assume whole-program -d "coarsen x=2"
    NAME.expected.cu   the text that opt writes; or
    NAME.refused       what opt prints where it refuses. A case may have several commands if all of them are refused;
                       the messages of each are then below its command.
    NAME.messages      what opt prints where it writes; no such file if it prints nothing.

Files that an input includes are in the folder Inputs. `--cuda-path none --no-check --runtime path --includes keep` is added to each command: the
output must parse, is not compiled, and is the text of the directives alone. Passes must have names that --print-after takes. The warning about `--assume whole-program`, which is true of nearly every case, and the folder of the run-time headers are left out.

    run_golden.py BUILD [--update] FOLDER|CASE.cu ...

--update rewrites expectations and reports each file that changed.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PREFIX = "// heddle opt "
LEFT_OUT = ("[--assume whole-program]", "remark: includes headers of Heddle: compile it with -I")
FIXED = ["--cuda-path", "none", "--no-check", "--runtime", "path", "--includes", "keep"]
# A row of the table that --time-passes prints.
TIMED = re.compile(r"[\w-]+ +(\d+|runs) +([\d.]+|seconds)\n")
SUFFIXES = (".expected.cu", ".refused", ".messages")
JOBS = 2  # as many as lit gets for the other golden tests


class BadCase(Exception):
    """A case that is not of the form above."""


class Run:
    """One command of a case: its exit code, and what it wrote and printed."""

    def __init__(self, heddle, case, arguments):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, case.name)
            command = [heddle, "opt", case.name, "-o", str(output), *FIXED, "--time-passes", *arguments]
            done = subprocess.run(command, cwd=case.parent, capture_output=True, text=True, check=False)
            self.text = output.read_text() if output.exists() else None
        self.code = done.returncode
        said = (done.stdout + done.stderr).replace(str(output), "OUTPUT").splitlines(keepends=True)
        self.passes = {line.split()[0] for line in said if TIMED.fullmatch(line)}
        self.messages = "".join(line for line in said if not TIMED.fullmatch(line) and not any(text in line for text in LEFT_OUT))


def pass_names(heddle):
    """The names that --print-after takes."""
    text = subprocess.run([heddle, "opt", "--print-after", "?", __file__], capture_output=True, text=True).stderr
    return {"pass", "parse", *re.split(r", | and ", re.search(r"--print-after: '\?' is none of (.*)", text)[1])}


def commands(case):
    """The command lines at the top of a case."""
    lines = []
    for line in case.read_text().splitlines():
        if not line.startswith(PREFIX):
            break
        lines.append(line[len(PREFIX):])
    if not lines:
        raise BadCase(f"does not begin with '{PREFIX}...'")
    return lines


def refusal(run):
    """What a run printed that wrote nothing, with its exit code where that is not the usual one."""
    return run.messages if run.code == 1 else run.messages + f"exit code {run.code}\n"


def results(heddle, passes, case):
    """What the files of a case should hold, by suffix."""
    lines = commands(case)
    runs = [Run(heddle, case, shlex.split(line)) for line in lines]
    for name in sorted(set().union(*(run.passes for run in runs)) - passes):
        raise BadCase(f"runs a pass that --print-after does not know: {name}")
    if len(runs) == 1 and runs[0].code == 0:
        found = {".expected.cu": runs[0].text}
        return found | ({".messages": runs[0].messages} if runs[0].messages else {})
    if any(run.code == 0 for run in runs):
        raise BadCase("has several commands, and not all of them are refused: make a case of each")
    if len(runs) == 1:
        return {".refused": refusal(runs[0])}
    return {".refused": "".join(f"$ heddle opt {line}\n{refusal(run)}" for line, run in zip(lines, runs))}


def sibling(case, suffix):
    return case.with_name(case.name.removesuffix(".cu") + suffix)


def differences(heddle, passes, case):
    """(file, text that is there, text that should be) for each file of a case that differs; None is no file."""
    wanted = results(heddle, passes, case)
    for suffix in SUFFIXES:
        file = sibling(case, suffix)
        there = file.read_text() if file.exists() else None
        if there != wanted.get(suffix):
            yield file, there, wanted.get(suffix)


def diff(file, there, found):
    names = [str(file) if text is not None else "/dev/null" for text in (there, found)]
    lines = [(text or "").splitlines() for text in (there, found)]
    return "\n".join(difflib.unified_diff(*lines, names[0] + " (expected)", names[1] + " (found)", lineterm=""))


def update(file, found):
    if found is None:
        file.unlink()
    else:
        file.write_text(found)


def is_case(file):
    return file.suffix == ".cu" and not file.name.endswith(".expected.cu")


def collect(paths):
    cases = []
    for path in paths:
        cases += sorted(filter(is_case, path.glob("*.cu"))) if path.is_dir() else [path]
    return cases


def orphans(folders):
    """Expectations without an input."""
    return [file for folder in folders for suffix in SUFFIXES for file in sorted(folder.glob("*" + suffix))
            if not file.with_name(file.name.removesuffix(suffix) + ".cu").exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    heddle = str((options.build / "heddle").resolve())
    os.environ.setdefault("HEDDLE_HEADER_CACHE", str((options.build / "headers").resolve()))
    os.environ.setdefault("HEDDLE_COMPILE_CACHE", str((options.build / "compiled").resolve()))
    passes = pass_names(heddle)
    cases = collect(options.paths)
    if not cases:
        sys.exit("there are no cases")
    failed = 0

    def one(case):
        try:
            return list(differences(heddle, passes, case))
        except BadCase as error:
            return str(error)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for case, found in zip(cases, pool.map(one, cases)):
            if isinstance(found, str):
                failed += 1
                print(f"FAIL: {case}: {found}")
            elif found and not options.update:
                failed += 1
                print(f"FAIL: {case}", *(diff(*each) for each in found), sep="\n")
            for file, there, text in found if options.update and not isinstance(found, str) else []:
                print("removed" if text is None else "added" if there is None else "changed", file)
                if there is not None and text is not None:
                    print(diff(file, there, text))
                update(file, text)
    for file in orphans(path for path in options.paths if path.is_dir()):
        failed += not options.update
        print(f"removed {file}" if options.update else f"FAIL: {file}: there is no input for it")
        if options.update:
            update(file, None)
    print(f"{len(cases)} cases, {failed} failed")
    if failed and not options.update:
        print(f"to accept the output as it is now: tests/update-goldens --build {options.build} FOLDER|CASE.cu ...")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
