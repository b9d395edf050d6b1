#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header of src is self-contained.

Two checks, because compiling all 600 of them alone would take longer than the rest of these tests together:

`headers.py names SOURCE`    A header that uses a name of the standard library includes the standard header that declares it, itself or by
                             headers of ours that it includes. What a standard header includes by itself differs between versions: with
                             libstdc++ 13, <string> no longer gives uint32_t.
`headers.py alone SOURCE BUILD`   Compiles headers by themselves, those that nothing else shows to compile so. A header needs no such check if all
                             headers of ours that are read before it, in something that compiles, are among those that it includes itself: as
                             for the first include of a source file. Of sources that are compiled as one (heddle_unity) the first one counts.
                             Headers are compiled together where none mentions a name that only one before it declares. Precompiled headers
                             of others' libraries (cmake/*.h) come first all the same: what a header would miss of these is the business of
                             the first check.
`headers.py --self-test`     The rules, on made-up headers.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Names that are used as std::NAME, by the header that the standard says declares them.
STANDARD = {
    "algorithm": "sort stable_sort any_of all_of none_of min_element max_element",
    "array": "array", "atomic": "atomic", "chrono": "chrono", "deque": "deque", "filesystem": "filesystem", "functional": "function",
    "fstream": "ifstream ofstream", "future": "future async", "map": "map multimap", "memory": "unique_ptr shared_ptr make_unique make_shared",
    "mutex": "mutex lock_guard", "optional": "optional nullopt", "ostream|iostream|sstream|iosfwd|fstream": "ostream", "set": "set multiset", "span": "span",
    "sstream": "ostringstream istringstream stringstream", "string": "string to_string", "string_view|string": "string_view",
    "tuple": "tuple", "unordered_map": "unordered_map", "unordered_set": "unordered_set", "utility|map|vector": "pair",
    "variant": "variant monostate", "vector": "vector",
}
WITHOUT_STD = {"cstdint": r"\bu?int(?:8|16|32|64|ptr|max)_t\b"}  # also used without std::
SECONDS_EACH = 300
MOST_TOGETHER = 24


def included(text):
    return re.findall(r'^\s*#\s*include\s+([<"][^>"]+[>"])', text, re.MULTILINE)


def code_of(text):
    """Without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


class Headers:
    def __init__(self, root):
        self.root, self.closures = root, {}
        self.texts = {file: file.read_text() for file in sorted(root.rglob("*.h")) if "templates" not in file.parts}
        self.includes = {file: included(text) for file, text in self.texts.items()}

    def ours(self, name, beside):
        """The header of ours that `#include "name"` gives, or nothing."""
        for file in (self.root / name[1:-1], beside / name[1:-1]):
            if name[0] == '"' and file in self.texts:
                return file
        return None

    def closure(self, header):
        """The header and all of ours that it includes."""
        if header in self.closures:
            return self.closures[header]
        found, left = set(), [header]
        while left:
            file = left.pop()
            if file not in found:
                found.add(file)
                left += [each for name in self.includes[file] if (each := self.ours(name, file.parent))]
        self.closures[header] = found
        return found

    def all_names(self, header):
        return {name for file in self.closure(header) for name in self.includes[file]}


def faults_of_names(headers):
    rules = [(standard.split("|"), re.compile(rf"\bstd::(?:{'|'.join(names.split())})\b")) for standard, names in STANDARD.items()]
    rules += [([standard], re.compile(pattern)) for standard, pattern in WITHOUT_STD.items()]
    for header, text in headers.texts.items():
        names, code = headers.all_names(header), code_of(text)
        for standards, pattern in rules:
            used = pattern.search(code)
            if used and not any(f"<{standard}>" in names for standard in standards):
                yield f"{header}: uses {used[0]} and includes no <{standards[0]}>"


def compile_commands(build, root):
    """By module: its source files that are compiled by themselves or as the first of several, each with the words of its command."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        if file.parent.name == "Unity":
            file = Path(included(file.read_text())[0][1:-1])
        if root in file.parents:
            commands.setdefault(file.relative_to(root).parts[0], []).append((file, shlex.split(entry["command"])))
    return commands


def flags_of(words):
    """A compile command's flags, without launcher, compiler, input and output."""
    compiler = next(at for at, word in enumerate(words) if re.search(r"clang\+\+(-\d+)?$", word))
    left, flags = iter(words[compiler + 1:]), []
    for word in left:
        if word in ("-o", "-c"):
            next(left)
        else:
            flags.append(word)
    return flags


def shown_to_compile(headers, names, beside, shown):
    """Adds to `shown` what a file with these includes shows. Headers include others at their top, before anything of their own."""
    entered, read = set(), set()

    def enter(header):
        if header in entered:
            return
        entered.add(header)
        if read <= headers.closure(header):
            shown.add(header)
        for name in headers.includes[header]:
            if each := headers.ours(name, header.parent):
                enter(each)
        read.add(header)

    for name in names:
        if each := headers.ours(name, beside):
            enter(each)


