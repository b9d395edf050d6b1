# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `heddle analyze --json` states with what the simulator counts (`heddle profile --json --accesses`).

    facts.py ANALYZED ACCESSES.tsv PROFILED     what is stated, and what was counted
    facts.py --run HEDDLE FILE.cu...            runs both verbs on each program

Compared are the lanes that execute an access, its sectors or passes over the banks, one address for all lanes, and branches at
which lanes diverged. How often accesses in loops are executed is compared with the stated trip counts: a kernel's accesses outside of loops
and conditions are executed once per warp. An access of the source is an instruction with its line and column; where the compiler gives another column, all
instructions of the line are compared if all accesses of the line have the same facts. Accesses of which the program never has as many lanes
as are stated (a bound that depends on a parameter) are left out. Prints each disagreement and the number of comparisons.
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict


def rows_of(file):
    lines = [line.rstrip("\n").split("\t") for line in open(file)]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def is_of(row, access):
    """Whether the instruction may be this access."""
    return (int(row["line"]) == access["at"]["line"] and os.path.basename(row["file"]) == os.path.basename(access["at"]["file"])
            and row["kind"] == access["kind"] and row["space"] == access["space"] and int(row["bytes"]) == access["bytes"])


def instructions_of(access, accesses, rows):
    """Those that are certainly this access, or have the same facts."""
    found = [row for row in rows if is_of(row, access)]
    same = [a for a in accesses if all(a[key] == access[key] for key in ("kind", "space", "bytes")) and
            a["at"]["line"] == access["at"]["line"]]
    exact = [row for row in found if int(row["column"]) == access["at"]["column"]]
    candidates, among = (exact, [a for a in same if a["at"] == access["at"]]) if exact else (found, same)
    return candidates if all(a["warp"] == access["warp"] for a in among) else []


def disagreements(access, rows):
    """Texts, and whether there was something to compare."""
    warp = access["warp"]
    lanes = max(int(row["most lanes"]) for row in rows)
    if lanes > warp["executingLanes"]:
        return [f"executed by {lanes} lanes, stated {warp['executingLanes']}"], True
    rows = [row for row in rows if int(row["most lanes"]) == warp["executingLanes"]]
    if not rows:
        return [], False
    least, most = min(int(row["least cost"]) for row in rows), max(int(row["most cost"]) for row in rows)
    found = []
    if warp["oneAddress"] and any(row["one address"] != row["widest requests"] for row in rows):
        found.append("several addresses, stated one")
    if access["space"] == "shared":
        if warp["wavefronts"] is None:
            return found, False
        if most != warp["wavefronts"]:  # others of the warps may need fewer
            found.append(f"{most} passes over the banks, stated {warp['wavefronts']}")
        return found, True
    if warp["mostSectors"] is None:
        return found, False
    stated = (warp["leastSectors"], warp["mostSectors"])
    if warp["sectors"] is not None and warp["condition"] is None:
        stated = (warp["sectors"],) * 2
    if least < stated[0] or most > stated[1]:
        found.append(f"{least} to {most} sectors, stated {stated[0]} to {stated[1]}")
    return found, True


def times_in_loops(access, loops):
    """How often a thread executes an access, and whether that is certain; None where a trip count is not stated."""
    times, certain, loop = 1, not access["conditional"], access["loop"]
    while loop is not None:
        loop = loops[loop]
        if loop["trips"] is None:
            return None
        times *= loop["trips"]
        certain = certain and not loop["earlyExit"]
        loop = loop["parent"]
    return times, certain


def trip_counts(kernel, rows):
    """The same for trip counts: the accesses of a line are executed so often as their loops say, by each warp."""
    groups = defaultdict(list)
    for access in kernel["accesses"]:
        groups[access["at"]["line"], access["kind"], access["space"], access["bytes"]].append(access)
    counted = {key: sum(int(row["requests"]) for row in rows if is_of(row, group[0])) for key, group in groups.items()}
    warps = {counted[key] for key, group in groups.items()
             if counted[key] and len(group) == 1 and group[0]["loop"] is None and not group[0]["conditional"]}
    if len(warps) != 1:
        return [], 0
    warps, compared, wrong = warps.pop(), 0, []
    for key, group in groups.items():
        times = [times_in_loops(access, kernel["loops"]) for access in group]
        if not counted[key] or None in times or all(access["loop"] is None for access in group):
            continue
        stated, found = sum(each for each, _ in times), counted[key] / warps
        compared += 1
        if found > stated or (found < stated and all(certain for _, certain in times)):
            wrong.append(f"{kernel['name']}: line {key[0]}: {group[0]['kind']} of {group[0]['text']}: "
                         f"{found:g} times per warp, stated {stated}")
    return wrong, compared


def compare(analyzed, accesses, profiled):
    """Texts of what disagrees, and the number of comparisons."""
    rows = defaultdict(list)
    for row in rows_of(accesses):
        rows[row["kernel"]].append(row)
    diverged = {kernel["mangled"]: kernel["lines"] for kernel in json.load(open(profiled))["kernels"]}
    compared, wrong = 0, []
    for kernel in json.load(open(analyzed))["kernels"]:
        of_block = [row for row in rows[kernel["mangledName"]]
                    if all(size is None or str(size) == found
                           for size, found in zip(kernel["assumedBlock"], row["block"].split(",")))]
        for access in kernel["accesses"]:
            instructions = instructions_of(access, kernel["accesses"], of_block)
            if not instructions:
                continue
            texts, was_compared = disagreements(access, instructions)
            compared += was_compared
            wrong += [f"{kernel['name']}: line {access['at']['line']}: {access['kind']} of {access['text']}: {text}" for text in texts]
        of_loops = trip_counts(kernel, of_block)
        wrong += of_loops[0]
        compared += of_loops[1]
        branches = {branch["at"]["line"] for branch in kernel["divergentBranches"]}
        for line in diverged.get(kernel["mangledName"], []):
            compared += line["divergent"] > 0
            if line["divergent"] and line["at"]["line"] not in branches:
                wrong.append(f"{kernel['name']}: line {line['at']['line']}: lanes diverged, stated is that they do not")
    return wrong, compared


def run_both(heddle, program, folder):
    """None if one of the verbs refuses the program, as what only nvcc compiles."""
    names = [os.path.join(folder, name) for name in ("analyzed.json", "accesses.tsv", "profiled.json")]
    analyze = [heddle, "analyze", program, "--cuda-path", "none", "--no-ptxas", "--no-opportunities", "--json"]
    profile = [heddle, "profile", program, "--compiler", "clang", "--json", "--accesses", names[1], "--no-compile-commands"]
    for command, output in ((analyze, names[0]), (profile, names[2])):
        with open(output, "w") as file:
            subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, check=False)
        if not os.path.getsize(output):
            return None
    return compare(*names)


def main():
    if sys.argv[1] != "--run":
        wrong, compared = compare(*sys.argv[1:])
        print("\n".join(wrong + [f"{len(wrong)} of {compared} disagree"]))
        return 0
    all_wrong = all_compared = 0
    for program in sys.argv[3:]:
        with tempfile.TemporaryDirectory() as folder:
            result = run_both(sys.argv[2], program, folder)
        if not result:
            print(f"{os.path.basename(program)}: not compared")
            continue
        for text in result[0]:
            print(f"{os.path.basename(program)}: {text}")
        all_wrong += len(result[0])
        all_compared += result[1]
    print(f"{all_wrong} of {all_compared} disagree")
    return all_wrong > 0


sys.exit(main())
