#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header of src is self-contained.

Two checks, because compiling all 600 of them alone would take longer than the rest of these tests together:

`headers.py names SOURCE`    A header that uses a name of the standard library includes the standard header that declares it, itself or by
                             headers of ours that it includes. What a standard header includes by itself differs between versions: with
                             libstdc++ 13, <string> no longer gives uint32_t.
`headers.py alone SOURCE BUILD`   Compiles headers by themselves, those that nothing else shows to compile so. A header needs no such check if it is the
                             first include of a source file, or the first include of such a header. Precompiled headers of others' libraries
                             (cmake/*.h) come before it all the same: what a header would miss of these is the business of the first check. Files
                             compiled after precompiled headers of ours (src/transform) show nothing.
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


def included(text):
    return re.findall(r'^\s*#\s*include\s+([<"][^>"]+[>"])', text, re.MULTILINE)


def code_of(text):
    """Without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


class Headers:
    def __init__(self, root):
        self.root = root
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
        found, left = set(), [header]
        while left:
            file = left.pop()
            if file not in found:
                found.add(file)
                left += [each for name in self.includes[file] if (each := self.ours(name, file.parent))]
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


# A module whose files have headers of ours precompiled, and another one whose flags are the same but for that.
WITH_OWN_PRECOMPILED = {"transform": "analysis"}


def compile_commands(build, root):
    """By module: its source files, each with the words of its command."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
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


def shown_to_compile(headers, sources):
    shown, left = set(), []
    for source in sources:
        names = included(source.read_text())
        left += [each for name in names[:1] if (each := headers.ours(name, source.parent))]
    while left:
        header = left.pop()
        if header not in shown:
            shown.add(header)
            left += [each for name in headers.includes[header][:1] if (each := headers.ours(name, header.parent))]
    return shown


def compile_alone(header, flags):
    command = ["clang++-22", *flags, "-std=c++20", "-fsyntax-only", "-x", "c++", "-w", str(header)]
    done = subprocess.run(command, text=True, capture_output=True, timeout=SECONDS_EACH)
    return f"{header} does not compile alone:\n{done.stderr}" if done.returncode else ""


def faults_alone(source, build):
    root = source / "src"
    headers = Headers(root)
    commands = compile_commands(build, root)
    shown = shown_to_compile(headers, [file for module, files in commands.items() if module not in WITH_OWN_PRECOMPILED for file, _ in files])
    left = [header for header in headers.texts if header not in shown]

    def fault(header):
        module = header.relative_to(root).parts[0]
        return compile_alone(header, flags_of(commands[WITH_OWN_PRECOMPILED.get(module, module)][0][1]))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(fault, left))
    print(f"{len(left)} of {len(headers.texts)} headers were compiled alone; {len(shown)} are the first include of others")


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        texts = {"good.h": "#include <cstdint>\n#include <string>\nuint32_t f(std::string);", "by_another.h": '#include "good.h"\nuint8_t g();',
                 "bad.h": "#include <string>\n// std::vector\nuint64_t h(std::string, const char * = \"std::map\");", "worse.h": '#include "bad.h"\nstd::vector<int> v;'}
        for name, text in texts.items():
            (root / name).write_text(text)
        (root / "first.cpp").write_text('#include "by_another.h"\n#include "bad.h"\n')
        headers = Headers(root)
        faults = [fault.removeprefix(str(root) + "/") for fault in faults_of_names(headers)]
        assert faults == ["bad.h: uses uint64_t and includes no <cstdint>", "worse.h: uses std::vector and includes no <vector>"], faults
        shown = {header.name for header in shown_to_compile(headers, [root / "first.cpp"])}
        assert shown == {"by_another.h", "good.h"}, shown
        assert flags_of("env X=1 ccache /usr/bin/clang++-22 -DX -Ia -o b.o -c b.cpp".split()) == ["-DX", "-Ia"]
        assert not compile_alone(root / "good.h", []) and compile_alone(root / "worse.h", [])
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
