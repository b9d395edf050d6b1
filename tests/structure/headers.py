#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header of src is self-contained.

Two checks, because compiling all 600 of them alone would take longer than the rest of these tests together:

`headers.py names SOURCE`    A header that uses a name of the standard library includes the standard header that declares it, itself or by
                             headers of ours that it includes. What a standard header includes by itself differs between versions: with
                             libstdc++ 13, <string> no longer gives uint32_t.
`headers.py alone SOURCE BUILD`   Compiles headers by themselves, those that nothing else shows to compile so. A header needs no such check if it mentions
                             no name that only files declare which it does not include itself, and which are read before it in something that
                             compiles: other headers of ours, and sources that are compiled with it as one (heddle_unity). The same holds for a
                             name of another library (LIBRARIES) of which a header is read before it. What is left is compiled, together
                             where none mentions a name that only one before it declares. Precompiled headers of others' libraries (cmake/*.h)
                             come first all the same: what a header would miss of these is the business of the first check.
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
# Namespaces and prefixes of other libraries by the folder, or the file, of their headers; those of Clang include LLVM's.
LIBRARIES = {"clang": {"clang", "llvm"}, "llvm": {"llvm"}, "CLI": {"CLI"}, "nlohmann": {"nlohmann"}, "fmt": {"fmt"}, "yaml-cpp": {"YAML"}, "Eigen": {"Eigen"},
             "isl": {"isl"}}
KEYWORDS = {"auto", "bool", "char", "const", "constexpr", "double", "explicit", "inline", "int", "long", "namespace", "noexcept", "operator", "static",
            "template", "typename", "unsigned", "using", "void"}
DECLARED_BY_OTHERS = r"^\s*(?:class|struct|enum(?: class)?) (\w+)|^\s*using (?:\w+::)*(\w+)|^\w[\w:<>,*& ]*[ *&](\w+)\("
SECONDS_EACH = 300
MOST_TOGETHER = 24


def included(text):
    return re.findall(r'^\s*#\s*include\s+([<"][^>"]+[>"])', text, re.MULTILINE)


def code_of(text):
    """Without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def library_of(name):
    """Of `<clang/AST/Decl.h>`: clang."""
    folder = re.split(r"[/>]", name[1:])[0]
    return folder if name[0] == "<" and folder in LIBRARIES else None


class Libraries:
    """Headers of other libraries in the folders of -isystem, and in the usual one."""

    def __init__(self, commands=()):
        flags = [word for words in commands for word in words]
        self.folders = [*dict.fromkeys(after for word, after in zip(flags, flags[1:]) if word == "-isystem"), "/usr/include"]
        self.known = {}

    def path(self, name):
        paths = (Path(folder) / name[1:-1] for folder in self.folders)
        return next((path for path in paths if path.is_file()), None)

    def includes(self, name):
        if name not in self.known:
            path = self.path(name)
            text = path.read_text(errors="replace") if path else ""
            # They include their own as "llvm/..." too.
            self.known[name] = {each for one in included(text) if library_of(each := f"<{one[1:-1]}>")}
        return self.known[name]

    def closure(self, names):
        """The headers of these names and all that they include."""
        found, left = set(), [name for name in names if library_of(name)]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.includes(name)
        return found


    def names(self, library, headers):
        """What these headers of the library declare: names that `using namespace` of the library makes visible."""
        names = set()
        for name in headers:
            if library_of(name) == library and (path := self.path(name)):
                names.update(word for words in re.findall(DECLARED_BY_OTHERS, path.read_text(errors="replace"), re.MULTILINE) for word in words if word)
        return names - KEYWORDS


class Headers:
    def __init__(self, root, others=None):
        self.root, self.closures, self.library_closures, self.names_of_libraries, self.others = root, {}, {}, {}, others or Libraries()
        self.texts = {file: file.read_text() for file in sorted(root.rglob("*.h")) if "templates" not in file.parts}
        self.includes = {file: included(text) for file, text in self.texts.items()}
        self.codes = {file: code_of(text) for file, text in self.texts.items()}
        # Of names of namespaces only what follows them is of interest.
        namespaces = re.compile(rf"\b(?:{'|'.join(['std', 'heddle', *(each.name for each in root.iterdir() if each.is_dir())])})(?=::)")
        plain = {file: namespaces.sub("", code) for file, code in self.codes.items()}
        self.words = {file: set(re.findall(r"[^\W\d]\w*", code)) for file, code in plain.items()}
        self.unqualified = {file: set(re.findall(r"(?<!::)\b[^\W\d]\w*", code)) for file, code in plain.items()}
        self.declared = {file: declared(text) for file, text in self.texts.items()}

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

    def libraries(self, header):
        """The headers of other libraries that it includes, by its own headers too."""
        if header not in self.library_closures:
            self.library_closures[header] = self.others.closure(self.all_names(header))
        return self.library_closures[header]

    def all_names(self, header):
        return {name for file in self.closure(header) for name in self.includes[file]}


def faults_of_names(headers):
    rules = [(standard.split("|"), re.compile(rf"\bstd::(?:{'|'.join(names.split())})\b")) for standard, names in STANDARD.items()]
    rules += [([standard], re.compile(pattern)) for standard, pattern in WITHOUT_STD.items()]
    for header in headers.texts:
        names, code = headers.all_names(header), headers.codes[header]
        for standards, pattern in rules:
            used = pattern.search(code)
            if used and not any(f"<{standard}>" in names for standard in standards):
                yield f"{header}: uses {used[0]} and includes no <{standards[0]}>"


def compile_commands(build, root):
    """By module: its source files that are compiled together, mostly one, each list with the words of its command."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        files = [Path(entry["file"])]
        if files[0].parent.name == "Unity":
            files = [Path(name[1:-1]) for name in included(files[0].read_text())]
        if root in files[0].parents:
            commands.setdefault(files[0].relative_to(root).parts[0], []).append((files, shlex.split(entry["command"])))
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


