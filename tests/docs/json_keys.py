#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/json.md against what heddle prints.

- Verbs are run with --json on small programs. Each key that they print must be in the page, in the table of its schema.
- Each key in the page must be a string in the sources: a key that was removed or renamed is found.
- The page must name each schema in the sources, and a verb must have printed each schema that has a table.

A schema or a type has a heading, followed by a table whose first column has paths: `kernels[].name`. A second column with a
link to a heading of the page, as in `list of [location](#location)`, means that the keys are those of that table. `<...>` in
a path is any key.

Usage: json_keys.py ROOT HEDDLE
       json_keys.py --self-test
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# What must be run: (arguments of heddle, the expected exit code). OUT is a temporary folder.
COMMANDS = [
    ("arch --json", 0),
    ("arch sm_90 --json", 0),
    ("arch sm_90 --threads 256 --registers 80 --shared 60000 --json", 0),
    ("arch sm_90 --threads 2048 --json", 0),
    ("doctor --cuda-path none --json", 0),
    ("analyze examples/heat2d.cu --cuda-path none --json", 0),
    ("analyze examples/histogram.cu --cuda-path none --json", 0),
    ("analyze examples/reduce.cu --json", 0),  # with ptxas where there is one
    ("analyze tests/golden/analyze/hidden-barriers.cu --cuda-path none --json", 0),
    ("analyze tests/docs/json/divergent.cu --cuda-path none --json", 0),
    ("capture examples/saxpy.cu --compiler clang -o OUT/saxpy.launch --json", 0),
    ("check tests/report/browser/race.cu --compiler clang --json", 1),
    ("check tests/golden/check-static/undecided.ptx --static --json", 0),
    ("check tests/report/browser/race.cu --static --block 64 --compiler clang --json", 1),
    ("check tests/golden/check-static/launches.cu --static --compiler clang --json", 0),
    ("profile examples/ragged.cu --compiler clang --json", 0),
    ("profile examples/mandelbrot.cu --compiler clang --json", 0),
    ("verify examples/saxpy.cu examples/saxpy.cu --compiler clang --inputs 2 --json -- 1000", 0),
    ("verify tests/docs/json/one.cu tests/docs/json/two.cu --compiler clang --json", 1),
    ("verify tests/docs/json/one.cu tests/docs/json/two.cu --compiler clang --inputs 3 --json -- 0", 1),
    ("verify tests/docs/json/one.cu tests/docs/json/one.cu --compiler clang --inputs 3 --json -- 0", 0),
    ("verify tests/docs/json/varies.cu tests/docs/json/varies.cu --compiler clang --json", 1),
    ("tune examples/stencil2pt.cu -d coarsen\\ x=1|2|3 --device sim --compiler clang --cuda-path none -o OUT/tuned.cu --json -- 2048", 0),
    ("tune examples/stencil2pt.cu -d coarsen\\ x=1|2 --tol rel=1e-6 --cuda-path none --plan OUT/plan -o OUT/planned.cu -- 2048", 0),
    ("chem examples/hydrogen --evaluate examples/hydrogen/states.json", 0),
    ("run examples/reduce.cu --compiler clang", 0),
]
FILES = ["plan/manifest.json", "counters.json"]  # that the commands write in OUT

# Strings of the sources that look like a schema and are not one of a document.
NOT_SCHEMAS = {"heddle.tune/1"}  # part of a hash (src/tune/Problem.cpp)


def anchor(heading):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def tables(page):
    """By anchor of the heading: {path: anchor of its type, or None}. Tables whose first column is not called key are not read."""
    found, heading, reads = {}, None, False
    for line in page.splitlines():
        if line.startswith("#"):
            heading, reads = anchor(line.lstrip("#")), False
        elif line.startswith("| key |"):
            reads = True
            found[heading] = {}
        elif reads and (row := re.match(r"\| `([^`]+)` \| ([^|]*) \|", line)):
            kind = re.search(r"\]\(#([^)]*)\)", row[2])
            found[heading][row[1]] = kind and kind[1]
        elif not line.startswith("|"):
            reads = False
    return found


