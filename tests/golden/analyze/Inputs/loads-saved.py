"""Compares the share of loads that heddle analyze states an opportunity saves with what the simulator counts before and after.

    loads-saved.py HEDDLE FILE...

Opportunities that are not offered because they save no loads are compared too. Counted are bytes, as compilers may join loads.
"""
import json, os, subprocess, sys, tempfile
from collections import Counter

heddle, files = sys.argv[1], sys.argv[2:]
compared = wrong = saving = 0


def run(*words):
    return subprocess.run([heddle, *words], capture_output=True, text=True)


def bytes_loaded(file, kernel, folder):
    """By memory space."""
    table = os.path.join(folder, "accesses.tsv")
    profiled = run("profile", file, "--compiler", "clang", "--json", "--accesses", table, "--no-compile-commands")
    if profiled.returncode:
        sys.exit(f"{file}: {profiled.stderr}")
    lines = [line.rstrip("\n").split("\t") for line in open(table)]
    loaded = Counter()
    for row in (dict(zip(lines[0], line)) for line in lines[1:]):
        if row["kind"] == "read" and row["kernel"] == kernel:
            loaded[row["space"]] += int(row["lanes"]) * int(row["bytes"])
    return loaded


with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "out.cu")
    for file in files:
        for kernel in json.loads(run("analyze", file, "--cuda-path", "none", "--no-ptxas", "--json").stdout)["kernels"]:
            tried = [(each, each["loadsSaved"]) for each in kernel["opportunities"] if each["loadsSaved"] != {"shared": None, "global": None}]
            tried += [(each, {"shared": 0, "global": 0}) for each in kernel["notOffered"] if each["reason"].startswith("saves no loads")]
            before = bytes_loaded(file, kernel["mangledName"], folder) if tried else None
            for each, stated in tried:
                if run("opt", file, "-o", output, "--no-check", "--cuda-path", "none", *each["arguments"]).returncode:
                    sys.exit(f"{file}: refused: {each['arguments']}")
                after = bytes_loaded(output, kernel["mangledName"], folder)
                for space in ("shared", "global"):
                    if not before[space]:
                        continue
                    compared += 1
                    counted = 1 - after[space] / before[space]
                    saving += counted > 0.03
                    if abs(counted - (stated[space] or 0)) > 0.03:
                        wrong += 1
                        print(f"{os.path.basename(file)}: {kernel['name']}: {each['directive']}: {counted:.0%} of {space} loads saved, "
                              f"stated {stated[space] or 0:.0%}")
print(f"{wrong} of {compared} disagree, {saving} save loads")
