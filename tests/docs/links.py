#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the links between pages: each leads to a file and a heading that exist, and docs/README.md leads to every page of docs/.

Usage: links.py ROOT
       links.py --self-test
"""
import re
import sys
import tempfile
from pathlib import Path


def without_code(page):
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)


def anchor(heading):
    """As GitHub makes it of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", without_code(page), re.M)}


def links(page):
    """(link, file, anchor) of each link to a file of the repository."""
    text = re.sub(r"`[^`]*`", "", without_code(page))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"\w+:", link):
            file, _, heading = link.partition("#")
            yield link, (page.parent / file).resolve() if file else page.resolve(), heading


def findings(root):
    index = root / "docs/README.md"
    pages = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("arch/*.md"), *root.glob("bench/*/*.md"), *root.glob("runtime/**/*.md")])
    for page in pages:
        for link, file, heading in links(page):
            if not file.exists():
                yield f"{page.relative_to(root)}: ({link}): there is no such file"
            elif heading and heading not in anchors(file):
                yield f"{page.relative_to(root)}: ({link}): there is no such heading; there are {', '.join(sorted(anchors(file)))}"
    linked = {file for _, file, _ in links(index)}
    for page in pages:
        if root / "docs" in page.parents and page.resolve() not in linked and page != index:
            yield f"docs/README.md does not lead to {page.relative_to(root)}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "docs/README.md").write_text("[a](a.md#what-is-there), [b](a.md#what), [c](none.md), [d](https://x.org), `[e](f)`\n\n```\n[g](h.md)\n```\n")
        (root / "docs/a.md").write_text("# What `is` there?\n")
        (root / "docs/lost.md").write_text("[itself](#nowhere)\n")
        found = list(findings(root))
    wanted = ["(a.md#what)", "(none.md)", "(#nowhere)", "docs/lost.md"]
    if len(found) != len(wanted) or not all(any(want in line for line in found) for want in wanted):
        sys.exit("\n".join(["found, in place of four links:", *found]))
    print("links that lead nowhere are found")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    found = list(findings(Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))


main()
