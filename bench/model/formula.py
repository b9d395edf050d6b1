# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formula of src/model/Estimate.cpp, from the terms that heddle_model_predict prints, with other values of the constants that are fitted.

`agree` checks that it gives what the C++ code gives with the constants of src/model/Thresholds.def.
"""
import math
import re
from pathlib import Path

TERMS = ("issue", "arithmetic", "shared", "l2", "atomics", "dram", "waves", "chain", "wait", "barriers", "longest_chain", "longest_wait", "dispatch",
         "launch")
CLOCK = 1980  # MHz, of arch/sm_90.json: cycles of constants become microseconds
BOUNDS = ("issue", "arithmetic", "shared memory", "L2", "DRAM", "latency")

# Names as in Thresholds.def, and the values that are tried.
TRIED = {
    "smoothness": (2, 2.5, 3, 4, 6),
    "l2Efficiency": (0.6, 0.7, 0.85, 1),
    "dramEfficiency": (0.75, 0.8, 0.85, 0.9, 0.95),
    "blockCycles": (250, 500, 750, 1000, 1400),
    "loadedLatency": (0.5, 0.6, 0.7, 0.85, 1, 1.2),
    "loadedChain": (0.7, 0.85, 1, 1.2, 1.5),
}


def constants():
    """The values that the C++ code has."""
    text = (Path(__file__).resolve().parent.parent.parent / "src/model/Thresholds.def").read_text()
    found = dict(re.findall(r"THRESHOLD\(launch, (\w+), double, ([\d.]+),", text))
    return {name: float(found[name]) for name in TRIED}


def bounds(row, c):
    """Microseconds that each limit alone would take, in the order of BOUNDS."""
    block = c["blockCycles"] / CLOCK + row["chain"] * c["loadedChain"] + row["wait"] * c["loadedLatency"] + row["barriers"]
    longest = row["longest_chain"] * c["loadedChain"] + row["longest_wait"] * c["loadedLatency"]
    return (row["issue"], row["arithmetic"], row["shared"], max(row["l2"] / c["l2Efficiency"], row["atomics"]), row["dram"] / c["dramEfficiency"],
            max(math.ceil(row["waves"]) * block, longest, row["dispatch"]))


def micros(row, c):
    each = bounds(row, c)
    largest = max(each)
    return largest * sum((bound / largest) ** c["smoothness"] for bound in each) ** (1 / c["smoothness"]) + row["launch"]
