# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the sectors that `heddle analyze --json` states with those that the simulator counts in `heddle profile --json`.

    sectors.py ANALYZED PROFILED aligned|other      aligned: parameters satisfy the conditions
"""
import json
import sys

analyzed, profiled = (json.load(open(name)) for name in sys.argv[1:3])
counted = {kernel["kernel"].split("(")[0]: kernel["globalSectors"] / kernel["globalRequests"] for kernel in profiled["kernels"]}
for kernel in analyzed["kernels"]:
    warp = kernel["accesses"][0]["warp"]
    found = counted[kernel["name"]]
    isOne = warp["sectors"] is not None and (sys.argv[3] == "aligned" or warp["condition"] is None)
    least, most = (warp["sectors"],) * 2 if isOne else (warp["leastSectors"], warp["mostSectors"])
    print(kernel["name"], "as stated" if least <= found <= most else f"{found} per request, stated {least} to {most}")
