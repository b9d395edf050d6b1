# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what holds of a profile in JSON."""
import json
import sys

profile = json.load(open(sys.argv[1]))
print(profile["schema"], profile["arch"])
(kernel,) = profile["kernels"]
print(kernel["kernel"].split("(")[0], kernel["divergentWarps"], "of", kernel["warps"])
shares = sum(line["lostShare"] for line in kernel["lines"]) + kernel["absentShare"]
if abs(shares - kernel["lostShare"]) < 1e-9:
    print("shares add up")
by = {estimate["algorithm"]: estimate for estimate in kernel["regrouped"]}
if by["greedy-max"]["scheduled"] < kernel["scheduled"] and by["greedy-max"]["exact"]:
    print("greedy-max is faster")
inputs = kernel["prediction"]["inputs"]
linear = [block for block in kernel["prediction"]["blocks"] if block["key"] == "linear"]
if any(inputs[i]["kind"] == "element" for block in linear for i in block["model"]["inputs"]):
    print("an element decides")