def declared(text):
    """Names that a header declares for others: one for each declaration. clang-format puts what is directly in a namespace at the beginning of
    a line."""
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE))
    for line in re.findall(r"^(?!namespace\b)[A-Za-z_].*", code_of(text), re.MULTILINE):
        if match := re.match(r"(?:template <.*?> )?(?:class|struct|union|enum(?: class)?|using) (\w+)", line):
            names.add(match[1])
        elif match := re.search(r"(\w+)(?=\s*(?:[=({\[;,]|$))", line):
            names.add(match[1])
    return names


def groups_of(headers, left):
    """Headers that can be compiled one behind the other, and each is shown to compile alone all the same."""
    names = {header: declared(text) for header, text in headers.texts.items()}
    words = {header: set(re.findall(r"\w+", code_of(headers.texts[header]))) for header in headers.texts}
    groups = []

    def mentions(closure, others):
        """Whether a header of the closure has a word that only the others declare."""
        foreign = {name for header in others - closure for name in names[header]}
        return any(words[header] & foreign - {name for each in headers.closure(header) for name in names[each]} for header in closure - others)

    for header in left:
        closure = headers.closure(header)
        for group in groups:
            if len(group["headers"]) < MOST_TOGETHER and not mentions(closure, group["closure"]):
                group["headers"].append(header)
                group["closure"] |= closure
                break
        else:
            groups.append({"headers": [header], "closure": set(closure)})
    return [group["headers"] for group in groups]


def compile_alone(group, flags):
    command = ["clang++-22", *flags, "-std=c++20", "-fsyntax-only", "-x", "c++", "-w", "-"]
    text = "".join(f'#include "{header}"\n' for header in group)
    done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=SECONDS_EACH)
    return f"{', '.join(map(str, group))}: do not compile alone:\n{done.stderr}" if done.returncode else ""


def faults_alone(source, build):
    root = source / "src"
    headers = Headers(root)
    commands = compile_commands(build, root)
    shown = set()
    for files in commands.values():
        for file, _ in files:
            shown_to_compile(headers, included(file.read_text()), file.parent, shown)
    left = []
    for header in sorted(headers.texts, key=lambda each: -len(headers.closure(each))):  # those that include others show these
        if header not in shown:
            left.append(header)
            shown_to_compile(headers, [f'"{header.relative_to(root)}"'], root, shown)

    def command_for(header):
        """Of a file beside it where there is one: folders of a module may have flags of their own."""
        ofModule = commands[header.relative_to(root).parts[0]]
        return next((words for file, words in ofModule if file.parent == header.parent), ofModule[0][1])

    alike = {}
    for header in left:
        alike.setdefault(tuple(flags_of(command_for(header))), []).append(header)
    groups = [(group, flags) for flags, each in alike.items() for group in groups_of(headers, each)]

    def fault(work):
        return compile_alone(*work)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(fault, groups))
    print(f"{len(left)} of {len(headers.texts)} headers were compiled, in {len(groups)} groups; the others are shown by what includes them")


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        texts = {"good.h": "#include <cstdint>\n#include <string>\nuint32_t f(std::string);", "by_another.h": '#include "good.h"\nuint8_t g();',
                 "bad.h": "#include <string>\n// std::vector\nuint64_t h(std::string, const char * = \"std::map\");", "worse.h": '#include "bad.h"\nstd::vector<int> v;'}
        for name, text in texts.items():
            (root / name).write_text(text)
        (root / "last.h").write_text('#include "good.h"\n#include "by_another.h"\n')
        headers = Headers(root)
        faults = [fault.removeprefix(str(root) + "/") for fault in faults_of_names(headers)]
        assert faults == ["bad.h: uses uint64_t and includes no <cstdint>", "worse.h: uses std::vector and includes no <vector>"], faults
        shown = set()
        shown_to_compile(headers, ['"by_another.h"', '"bad.h"', '"last.h"'], root, shown)
        assert {header.name for header in shown} == {"by_another.h", "good.h"}, shown
        shown_to_compile(headers, ['"good.h"', '"last.h"', '"worse.h"'], root, shown)
        assert {header.name for header in shown} == {"by_another.h", "good.h", "last.h"}, shown
        assert flags_of("env X=1 ccache /usr/bin/clang++-22 -DX -Ia -o b.o -c b.cpp".split()) == ["-DX", "-Ia"]
        assert not compile_alone([root / "good.h"], []) and compile_alone([root / "worse.h"], [])
        (root / "uses.h").write_text("// f is not mentioned\ninline int twice(int a) {\n  return a + a;\n}\n")
        (root / "lacks.h").write_text("inline int more() { return twice(1); }\n")
        headers = Headers(root)
        assert declared(headers.texts[root / "uses.h"]) == {"twice"}, declared(headers.texts[root / "uses.h"])
        groups = groups_of(headers, [root / name for name in ("good.h", "uses.h", "lacks.h")])
        assert [[header.name for header in group] for group in groups] == [["good.h", "uses.h"], ["lacks.h"]], groups
        assert not compile_alone(groups[0], []) and compile_alone(groups[1], []) and not compile_alone([root / "uses.h", root / "lacks.h"], [])
    return []


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        faults = self_test()
    elif sys.argv[1] == "names":
        faults = list(faults_of_names(Headers(Path(sys.argv[2]).resolve() / "src")))
    else:
        faults = list(faults_alone(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()))
    print("\n".join(faults))
    sys.exit(1 if faults else 0)
