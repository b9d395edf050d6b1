#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""options_in_messages.py HEDDLE ROOT: no message names an option that the verb does not have.

Every string in src/ that names an option is looked at. What can print it is known by its folder (or file): a message of
src/build is printed by each verb that builds programs. Each of those verbs must have the option; or the text names the verb
along with it ("heddle run --device gpu"), and then that verb must have it.
"""
import pathlib
import re
import sys

import commands

HEDDLE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
PROGRAMS = {"run", "verify", "check", "profile", "capture"}
# Which verbs print what a folder's or a file's messages say; the longest prefix counts.
PRINTED_BY = {
    "analysis": {"analyze", "opt", "tune"},
    "analysis/PointersApart": {"opt", "tune"},
    "arch": {"arch", "analyze", "opt", "run", "verify", "check", "profile", "capture", "tune"},
    "build": PROGRAMS | {"opt", "tune"},
    "check": {"check", "opt"},
    "check/StaticOrigins": {"check"},  # parts of a text that begins with "heddle check"
    "chem": {"chem", "tune"},
    "kernels": {"chem", "tune"},
    "partition": {"chem", "tune"},
    "partition": {"chem", "tune"},
    "cli/Analyze": {"analyze"},
    "cli/Arch": {"arch"},
    "cli/Capture": {"capture"},
    "cli/Check": {"check"},
    "cli/ScheduleRuns": {"check"},
    "cli/ShowEmitted": {"opt"},
    "cli/Chem": {"chem"},
    "cli/Completion": {"help"},
    "cli/ManPages": {"help"},
    "cli/Doctor": {"doctor"},
    "cli/DoctorFindings": {"doctor"},
    "cli/Nvcc": {"nvcc"},
    "cli/Opt": {"opt"},
    "cli/Profile": {"profile"},
    "cli/GpuProfile": {"profile"},
    "cli/Run": {"run"},
    "cli/Tune": {"tune"},
    "cli/Verify": {"verify"},
    "cli/ProgramWords": {"run", "verify"},  # its text on --device
    "cli/SourceOptions": {"analyze", "opt", "tune"},
    "cli/Help": {"help"},
    "report/Analyze": {"analyze"},
    "report/Findings": {"check"},
    "report/Profile": {"profile"},
    "report/Static": {"check", "opt"},
    "transform": {"opt", "tune"},
    "tune": {"tune"},
    "verify": {"verify", "opt", "check", "tune"},
    "vm": PROGRAMS | {"opt"},
    "cudart": PROGRAMS | {"opt"},
    "divergence": {"profile"},
}
# Not options of heddle: of compilers and tools that are called, of heddle-runner, and text that is no message.
FOREIGN = re.compile(r"^--(cuda-|no-cuda|expt|extended|std|use_fast|use$|fmad|relocatable|device-[cl]|generate|list-|gpu-|ptxas|save|"
                     r"input|offload|diag|resource|target|compiler-bindir|maxrregcount|allow-unsupported|only|again-lost|jobs|compile$|"
                     r"timing|unfused)")
OWN_OF_CUDA = {"--cuda-path"}
# Words that are not said to the user of a verb: scripts, style sheets, options of heddle chem as values of tune, and words that
# are handed to compilers; opt's words that heddle nvcc replaces.
NOT_LOOKED_AT = {"runner", "replay", "launcher/Messages.cpp", "build/Reproducer.cpp", "passes", "source", "cli/Main.cpp", "cli/UnknownWord.cpp", "cli/CompletionScripts.cpp", "cli/SourceOptions.cpp",
                 "tune/ChemMaker.cpp", "tune/Space.cpp", "ptx/Fatbin.cpp", "instrument/Assemble.cpp"}
# Printed only where the user gave the option, or as a value of another one: tune takes options of heddle chem as values of --option.
GUARDED = {("build/Build.cpp", "--device"), ("cli/Opt.cpp", "--report"), ("cli/Help.cpp", "--version"), ("cli/Help.cpp", "--timeout"), ("cli/Tune.cpp", "--variant"), ("cli/Tune.cpp", "--warps"),
           ("cli/TuneRequest.cpp", "--warps"), ("cli/TuneRequest.cpp", "--variant"),
           ("partition/Partition.cpp", "--ctas"), ("partition/Partition.cpp", "--warps"), ("partition/Partition.cpp", "--placement"),
           ("kernels/Package.cpp", "--precision")}
STRING = re.compile(r'R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"', re.S)
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")


def printers(path):
    found = [prefix for prefix in PRINTED_BY if path.startswith(prefix)]
    return PRINTED_BY[max(found, key=len)] if found else None


def messages(text):
    """Strings, with those that follow each other directly as one; comments are none."""
    text = re.sub(r"//[^\n]*", "", text)
    pieces, end = [], None
    for match in STRING.finditer(text):
        content = match.group(1) if match.group(1) is not None else match.group(2)
        if end is not None and not text[end:match.start()].strip():
            pieces[-1] += content
        else:
            pieces.append(content)
        end = match.end()
    return pieces


def is_declared(piece):
    return re.fullmatch(r"(-\w,)?--[a-z-]+", piece.strip()) or piece.startswith(("#include", "--heddle"))


def main():
    options = {verb: commands.options(HEDDLE, verb) for verb in commands.verbs(HEDDLE)}
    failures = count = 0
    for file in sorted(ROOT.glob("src/**/*.cpp")):
        path = str(file.relative_to(ROOT / "src"))
        if path.endswith("Page.cpp") and ":root {" in file.read_text():
            continue  # a style sheet
        if path in NOT_LOOKED_AT or path.split("/")[0] in NOT_LOOKED_AT:
            continue
        for piece in messages(file.read_text()):
            if is_declared(piece):
                continue
            for mention in OPTION.finditer(piece):
                option = mention.group(1).rstrip("-")
                if FOREIGN.match(option) and option not in OWN_OF_CUDA:
                    continue
                count += 1
                before = piece[:mention.start()]
                if (path, option) in GUARDED or before.endswith(" -- "):  # what follows -- is the program's
                    continue
                # "heddle tune a.cu --device gpu": the verb precedes it, with nothing but words of a command between
                named = re.findall(r"heddle ([a-z]+)\b(?:[^.;:]|\.\.\.)*$", before.split("\n")[-1])
                verbs = {named[-1]} if named and named[-1] in options else printers(path)
                if verbs is None:
                    print(f"src/{path}: who prints '{piece.strip()[:80]}'? Add it to PRINTED_BY")
                    failures += 1
                    continue
                lacking = sorted(verb for verb in verbs if option not in options[verb])
                if lacking:
                    failures += 1
                    print(f"src/{path}: {option} is named, and {', '.join(lacking)} has no such option:\n    {piece.strip()[:150]}")
    print(f"{count} options named in messages, {failures} failures")
    return bool(failures) or count < 50


sys.exit(main())
