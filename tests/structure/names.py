#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py ROOT: what a source file keeps to itself has a name of its own in its module.

Sources of a module are compiled several at a time, as one text (heddle_unity in cmake/Modules.cmake). Two that define the same name in
unnamed namespaces then clash, or worse: a call finds the other file's function, because it fits better. Which files meet changes
with every file that is added, so names are compared over the whole module, types also with those of its headers, which a neighbour may
include. Overloads within one file are fine.

names.py --self-test tries the rule on texts.
"""
import collections
import fnmatch
import pathlib
import re
import sys

# clang-format puts what is directly in a namespace at the beginning of a line.
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:template <.*?> )?(?:(?:static|constexpr|inline) )*[A-Za-z_][\w:<>,*& \[\]]*?[ *&](\w+)\((?!\))?")
TYPE = re.compile(r"^(?:template <.*?> )?(?:class|struct|union|enum(?: class)?)(?: alignas\(\w+\))? (\w+)")
ALIAS = re.compile(r"^(?:template <.*?> )?using (\w+) = (.*?);")
NOT_FUNCTIONS = {"if", "while", "for", "switch", "return", "static_assert", "operator", "defined", "decltype", "TEST", "TEST_F", "TEST_P"}
NOT_DEFINITIONS = re.compile(r"^(?:#|//|/\*|\}|using |namespace\b|return\b|static_assert|case\b|public:|private:|INSTANTIATE|TEST|MATCHER)")


def plain(text):
    """Without comments and without what is in literals, line for line."""
    def blank(match):
        found = match.group(0)
        return ('""' if found[0] in "\"R" else "") + "\n" * found.count("\n")
    return re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/', blank, text)


def own_names(text):
    """Names that a file defines for itself, each with its line; aliases with what they represent."""
    names, inside = {}, False
    for number, line in enumerate(plain(text).split("\n"), 1):
        if line.startswith("namespace {"):
            inside = True
        elif inside and line.startswith("}") and depth_ends(line, text, number):
            inside = False
        if not inside and not line.startswith("static "):
            continue
        found = None
        if match := ALIAS.match(line):
            found = f"{match.group(1)} = {match.group(2)}"
        elif NOT_DEFINITIONS.match(line):
            continue
        elif match := TYPE.match(line):
            found = match.group(1) if not line.endswith(";") or "{" in line else None
        elif re.match(r"^[A-Za-z_\[]", line):
            head = line.split("=")[0].split("{")[0]
            if match := FUNCTION.match(line):
                found = match.group(1) if match.group(1) not in NOT_FUNCTIONS and "=" not in line[: match.start(1)] else None
            if not found and (match := re.match(r"^.*?(\w+)(?:\[[^\]]*\])*\s*$", head)) and re.match(r"^(?:static |constexpr |const |inline |thread_local )", line):
                found = match.group(1)
        if found:
            names.setdefault(found, number)
    return names


def header_types(text):
    """Types that a header defines in the module's namespace, each with its line."""
    names, inside = {}, False
    for number, line in enumerate(plain(text).split("\n"), 1):
        if re.match(r"^namespace heddle(::\w+)? \{", line):
            inside = True
        elif re.match(r"^namespace \w", line):
            inside = False  # in a namespace of its own
        elif inside and (match := TYPE.match(line)) and "{" in line:
            names.setdefault(match.group(1), number)
    return names


def depth_ends(line, text, number):
    """Whether the brace at the beginning of a line ends the namespace: clang-format writes so behind it."""
    return re.match(r"^\} // namespace$", text.split("\n")[number - 1]) is not None


def clashes(files, headers=None):
    """Pairs of files, by name, of {path: text}."""
    where = collections.defaultdict(dict)
    types = {name: (path, line) for path, text in (headers or {}).items() for name, line in header_types(text).items()}
    for path, text in files.items():
        for found, line in own_names(text).items():
            name, _, target = found.partition(" = ")
            where[name][path] = (line, target)
    for name, places in sorted(where.items()):
        if name in types:
            yield name, sorted([*((str(path), line) for path, (line, _) in places.items()), (str(types[name][0]), types[name][1])])
            continue
        targets = {target for _, target in places.values()}
        if len(places) > 1 and (len(targets) > 1 or "" in targets):
            yield name, sorted((str(path), line) for path, (line, _) in places.items())


def modules(root):
    """Folders whose sources are compiled together: those that say otherwise (APART *) are left out."""
    for listing in sorted(root.glob("src/*/CMakeLists.txt")):
        if "APART *" not in listing.read_text():
            apart = set(re.findall(r"[\w*]+\.cpp", " ".join(re.findall(r"APART ([^)]*)\)", listing.read_text()))))
            sources = [file for file in listing.parent.rglob("*.cpp") if not any(fnmatch.fnmatch(file.name, one) for one in apart)]
            yield sources, list(listing.parent.rglob("*.h"))


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    count = 0
    for files, headers in modules(root):
        texts = [{file.relative_to(root): file.read_text() for file in each} for each in (files, headers)]
        for name, places in clashes(*texts):
            count += 1
            print(f"'{name}' is defined by {' and by '.join(f'{path}:{line}' for path, line in places)}: rename one, or share it")
    return 1 if count else 0


def self_test():
    a = "namespace heddle {\nnamespace {\n\nint size(int a) {\n  return a;\n}\nusing Json = nlohmann::json;\nconstexpr unsigned most = 3;\nstruct Row {\n};\n} // namespace\n}\n"
    assert set(own_names(a)) == {"size", "Json = nlohmann::json", "most", "Row"}, own_names(a)
    b = "namespace {\nstd::string size(const char *text) { return text; }\nusing Json = nlohmann::ordered_json;\n} // namespace\nvoid most() {}\n"
    assert [name for name, _ in clashes({"a": a, "b": b})] == ["Json", "size"], list(clashes({"a": a, "b": b}))
    c = "namespace {\n// struct Row {\nusing Json = nlohmann::json;\nconst char *text = R\"(\nint size(\n)\";\n} // namespace\nstatic void size() {}\n"
    assert [name for name, _ in clashes({"a": a, "c": c})] == ["size"], list(clashes({"a": a, "c": c}))
    d = "namespace heddle::part {\nstruct Row {\n  struct most {};\n};\nstruct size;\nnamespace inner {\nstruct size {\n};\n} // namespace inner\n}\n"
    assert [name for name, _ in clashes({"a": a}, {"d": d})] == ["Row"], list(clashes({"a": a}, {"d": d}))
    return 0


sys.exit(main())
