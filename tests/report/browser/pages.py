#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a page with each verb that has --report and looks at it with Chromium, light and dark.

pages.py BUILD [VERB...]     screenshots and a printed page are left in BUILD/tests/report/pages; exit 77: there is no Chromium

Of each page: the console stays quiet and nothing is asked of a network; the texts below are there and can be seen; nothing is wider
than 1280 pixels, nor than 400; the keyboard comes to the link that skips the contents first, and to the marks of charts.
"""
import os
import pathlib
import subprocess
import sys

import chromium

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIP = 77

# Name, arguments of heddle, texts that a reader must see, least number of marks that the keyboard comes to, exit code.
PAGES = [
    ("analyze", ["analyze", "examples/heat2d.cu"],
     ["heddle analyze", "examples/heat2d.cu", "Tree of regions", "Occupancy", "no bank conflict", "barrier", "Not offered"],
     2, 0),
    ("analyze-templates", ["analyze", "tests/report/browser/templates.cu"],
     ["scale<float, 4>", "scale<double, 1>", "16 sectors per request, 4 would suffice", "coalesced, 8 sectors"], 4, 0),
    ("profile", ["profile", "examples/ragged.cu", "--compiler", "clang"],
     ["heddle profile", "active lanes", "slots lost", "Roofline", "Occupancy", "Basic blocks", "divergent branch", "TFLOP/s"], 3, 0),
    ("check", ["check", "tests/report/browser/race.cu", "--compiler", "clang"],
     ["heddle check", "race/shared", "the other side", "Hint", "Rules"], 0, 1),
    ("check-static", ["check", "tests/report/browser/race.cu", "--static", "--block", "64", "--compiler", "clang"],
     ["static check", "fails", "violated", "proved", "shared-memory races"], 0, 1),
    ("verify", ["verify", "tests/verify/saxpy.cu", "tests/verify/saxpy.bug.cu", "--compiler", "clang"],
     ["heddle verify", "different", "FAIL", "What was compared", "maximum relative error"], 0, 1),
    ("verify-same", ["verify", "tests/verify/saxpy.cu", "tests/verify/same.saxpy.cu", "--compiler", "clang"],
     ["heddle verify", "same results", "pass"], 0, 0),
    ("tune", ["tune", "examples/nbody.cu", "--device", "sim", "--compiler", "clang", "-d", "coarsen x=1|2|4", "--fill"],
     ["heddle tune", "examples/nbody.cu", "predicted by the cost model", "speed-up", "down from", "baseline", "coarsen x=2", "Search space"],
     6, 0),
]


def shown_text(page):
    return " ".join(page.value("document.body.innerText").split())


def too_wide(page):
    """What sticks out at the right, if anything does."""
    if page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"):
        return None
    return page.value("""[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
        && !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 120)).slice(0, 3).join(' | ')""") or "the page"


def problems(browser, name, file, texts, marks, folder):
    for dark in (False, True):
        page = browser.open(file.as_uri(), 1280, dark)
        yield from (f"console: {text}" for text in page.complaints())
        seen = shown_text(page)
        yield from (f"the text '{text}' is not there" for text in texts if text not in seen)
        if wide := too_wide(page):
            yield f"wider than 1280 pixels: {wide}"
        paper = page.value("getComputedStyle(document.body).backgroundColor")
        lightness = sum(int(part) for part in paper[paper.index("(") + 1:-1].split(",")[:3])
        if (lightness < 384) != dark:
            yield f"the paper is {paper} where the reader's system is {'dark' if dark else 'light'}"
        page.screenshot(folder / f"{name}-{'dark' if dark else 'light'}.png")
        if not dark:
            page.press_tab()
            if page.value("document.activeElement.className") != "skip":
                yield "the first stop of the keyboard is not the link to the content"
            reached = page.value("document.querySelectorAll('.mark[tabindex=\"0\"][aria-label]').length")
            if reached < marks:
                yield f"{reached} marks can be reached with the keyboard, and {marks} are expected"
            if missing := page.value("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.getElementById("
                                     "a.getAttribute('href').slice(1))).length"):
                yield f"{missing} links lead nowhere"
            page.print(folder / f"{name}.pdf")
        page.close()
    page = browser.open(file.as_uri(), 400)
    if wide := too_wide(page):
        yield f"wider than a telephone: {wide}"
    page.close()


def make(build, folder, name, arguments, wanted_exit):
    file = folder / f"{name}.html"
    file.unlink(missing_ok=True)
    at = arguments.index("--") if "--" in arguments else len(arguments)
    command = [str(build / "heddle"), *arguments[:at], "--report", str(file), *arguments[at:]]
    result = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if result.returncode != wanted_exit or not file.exists():
        sys.exit(f"{' '.join(command)}: exit {result.returncode}, wanted {wanted_exit}\n{result.stdout}")
    return file


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    program = chromium.find()
    if not program:
        print("SKIPPED: there is no Chromium here, so that no page was looked at (Debian's package 'chromium')")
        sys.exit(SKIP)
    folder = build / "tests/report/pages"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("HEDDLE_DATA", str(ROOT))
    chosen = [each for each in PAGES if not sys.argv[2:] or each[0] in sys.argv[2:]]
    files = {name: make(build, folder, name, arguments, code) for name, arguments, _, _, code in chosen}
    browser = chromium.Browser(program)
    failed = 0
    for name, _, texts, marks, _ in chosen:
        for problem in problems(browser, name, files[name], texts, marks, folder):
            print(f"{name}: {problem}")
            failed += 1
    browser.close()
    print(f"{len(chosen)} pages, {failed} problems; screenshots are in {folder}")
    sys.exit(1 if failed else 0)


main()