def objects(value):
    """The objects that a value is, or that lists in it hold."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from objects(each)


def row_of(rows, path, key):
    """The row for a key of the object at `path`: its own, or one of any key."""
    own = f"{path}.{key}" if path else key
    any_key = re.escape(path) + r"\.<[^<>]*>"
    return own if own in rows else next((row for row in rows if re.fullmatch(any_key, row)), None)


def unknown_keys(value, known, table, path=""):
    """Paths of `value`, which is at `path` of a table, that the table and those that it refers to do not have."""
    if isinstance(value, list):
        for each in value:
            yield from unknown_keys(each, known, table, path + "[]")
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        row = row_of(known[table], path, key)
        if row is None:
            yield f"{path}.{key}".lstrip(".")
        elif known[table][row]:
            step = "[]." if isinstance(inner, list) else "."
            for each in objects(inner):
                missing = (row + step + deeper for deeper in unknown_keys(each, known, known[table][row]))
                yield from (path for path in missing if path not in known[table])  # keys that this table adds to the type
        else:
            yield from unknown_keys(inner, known, table, row)


def check(document, known):
    schema = document.get("schema", "none")
    if anchor(schema) not in known:
        return [f"there is no table for the schema {schema}"]
    return [f"{schema}: there is no `{path}`" for path in dict.fromkeys(unknown_keys(document, known, anchor(schema)))]


def stale_keys(known, sources):
    """Keys of the page that are no string in the sources."""
    for table, rows in known.items():
        for row in rows:
            key = re.split(r"[.\]]+", row)[-1]
            if not key.startswith("<") and f'"{key}"' not in sources:
                yield f"{table}: `{row}` is in the page, but no source has \"{key}\""


def unknown_types(known):
    for table, rows in known.items():
        for row, kind in rows.items():
            if kind and kind not in known:
                yield f"{table}: `{row}` has the type #{kind}, which has no table"


def documents(root, program, folder):
    """(document, error) of each command and file."""
    environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/local/cuda/bin", NO_COLOR="1")
    for command, expected in COMMANDS:
        words = [word.replace("OUT/", f"{folder}/") for word in shlex.split(command)]
        if words[0] == "run":
            environment["HEDDLE_COUNTERS"] = f"{folder}/counters.json"
        ended = subprocess.run([program, *words], cwd=root, env=environment, text=True, timeout=300,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if ended.returncode != expected:
            yield None, f"heddle {command}: exit code {ended.returncode} instead of {expected}\n{ended.stdout}{ended.stderr}"
        elif "--json" in words or "--evaluate" in words:
            yield json.loads(ended.stdout), None
    for name in FILES:
        file = folder / name
        yield (json.loads(file.read_text()), None) if file.exists() else (None, f"no command wrote {name}")


def self_test():
    page = """
## heddle.one/1
| key | type, unit | meaning |
| --- | --- | --- |
| `schema` | string | `heddle.one/1` |
| `list` | list of objects | some |
| `list[].name` | string | a name |
| `list[].by` | object | numbers |
| `list[].by.<name>` | number | one |
| `tree` | list of [node](#node) | a tree |
| `tree[].added` | string | only here |

| other | table |
| --- | --- |
| `not.a.key` | text |

### node
| key | type, unit | meaning |
| --- | --- | --- |
| `children` | list of [node](#node) | nodes below |
"""
    known = tables(page)
    assert sorted(known) == ["heddleone1", "node"] and "not.a.key" not in known["heddleone1"], known
    good = {"schema": "heddle.one/1", "list": [{"name": "a", "by": {"x": 1, "y y": 2}}],
            "tree": [{"added": "", "children": [{"children": []}]}]}
    assert check(good, known) == [], check(good, known)
    bad = {"schema": "heddle.one/1", "extra": 1, "list": [{"nam": "a"}, {"nam": "b", "by": {"x": {"deep": 1}}}],
           "tree": [{"children": [{"added": ""}]}]}
    expected = ["extra", "list[].nam", "list[].by.<name>.deep", "tree[].children[].added"]
    assert check(bad, known) == [f"heddle.one/1: there is no `{path}`" for path in expected], check(bad, known)
    assert check({"schema": "heddle.two/1"}, known) == ["there is no table for the schema heddle.two/1"]
    stale = list(stale_keys(known, '"schema" "list" "by" "tree" "added" "children"'))
    assert stale == ['heddleone1: `list[].name` is in the page, but no source has "name"'], stale
    assert list(unknown_types({"one": {"a": "two", "b": None}})) == ["one: `a` has the type #two, which has no table"]
    print("keys that the page lacks, and keys that no source has, are found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, program = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    page = (root / "docs/json.md").read_text()
    known = tables(page)
    sources = "".join(file.read_text() for suffix in ("cpp", "h", "def") for file in sorted(root.glob(f"src/**/*.{suffix}")))
    found = [*unknown_types(known), *stale_keys(known, sources)]
    schemas = set(re.findall(r'"(heddle\.[a-z-]+/\d+)', sources)) - NOT_SCHEMAS
    found += [f"the page does not name {schema}" for schema in sorted(schemas) if f"`{schema}`" not in page]
    printed = set()
    with tempfile.TemporaryDirectory() as folder:
        for document, error in documents(root, program, Path(folder)):
            found += [error] if error else check(document, known)
            printed.add(anchor(document["schema"]) if document else None)
    found += [f"no command printed {schema}" for schema in sorted(schemas) if anchor(schema) in known and anchor(schema) not in printed]
    print("\n".join(dict.fromkeys(found)) or f"docs/json.md has all keys of {len(printed)} schemas")
    sys.exit(bool(found))


main()
