# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well a model orders what was measured.

Kendall's tau-b of a program compares each two of its variants: 1 where the model orders all of them as the GPU did, -1 where it has the
order upside down, 0 where there is no correlation. Times that differ by less than ALIKE count as equal: two runs differ by that. Programs with fewer
than FEWEST variants have no tau of their own, but their pairs count.

`times` are pairs of a measured and a predicted time, one for each variant.
"""
import itertools
import math

ALIKE = 0.02
LARGE = 0.25
FEWEST = 4  # variants whose order is worth a tau


def sign(a, b):
    return 0 if abs(a - b) < ALIKE * max(a, b) else 1 if a > b else -1


def pairs(times):
    """How the GPU and the model order each two variants, and by how much the GPU's times differ."""
    for (measured, predicted), (other, other_predicted) in itertools.combinations(times, 2):
        yield sign(measured, other), sign(predicted, other_predicted), abs(measured - other) / min(measured, other)


def tau(times):
    """Nothing where there are too few variants to order; 0 where the model takes all for alike."""
    if len(times) < FEWEST:
        return None
    found = list(pairs(times))
    agree = sum(m * p for m, p, _ in found)
    norm = math.sqrt(sum(bool(m) for m, _, _ in found) * sum(bool(p) for _, p, _ in found))
    return agree / norm if norm else 0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def geometric(values):
    return math.exp(mean(math.log(value) for value in values))


def top(times):
    """How fast what the model thinks best is, as a share of the best."""
    return min(m for m, _ in times) / min(times, key=lambda time: time[1])[0]