class Read:
    """What is read of a text that compiles, from its beginning. Headers include others at their top, before anything of their own."""

    def __init__(self, headers, precompiled=frozenset()):
        self.headers, self.precompiled = headers, precompiled
        self.read, self.entered, self.libraries = set(), set(), set()
        self.declared = {}  # a name: the files that declare it
        self.opened = set()  # libraries of which sources use the namespace

    def add(self, file, names):
        self.read.add(file)
        for name in names:
            self.declared.setdefault(name, set()).add(file)

    def shows(self, header):
        """Whether what was read until now declares nothing that the header mentions and does not include."""
        closure, words = self.headers.closure(header), self.headers.words[header]
        for library in {library_of(name) for name in self.libraries - self.headers.libraries(header) - self.precompiled}:
            if words & LIBRARIES[library]:
                return False
        foreign = {name for name in words & self.declared.keys() if not self.declared[name] & closure}
        for library in self.opened:
            foreign |= self.headers.unqualified[header] & self.names_of(library)
        return not foreign or foreign <= set().union(*(self.headers.declared[file] for file in closure))

    def names_of(self, library):
        cached = self.headers.names_of_libraries
        if library not in cached:
            cached[library] = self.headers.others.names(library, self.precompiled | self.headers.others.closure(self.libraries))
        return cached[library]

    def enter(self, header, shown):
        """Adds to `shown` what this header and those that it includes show."""
        if header in self.entered:
            return
        self.entered.add(header)
        if header not in shown and self.shows(header):
            shown.add(header)
        self.include(self.headers.includes[header], header.parent, shown)
        self.add(header, self.headers.declared[header])

    def include(self, names, beside, shown):
        for name in names:
            if each := self.headers.ours(name, beside):
                self.enter(each, shown)
            elif library_of(name):
                self.libraries.add(name)


def shown_to_compile(headers, files, precompiled, shown):
    """Adds to `shown` what source files that are compiled as one text show."""
    read = Read(headers, precompiled)
    for file in files:
        text = file.read_text()
        read.include(included(text), file.parent, shown)
        read.add(file, declared(text))
        read.opened.update(library for library, names in LIBRARIES.items() if any(f"using namespace {name};" in text for name in names))


def declared(text):
    """Names that a header declares for others: one for each declaration. clang-format puts what is directly in a namespace at the beginning of
    a line."""
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE))
    for line in re.findall(r"^(?!namespace\b|using namespace\b)[A-Za-z_].*", code_of(text), re.MULTILINE):
        if match := re.match(r"(?:template <.*?> )?(?:class|struct|union|enum(?: class)?|using) (\w+)", line):
            names.add(match[1])
        elif match := re.search(r"(?<!::)\b(\w+)(?=\s*(?:[=({\[;,]|$))", line):
            names.add(match[1])
    return names - KEYWORDS


def groups_of(headers, left):
    """Headers that can be compiled one behind the other, and each is shown to compile alone all the same."""
    names, words = headers.declared, headers.words
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
    commands = compile_commands(build, root)
    headers = Headers(root, Libraries(words for texts in commands.values() for _, words in texts))
    sets = {file.name: headers.others.closure(included(file.read_text())) for file in (source / "cmake").glob("*Headers.h")}
    shown = set()
    for texts in commands.values():
        for files, words in texts:
            # heddle_precompile: the name of a set is in that of the file
            precompiled = set().union(*(names for file, names in sets.items() if f"_{file.removesuffix('Headers.h').lower()}" in " ".join(words)))
            shown_to_compile(headers, files, precompiled, shown)
    left = sorted(set(headers.texts) - shown, key=lambda each: (-len(headers.closure(each)), each))

    def command_for(header):
        """Of a file beside it where there is one: folders of a module may have flags of their own."""
        of_module = commands[header.relative_to(root).parts[0]]
        return next((words for files, words in of_module if any(file.parent == header.parent for file in files)), of_module[0][1])

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
        def shown_by(*texts, precompiled=frozenset()):
            sources, shown = [], set()
            for number, text in enumerate(texts):
                sources.append(root / f"{number}.cpp")
                sources[-1].write_text(text)
            headers = Headers(root)
            shown_to_compile(headers, sources, precompiled, shown)
            return {header.name for header in shown}

        (root / "calls.h").write_text("inline int v() { return f(g()); }\n")
        (root / "llvm.h").write_text("#include <llvm/A.h>\nllvm::A a();\n")
        (root / "without_llvm.h").write_text("llvm::A b();\n")
        cases = [(['#include "calls.h"\n'], {}, {"calls.h"}),
                 (['#include "good.h"\n#include "calls.h"\n'], {}, {"good.h"}),
                 (['#include "by_another.h"\n'], {}, {"by_another.h", "good.h"}),
                 (["int before;\nvoid g();\n", '#include "calls.h"\n'], {}, set()),
                 (["int before;\n", '#include "calls.h"\n'], {}, {"calls.h"}),
                 (['#include <llvm/A.h>\n#include "without_llvm.h"\n'], {}, set()),
                 (['#include <llvm/A.h>\n#include "without_llvm.h"\n'], {"precompiled": {"<llvm/A.h>"}}, {"without_llvm.h"}),
                 (['#include "llvm.h"\n#include "without_llvm.h"\n'], {}, {"llvm.h"})]
        for texts, options, wanted in cases:
            assert shown_by(*texts, **options) == wanted, (texts, shown_by(*texts, **options))
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
