#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the page of each verb names every option that its help lists.

Usage: options.py ROOT HEDDLE
       options.py --self-test
"""
import re
import subprocess
import sys
from pathlib import Path

PAGES = {verb: (f"docs/{verb}.md",) for verb in ("analyze", "arch", "capture", "chem", "doctor", "opt", "profile", "run", "verify")}
PAGES["check"] = ("docs/check.md", "docs/check-static.md")
PAGES["tune"] = ("docs/tune.md", "docs/tune-elsewhere.md")

EVERYWHERE = {"--help", "--color"}  # docs/README.md has them


def options(text):
    """The long names at the beginning of the lines of a help text."""
    return set(re.findall(r"^ +(?:-\w, ?)?(--[a-z][\w-]*)", text, re.M)) - EVERYWHERE


def missing(help_text, pages):
    named = set(re.findall(r"--[a-z][\w-]*", pages))
    return sorted(options(help_text) - named)


def self_test():
    help_text = "Examples:\n  heddle run a.cu --quick\n\nOptions:\n  -h, --help  print\n  -k, --kernel NAME  one\n      --no-check  omit\n      --check  do\n"
    found = missing(help_text, "`-k`, `--kernel NAME` and `--no-check`")
    if found != ["--check"]:
        sys.exit(f"found {found}")
    print("an option that a page lacks is found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, program = Path(sys.argv[1]), sys.argv[2]
    found = []
    for verb, pages in sorted(PAGES.items()):
        shown = subprocess.run([program, verb, "--help"], text=True, stdout=subprocess.PIPE, check=True, timeout=60).stdout
        if not options(shown):
            found.append(f"heddle {verb} --help lists no option that could be read")
        found += [f"{pages[0]} does not name {option}" for option in missing(shown, "".join((root / page).read_text() for page in pages))]
    print("\n".join(found) or "pages name all options")
    sys.exit(bool(found))


main()
