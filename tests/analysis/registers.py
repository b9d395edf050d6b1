# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the mean error of the estimate of registers (heddle analyze without a toolkit) against ptxas.

    registers.py HEDDLE SOURCE-FOLDER MOST-PERCENT [EVERY]   compares with Inputs/registers.tsv, which needs no ptxas: fails if the mean error
                                                             of one of the halves is above that, or if heddle estimates other numbers;
                                                             EVERY: of each such file
    registers.py HEDDLE SOURCE-FOLDER --record               prints that table, with the ptxas of the machine

The table has a row for each kernel of examples/ and tests/transform that Clang compiles: its file, its name, the registers that
ptxas of CUDA's toolkit reports for sm_90, and the estimate, which needs no toolkit and is made without one (--cuda-path none).

Constants of the estimate were chosen on one half of the files, those with an even first byte of the SHA-256 of
the path with __ for /. The other half evaluates them.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HEDDLE, ROOT, MODE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
TABLE = pathlib.Path(__file__).parent / "Inputs/registers.tsv"


def analyze(file, *options):
    """The registers of each kernel of a file."""
    folders = [ROOT / "tests/transform", (ROOT / file).parent]
    done = subprocess.run([HEDDLE, "analyze", ROOT / file, "--json", "--no-compile-commands", *options, *(f"-I{f}" for f in folders)],
                          capture_output=True, text=True)
    if done.returncode:
        return {}
    return {kernel["name"].replace(" ", ""): kernel["registers"] for kernel in json.loads(done.stdout)["kernels"]}


def estimates(file):
    return {name: registers["estimated"] for name, registers in analyze(file, "--cuda-path", "none", "--no-opportunities").items()}


def is_tuned(file):
    return hashlib.sha256(file.replace("/", "__").encode()).digest()[0] % 2 == 0


def record():
    files = sorted([*ROOT.glob("examples/*.cu"), *ROOT.glob("tests/transform/*/*.cu")])
    for file in (file.relative_to(ROOT) for file in files):
        estimated = estimates(file)
        for name, registers in analyze(file, "--no-opportunities").items():
            if "ptxas" in registers and name in estimated:
                print(file, name, registers["ptxas"]["registers"], estimated[name], sep="\t")


def compare(every):
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    worst = 0
    for half in ("all", "tuned", "others"):
        errors = [(int(estimated) - int(true)) / int(true) for file, _, true, estimated in rows
                  if half == "all" or is_tuned(file) == (half == "tuned")]
        error, bias = 100 * sum(map(abs, errors)) / len(errors), 100 * sum(errors) / len(errors)
        print(f"{half}: mean error {error:.1f} %, mean difference {bias:+.1f} %, of {len(errors)} kernels")
        worst = max(worst, error)
    files = sorted({file for file, *_ in rows})[::every]
    with ThreadPoolExecutor(2) as pool:
        known = dict(zip(files, pool.map(estimates, files)))
    others = [f"{file} {name}: {known[file].get(name)}, recorded: {estimated}"
              for file, name, _, estimated in rows if file in known and known[file].get(name) != int(estimated)]
    print(f"{len(files)} files estimated again", *others, sep="\n")
    sys.exit(bool(others) or worst > float(MODE))


record() if MODE == "--record" else compare(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
