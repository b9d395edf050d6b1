#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Specializes a program in many ways and compares each with the original, on the simulator.

  combinations.py HEDDLE PROGRAM [--all] [--block B] [--static THREADS OPTION...] [--sizes "SIZE..."]...

Which ways are legal is not asked of Heddle alone: the table in PROGRAMS.md says which copies and how many consumer groups
a program allows, and a refusal (or a lack of one) that differs from it is an error. All variants of a program become one
file, each in a namespace of its own, so that CUDA's headers are read once; what each prints, a checksum of all bits of
the results, must be what the original prints.
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = [("ld", "named"), ("ld", "mbarrier"), ("cpasync", "named"), ("cpasync", "mbarrier"), ("bulk", "mbarrier")]


def promised(program):
    """What PROGRAMS.md says: whether cpasync, bulk and consumers=2 are legal."""
    for line in (HERE / "PROGRAMS.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == program and len(cells) == 9:
            return {"cpasync": not cells[6].startswith("no"), "bulk": not cells[7].startswith("no"),
                    "consumers": not cells[8].startswith("no")}
    sys.exit(f"{program} has no row in PROGRAMS.md")


def ways(everything):
    """Every way, or few that hold each value of each setting, and each pair of copy and barrier, for both numbers of
    consumer groups."""
    for index, ((copy, barrier), consumers) in enumerate(itertools.product(PAIRS, (1, 2))):
        numbers = itertools.product((1, 2, 3, 4), (1, 2, 3, 4)) if everything else [
            (1 + (index + 1) % 4, 1 + (index * 3 // 2) % 4)]
        for buffers, producers in numbers:
            yield dict(copy=copy, barrier=barrier, buffers=buffers, producers=producers, consumers=consumers)


def words(way):
    return "specialize " + " ".join(f"{key}={value}" for key, value in way.items())


def specialize(arguments, way, folder, number):
    """The text, or None and the refusal."""
    out = folder / f"v{number}.cu"
    block = ["--block", arguments.block] if arguments.block else []
    done = subprocess.run([arguments.heddle, "opt", str(arguments.program), "-d", words(way), "-o", str(out), "--no-check",
                           "--runtime", "path", "--includes", "keep", *block],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return out, ""
    refusal = re.search(r"error: (.*)", done.stderr)
    if not refusal:
        sys.exit(f"{words(way)}: neither done nor refused\n{done.stderr}")
    return None, refusal.group(1)


def split(text):
    """The includes, and what follows."""
    end = max(match.end() for match in re.finditer(r"^#include .*$", text, re.M))
    return text[:end], text[end:]


def merged(original, variants, sizes):
    """One program that runs the original and all variants, for each list of sizes."""
    heads, bodies = set(), []
    for number, path in enumerate([original, *variants]):
        head, body = split(path.read_text())
        heads.update(line for line in head.splitlines() if line.startswith("#"))
        bodies.append(f"namespace v{number} {{\n" + re.sub(r"\bint main\(", "int run(", body) + f"\n}} // namespace v{number}\n")
    calls = ""
    for k, words_of_size in enumerate(sizes):
        given = ", ".join(['(char *)"program"'] + [f'(char *)"{word}"' for word in words_of_size.split()])
        calls += f"  char *sizes{k}[] = {{{given}, nullptr}};\n"
        calls += "".join(f'  std::printf("v{n}.{k} "), std::fflush(stdout), '
                         f"v{n}::run({len(words_of_size.split()) + 1}, sizes{k}), std::fflush(stdout);\n"
                         for n in range(len(bodies)))
    includes = "\n".join(sorted(heads, key=lambda line: ("heddle/" in line, line)))
    return f"{includes}\n#include <cstdio>\n\n" + "\n".join(bodies) + \
        "int main() {\n" + calls + "}\n"


def check_run(arguments, labels, variants, folder):
    source = folder / "all.cu"
    source.write_text(merged(arguments.program, variants, arguments.sizes))
    done = subprocess.run([arguments.heddle, "run", "--quiet", "--compiler", "clang", "--timeout", "120", str(source),
                           "-I" + str(HERE)], capture_output=True, text=True)
    printed = {(int(n), int(k)): line for n, k, line in re.findall(r"^v(\d+)\.(\d+) (.*)$", done.stdout, re.M)}
    failures = []
    for k, sizes in enumerate(arguments.sizes):
        wanted = printed.get((0, k), "nothing")
        if "PASS" not in wanted:
            failures.append(f"sizes '{sizes}': the original prints '{wanted}'")
        failures += [f"sizes '{sizes}', {label}: {printed.get((number, k), 'nothing')} instead of {wanted}"
                     for number, label in enumerate(labels, 1) if printed.get((number, k)) != wanted]
    if failures:
        print(done.stderr[-3000:])
    return failures


def check_static(arguments, ways_and_files):
    """One block with unknown data: no race, no deadlock, whatever is in memory. In the options, =EXPRESSION is computed
    with the number of stages."""
    failures = []
    for way, path in ways_and_files:
        threads = int(arguments.static[0]) * way["consumers"] + 32 * way["producers"]
        options = [str(eval(option[1:], {"stages": way["buffers"]})) if option.startswith("=") else option
                   for option in arguments.static[1:]]
        done = subprocess.run([arguments.heddle, "check", "--static", "--compiler", "clang", str(path), "-I" + str(HERE),
                               "--block", str(threads), *options], capture_output=True, text=True)
        # Where an address depends on what is in memory (a histogram), no static check can decide it, and this one prints so.
        # Global memory is the program's own: the transform leaves its accesses as they are.
        is_beyond = "\nundecided: kernel" in done.stdout and "depends on data in memory" in done.stdout
        proved = all(f"\n  {name}: proved for every input" in done.stdout
                     for name in ("shared-memory races", "barrier use", "deadlock", "shared-memory bounds"))
        if done.returncode != 0 or not (proved or is_beyond):
            failures.append(f"static check, {words(way)}: {done.stdout[:600]}{done.stderr[:300]}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="every way, not a few of them")
    parser.add_argument("--block", help="the block, where the program does not say it")
    parser.add_argument("--sizes", action="append", default=[""], help="further arguments to run the program with")
    own, static = sys.argv[1:], None
    if "--static" in own: # the rest: it takes options itself
        own, static = own[:own.index("--static")], own[own.index("--static") + 1:]
    arguments = parser.parse_args(own)
    arguments.static = static
    legal = promised(arguments.program.stem)
    failures, labels, files, taken = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, way in enumerate(ways(arguments.all), 1):
            wanted = legal.get(way["copy"], True) and (way["consumers"] == 1 or legal["consumers"])
            path, refusal = specialize(arguments, way, folder, number)
            if (path is not None) != wanted:
                failures.append(f"{words(way)}: " + (f"refused: {refusal}" if wanted else "must be refused"))
            if path:
                labels.append(words(way))
                files.append(path)
                taken.append((way, path))
        failures += check_run(arguments, labels, files, folder)
        if arguments.static is not None:
            failures += check_static(arguments, taken if arguments.all else taken[1::4])
    print(f"{arguments.program.stem}: {len(files)} ways, {len(failures)} wrong")
    print("\n".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
