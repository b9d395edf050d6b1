"""Compares the share of loads that heddle analyze states an opportunity saves with what the simulator counts before and after.

    loads-saved.py HEDDLE [--table DATA.tsv] FILE...

With --table, every comparison is written as a row of percentages, after one that summarizes them all. Opportunities that are not offered because they save no loads are compared too. Counted are bytes, as compilers may join loads.
"""
import json, os, subprocess, sys, tempfile
from collections import Counter

heddle, files = sys.argv[1], sys.argv[2:]
table = files[1] if files[:1] == ["--table"] else None
files = files[2:] if table else files
compared = wrong = saving = 0
rows, kernels = [], 0


def run(*words):
    return subprocess.run([heddle, *words], capture_output=True, text=True)


def bytes_loaded(file, kernel, folder):
    """By memory space."""
    accesses = os.path.join(folder, "accesses.tsv")
    profiled = run("profile", file, "--compiler", "clang", "--json", "--accesses", accesses, "--no-compile-commands")
    if profiled.returncode:
        sys.exit(f"{file}: {profiled.stderr}")
    lines = [line.rstrip("\n").split("\t") for line in open(accesses)]
    loaded = Counter()
    for row in (dict(zip(lines[0], line)) for line in lines[1:]):
        if row["kind"] == "read" and row["kernel"] == kernel:
            loaded[row["space"]] += int(row["lanes"]) * int(row["bytes"])
    return loaded


def as_written(file, folder):
    """The file, or what its #pragma heddle lines make of it, to which -d is applied."""
    if "#pragma heddle" not in open(file).read():
        return file
    applied = os.path.join(folder, "pragmas.cu")
    if run("opt", file, "-o", applied, "--no-check", "--cuda-path", "none").returncode:
        sys.exit(f"{file}: its pragmas are refused")
    return applied


with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "out.cu")
    for file in files:
        for kernel in json.loads(run("analyze", file, "--cuda-path", "none", "--no-ptxas", "--json").stdout)["kernels"]:
            tried = [(each, each["loadsSaved"]) for each in kernel["opportunities"] if each["loadsSaved"] != {"shared": None, "global": None}]
            tried += [(each, {"shared": 0, "global": 0}) for each in kernel["notOffered"] if each["reason"].startswith("saves no loads")]
            kernels += bool(tried)
            before = bytes_loaded(as_written(file, folder), kernel["mangledName"], folder) if tried else None
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
                    rows.append((os.path.basename(file), kernel["name"], each["directive"], space, 100 * (stated[space] or 0), 100 * counted))
                    if abs(counted - (stated[space] or 0)) > 0.03:
                        wrong += 1
                        print(f"{os.path.basename(file)}: {kernel['name']}: {each['directive']}: {counted:.0%} of {space} loads saved, "
                              f"stated {stated[space] or 0:.0%}")
print(f"{wrong} of {compared} disagree, {saving} save loads")

if table:
    differences = [abs(row[4] - row[5]) for row in rows]
    with open(table, "w") as data:
        data.write("# The share of loads that heddle analyze states an opportunity saves, and what the simulator counts before and after (bytes that\n"
                   "# threads load, in percent). The first row is about all: comparisons within 3 points, and the largest difference.\n"
                   "# Command: tests/golden/analyze/Inputs/loads-saved.py HEDDLE --table DATA FILE...\n")
        data.write("program\tkernel\tdirective\tspace\tstated\tcounted\tdifference\tcompared\tagree\tkernels\n")
        data.write(f"all\t\t\t\t\t\t{max(differences):.1f}\t{compared}\t{compared - wrong}\t{kernels}\n")
        for row, difference in zip(rows, differences):
            data.write("\t".join(row[:4]) + f"\t{row[4]:.1f}\t{row[5]:.1f}\t{difference:.1f}\t\t\t\n")
