#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes thermodynamics and rates of examples/hydrogen with 40 decimal digits, formula by formula.

An independent witness for the evaluator: it shares no code with it and reads no more of CHEMKIN than this one mechanism
needs. The result is kept as hydrogen_by_hand.json; run this again when the mechanism or its states change:

    python3 tests/chem/data/hydrogen_by_hand.py examples/hydrogen > tests/chem/data/hydrogen_by_hand.json
"""
import json
import re
import sys
from decimal import Decimal as D
from decimal import getcontext
from pathlib import Path

getcontext().prec = 40
R = D("8314.46261815324")  # J/kmol/K
ATM = D(101325)
WEIGHTS = {"H": D("1.008"), "O": D("15.999"), "N": D("14.007"), "AR": D("39.95")}
CAL = D(4184)  # J/kmol for a cal/mol
LOG10 = D(10).ln()


def exp(x):
    return x.exp()


def read_thermo(folder):
    """Name to (elements, low coefficients, high coefficients, middle temperature)."""
    lines = [l for l in (folder / "therm.dat").read_text().splitlines() if len(l) >= 80 and l[79] in "1234"]
    species = {}
    for head, *rest in (lines[i : i + 4] for i in range(0, len(lines), 4)):
        elements = {}
        for column in range(24, 44, 5):
            if head[column : column + 2].strip():
                elements[head[column : column + 2].strip()] = int(head[column + 2 : column + 5])
        numbers = [D(line[c : c + 15].strip()) for line in rest for c in range(0, 75, 15) if line[c : c + 15].strip()]
        species[head.split()[0]] = (elements, numbers[7:14], numbers[0:7], D(head[65:73].strip()))
    return species


def coefficients(thermo, t):
    _, low, high, middle = thermo
    return low if t <= middle else high


def heat(thermo, t):
    a = coefficients(thermo, t)
    return sum(a[i] * t**i for i in range(5))


def enthalpy(thermo, t):
    a = coefficients(thermo, t)
    return sum(a[i] * t**i / (i + 1) for i in range(5)) + a[5] / t


def entropy(thermo, t):
    a = coefficients(thermo, t)
    return a[0] * t.ln() + sum(a[i] * t**i / i for i in range(1, 5)) + a[6]


def read_side(text):
    """'2 OH + M' to ([(species, count)], 'M' or '(M)' or None)."""
    collider = "(M)" if "(+M)" in text else None
    terms = []
    for part in text.replace("(+M)", "").split("+"):
        count, name = re.fullmatch(r"\s*(\d*)\s*(\w+)\s*", part).groups()
        if name == "M":
            collider = "M"
        else:
            terms.append((name, int(count or 1)))
    return terms, collider


def read_reactions(folder):
    text = re.sub(r"!.*", "", (folder / "chem.inp").read_text())
    text = text[text.index("REACTIONS") :].split("\n", 1)[1]
    number = r"[-+]?[\d.]+(?:E[-+]?\d+)?"
    reactions = []
    for line in text.splitlines():
        if m := re.fullmatch(rf"(\S.*=.*?)\s+({number})\s+({number})\s+({number})\s*", line):
            left, right = m[1].split("=")
            reactants, collider = read_side(left)
            products, _ = read_side(right)
            reactions.append({"reactants": reactants, "products": products, "collider": collider,
                              "rate": [D(x) for x in m.groups()[1:]], "efficiencies": {}, "low": None, "troe": None})
        elif m := re.fullmatch(r"\s*LOW\s*/(.*)/\s*", line):
            reactions[-1]["low"] = [D(x) for x in m[1].split()]
        elif m := re.fullmatch(r"\s*TROE\s*/(.*)/\s*", line):
            reactions[-1]["troe"] = [D(x) for x in m[1].split()]
        elif efficiencies := re.findall(r"(\w+)/([\d.]+)/", line):
            reactions[-1]["efficiencies"] = {name: D(value) for name, value in efficiencies}
    return reactions


def arrhenius(rate, molecules, t):
    """In kmol, m3, s: a rate constant of n molecules in mol, cm3, s is 1e-3 to the n-1 of that."""
    a, b, energy = rate
    return a * D(10) ** (-3 * (molecules - 1)) * exp(b * t.ln() - energy * CAL / (R * t))


def troe(numbers, t, reduced):
    a, t3, t1 = numbers
    log_centre = ((1 - a) * exp(-t / t3) + a * exp(-t / t1)).ln() / LOG10
    x = reduced.ln() / LOG10 - D("0.4") - D("0.67") * log_centre
    f = x / (D("0.75") - D("1.27") * log_centre - D("0.14") * x)
    return exp(log_centre / (1 + f * f) * LOG10)


def rates(reaction, thermo, t, c):
    """(forward, reverse) rate of progress."""
    reactants, products = reaction["reactants"], reaction["products"]
    m = sum(reaction["efficiencies"].get(name, D(1)) * each for name, each in c.items())
    molecules = sum(n for _, n in reactants)
    if reaction["low"]:
        high = arrhenius(reaction["rate"], molecules, t)
        reduced = arrhenius(reaction["low"], molecules + 1, t) * m / high
        k = high * reduced / (1 + reduced) * troe(reaction["troe"], t, reduced)
    elif reaction["collider"]:
        k = arrhenius(reaction["rate"], molecules + 1, t) * m
    else:
        k = arrhenius(reaction["rate"], molecules, t)
    gibbs = moles = D(0)
    for side, sign in ((products, 1), (reactants, -1)):
        for name, n in side:
            gibbs += sign * n * (enthalpy(thermo[name], t) - entropy(thermo[name], t))
            moles += sign * n
    equilibrium = exp(-gibbs) * (ATM / (R * t)) ** int(moles)
    forward, reverse = k, k / equilibrium
    for name, n in reactants:
        forward *= c[name] ** n
    for name, n in products:
        reverse *= c[name] ** n
    return forward, reverse


def evaluate(state, names, thermo, reactions):
    t, p = D(str(state["T"])), D(str(state["P"]))
    x = dict(zip(names, (D(str(each)) for each in state["X"])))
    total = sum(x.values())
    x = {name: each / total for name, each in x.items()}
    c = {name: each * p / (R * t) for name, each in x.items()}
    weights = {name: sum(WEIGHTS[e] * n for e, n in thermo[name][0].items()) for name in names}
    weight = sum(x[name] * weights[name] for name in names)
    progress = [rates(reaction, thermo, t, c) for reaction in reactions]
    net = dict.fromkeys(names, D(0))
    for reaction, (forward, reverse) in zip(reactions, progress):
        for side, sign in ((reaction["products"], 1), (reaction["reactants"], -1)):
            for name, n in side:
                net[name] += sign * n * (forward - reverse)
    return {
        "T": state["T"], "P": state["P"], "X": state["X"],
        "density": float(weight * p / (R * t)),
        "mean_molecular_weight": float(weight),
        "cp_mass": float(sum(x[n] * heat(thermo[n], t) for n in names) * R / weight),
        "enthalpy_mole": [float(enthalpy(thermo[n], t) * R * t) for n in names],
        "net_production_rates": [float(net[n]) for n in names],
        "fwd_rates_of_progress": [float(f) for f, _ in progress],
        "rev_rates_of_progress": [float(r) for _, r in progress],
    }


def main():
    folder = Path(sys.argv[1])
    given = json.loads((folder / "states.json").read_text())
    thermo, reactions = read_thermo(folder), read_reactions(folder)
    assert len(reactions) == 23 and len(thermo) == 10
    results = [evaluate(state, given["species"], thermo, reactions) for state in given["states"]]
    print(json.dumps({"species": given["species"], "states": results}, indent=1))


main()
