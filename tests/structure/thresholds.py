#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""thresholds.py ROOT: numbers that decide whether something pays are in src/model/Thresholds.def.
thresholds.py --self-test: what counts as a number.

 1. A named constant of a module that decides (MODULES) is a threshold, and then it is in the table, or it is listed in constants.txt
    beside this file with what it is: a budget, a format, a fact of the hardware. Entries for constants that are gone are errors too.
 2. Files that decide (DECIDING) have no other number than those that counting and halving need.
 3. Every row of the table is used.
 4. The numbers by which an emitted program decides (RUNTIME) are in docs/thresholds.md with their values.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])  # no folder where the rule itself is tested
LIST = pathlib.Path(__file__).parent / "constants.txt"
MODULES = ["analysis", "check", "counts", "divergence", "flow", "kernels", "model", "report", "transform", "tune", "verify", "partition"]
DECIDING = ["src/transform/**/*Choice.cpp", "src/transform/**/*Estimate.cpp", "src/analysis/*Habits.cpp",
            "src/transform/**/*Opportunities.cpp", "src/transform/Auto.cpp", "src/model/Profitability.cpp", "src/model/WorkCost.cpp"]
RUNTIME, NOT_DECIDING = "runtime/heddle/regrouping/orders.cuh", {"mostThreads"}  # a limit of 32-bit numbers
KINDS = {"algorithm", "budget", "format", "hardware", "protocol", "unit"}
PLAIN_NUMBERS = {"0", "1", "2", "3", "4", "100", "0.0", "1.0"}  # 3: axes; 4: bytes of a word, axes and grid; 100: percent

TYPE = r"(?:std::)?(?:unsigned|int|long double|long|double|float|bool|auto|size_t|u?int(?:8|16|32|64)_t|Stamp|FormId|char)(?:\s+(?:long|int))*"
DECLARATION = re.compile(rf"\b(?:constexpr|const)\s+(?:static\s+|inline\s+)*{TYPE}\s+(\w+(?:\[\w*\])?\s*=[^;]*);")
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+|\d[\d']*(?:\.\d*)?(?:e[-+]?\d+)?)[uUlLfF]*(?![\w.])")
STRING = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')


def code_of(text):
    """Without comments and with empty strings: emitted text is no code of ours."""
    return re.sub(r"//[^\n]*", "", STRING.sub('""', text))


def declarators(text):
    """name, initializer of `a = 1, b = f(2, 3)`."""
    depth, part = 0, ""
    for letter in text + ",":
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth <= 0:
            name, _, value = part.partition("=")
            yield re.sub(r"\[.*", "", name).strip(), value.strip()
            part = ""
        else:
            part += letter


def named_constants(code):
    for found in DECLARATION.finditer(code):
        is_constexpr = found[0].startswith("constexpr")
        for name, value in declarators(found[1]):
            # A const variable is a constant of ours where nothing is computed; a constexpr one where there is a number in it.
            literal = NUMBER.search(value) if is_constexpr else NUMBER.fullmatch(value)
            is_sentinel = re.match(r"~(?:\w+\()?0", value)
            if name and literal and not is_sentinel and "threshold::" not in value:
                yield name
    for found in re.finditer(r"^#define\s+(\w+)\s+[-(]*\d", code, re.M):
        yield found[1]


def listed_constants():
    listed = {}
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            module, name, kind, _ = line.split(None, 3)  # the reason must be there
            if kind not in KINDS:
                raise SystemExit(f"constants.txt:{number}: '{kind}' is none of {sorted(KINDS)}")
            listed[module, name] = number
    return listed


def rows():
    table = (ROOT / "src/model/Thresholds.def").read_text()
    return re.findall(r"^THRESHOLD\((\w+), (\w+),", table, re.M)


def problems():
    listed, seen = listed_constants(), set()
    files = {}
    for module in MODULES:
        for file in sorted((ROOT / "src" / module).rglob("*.*")):
            if file.suffix in (".h", ".cpp") and "templates" not in file.parts:  # text of generated packages
                files[file] = code_of(file.read_text(encoding="utf-8"))
    for file, code in files.items():
        path = file.relative_to(ROOT)
        module = path.parts[1]
        for name in named_constants(code):
            seen.add((module, name))
            if (module, name) not in listed:
                yield (f"{path}: '{name}' is a number of its own: put it into src/model/Thresholds.def where it decides whether something "
                       f"pays, else say in tests/structure/{LIST.name} what it is")
    for (module, name), number in listed.items():
        if (module, name) not in seen:
            yield f"tests/structure/{LIST.name}:{number}: {module} has no constant '{name}' any more: delete the line"
    for pattern in DECIDING:
        for file in ROOT.glob(pattern):
            own = {name for module, name in listed if module == file.relative_to(ROOT).parts[1]}
            code = DECLARATION.sub(lambda found: "" if all(n in own for n, _ in declarators(found[1])) else found[0], files[file])
            for number in NUMBER.finditer(code):
                if number[0].rstrip("uUlLfF") not in PLAIN_NUMBERS:
                    line = code[:number.start()].count("\n") + 1
                    yield f"{file.relative_to(ROOT)}: {number[0]} (about line {line}) decides something: put it into src/model/Thresholds.def"
    words = [(set(re.findall(r"\bthreshold::(\w+)", code)), set(re.findall(r"\w+", code))) for code in files.values()]
    for group, name in rows():
        if not any(group in groups and name in names for groups, names in words):
            yield f"src/model/Thresholds.def: nothing uses {group}.{name}"

    page = (ROOT / "docs/thresholds.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"^constexpr [\w ]+? (\w+) = ([\d.]+)[uf]*;", (ROOT / RUNTIME).read_text(encoding="utf-8"), re.M))
    if not found:
        yield f"{RUNTIME}: has no constants any more"
    for name, value in found.items():
        if name not in NOT_DECIDING and f"| `{name}` | {value} |" not in page:
            yield f"{RUNTIME}: '{name}' is {value}, and docs/thresholds.md has no row with that"


def self_test():
    cases = {
        "constexpr double leastGain = 1.12;": ["leastGain"],
        "static constexpr unsigned a = 16, b = f(2, 3);": ["a", "b"],
        "inline constexpr int64_t most = int64_t(1) << 31;": ["most"],
        "constexpr int64_t sizes[] = {8, 16};": ["sizes"],
        "const double share = 0.5;": ["share"],
        "const double half = whole / 2;": [],
        "const auto &place = list[0];": [],
        "constexpr unsigned none = ~0u;": [],
        "constexpr double gain = model::threshold::coarsen::leastGain;": [],
        "#define MOST_ITEMS 16": ["MOST_ITEMS"],
        "// constexpr int a = 5;": [],
        'text += "constexpr int a = 5;";': [],
        'text += R"(constexpr int a = 5;)";': [],
    }
    for text, names in cases.items():
        if list(named_constants(code_of(text))) != names:
            yield f"{text} has the constants {list(named_constants(code_of(text)))}, wanted {names}"


found = list(self_test() if sys.argv[1] == "--self-test" else problems())
print("\n".join(found) or "every threshold is in the table")
sys.exit(1 if found else 0)
