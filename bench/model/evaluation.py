# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good the predictions are for programs that no constant was fitted to.

For each group of programs (groups.tsv), the constants of formula.py are fitted to all other programs, and the group is predicted with them: every
number of the table is of a program that was left out. So is the margin of the rule that keeps the baseline: a variant is chosen if the model predicts that
it saves more than the margin.
"""
import math
import sys
from collections import defaultdict
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "variants"))
import formula  # noqa: E402
from agreement import FEWEST, mean, sign, tau, top  # noqa: E402
from variants import table  # noqa: E402

MARGINS = (0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
LOSS = 0.03  # slower than the baseline: more than noise
FACTOR = 1.5


class Program:
    """Variants with the terms of their kernels, the baseline first; pairs whose measured times differ are kept, since every fit asks for them."""

    def __init__(self, key, rows):
        self.key = key
        kernels = defaultdict(list)
        for row in rows:
            kernels[row["variant"]].append({name: float(row[name]) for name in formula.TERMS} | {"measured": float(row["measured_micros"])})
        self.variants = [kernels[name] for name in dict.fromkeys(["original", *kernels])]
        self.measured = [sum(kernel["measured"] for kernel in kernels) for kernels in self.variants]
        places = range(len(self.measured))
        self.order = [(a, b, sign(self.measured[a], self.measured[b])) for a in places for b in range(a + 1, len(self.measured))]
        self.differing = sum(bool(order) for *_, order in self.order)

    def predicted(self, constants):
        return [sum(formula.micros(kernel, constants) for kernel in kernels) for kernels in self.variants]

    def tau(self, predicted):
        """The same as agreement.tau."""
        if len(predicted) < FEWEST:
            return None
        agree = ordered = 0
        for a, b, order in self.order:
            other = sign(predicted[a], predicted[b])
            agree += order * other
            ordered += bool(other)
        norm = math.sqrt(self.differing * ordered)
        return agree / norm if norm else 0

    def chosen(self, predicted, margin):
        """The variant that the model takes."""
        best = min(range(len(predicted)), key=predicted.__getitem__)
        return best if predicted[best] < (1 - margin) * predicted[0] else 0

    def speed(self, chosen):
        return min(self.measured) / self.measured[chosen]

    def isLoss(self, chosen):
        return self.measured[chosen] > (1 + LOSS) * self.measured[0]


def programs_of(rows):
    groups = defaultdict(list)
    for row in rows:
        groups[row["suite"], row["program"]].append(row)
    found = [Program(key, rows) for key, rows in groups.items() if any(row["variant"] == "original" for row in rows)]
    return [program for program in found if len(program.variants) > 1]


def groups_of(programs):
    """By group, its programs, in the order of the data."""
    group = {name: row["group"] for row in table(here / "groups.tsv") for name in row["programs"].split()}
    found = defaultdict(list)
    for program in programs:
        name = "/".join(program.key)
        found[group.get(name, name)].append(program)
    return found


def badness(programs, constants):
    """What a fit makes small: orders that are wrong, and times that are wrong by more than noise."""
    sum = 0
    for program in programs:
        predicted = program.predicted(constants)
        found = program.tau(predicted)
        errors = mean(abs(math.log2(p / m)) for p, m in zip(predicted, program.measured))
        sum += (1 - found if found is not None else 0) + min(errors, 2)
    return sum


def fitted(programs, start):
    """One constant after the other, until none gets better."""
    constants, best = dict(start), badness(programs, start)
    while True:
        before = best
        for name, values in formula.TRIED.items():
            for value in values:
                if value == constants[name]:
                    continue
                tried = constants | {name: value}
                if (bad := badness(programs, tried)) < best - 1e-9:
                    best, constants = bad, tried
        if best == before:
            return constants


def fitted_margin(programs, constants):
    """The margin with the fastest choices, where a loss counts as much as a tenth."""
    def cost(margin):
        chosen = [(program, program.chosen(program.predicted(constants), margin)) for program in programs]
        return sum(-math.log(program.speed(one)) + 0.1 * program.isLoss(one) for program, one in chosen)
    return min(MARGINS, key=cost)


def left_out(programs, start, refit=True):
    """Each program with what is predicted for it, the constants and the margin, of which none was fitted to its group."""
    for group in groups_of(programs).values():
        others = [program for program in programs if program not in group]
        constants = fitted(others, start) if refit else start
        margin = fitted_margin(others, constants)
        for program in group:
            yield program, program.predicted(constants), constants, margin


class Summary:
    """The numbers of the table."""

    def __init__(self, results):
        """`results`: programs, what is predicted, and the margin."""
        taus = [program.tau(predicted) for program, predicted, _ in results]
        self.tau = mean(found for found in taus if found is not None)
        first = [(program, program.chosen(predicted, 0)) for program, predicted, _ in results]
        kept = [(program, program.chosen(predicted, margin)) for program, predicted, margin in results]
        self.programs = len(results)
        self.near = sum(program.speed(one) >= 1 / 1.1 for program, one in kept)
        self.nearFirst = sum(program.speed(one) >= 1 / 1.1 for program, one in first)
        self.losses = sum(program.isLoss(one) for program, one in kept)
        self.lossesFirst = sum(program.isLoss(one) for program, one in first)
        ratios = [p / m for program, predicted, _ in results for p, m in zip(predicted, program.measured)]
        self.launches = len(ratios)
        self.within = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
        self.speed = math.exp(mean(math.log(program.speed(one)) for program, one in kept))
