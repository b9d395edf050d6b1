#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""man_pages.py HEDDLE RUNNER: there is a page per verb and one for heddle-runner, each renders without a warning, and it holds every option."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import commands

HEDDLE, RUNNER = sys.argv[1:3]
failures = []


def rendered(page):
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", page], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode or done.stderr:
        failures.append(f"{os.path.basename(page)}: {done.stderr}")
    return done.stdout.replace("\u2010", "-").replace("\u2212", "-")


def main():
    if not shutil.which("groff"):
        print("SKIPPED: groff is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([HEDDLE, "help", "--man", folder], check=True)
        verbs = commands.verbs(HEDDLE)
        wanted = {"heddle.1"} | {f"heddle-{verb}.1" for verb in verbs} | {"heddle-runner.1"}
        if set(os.listdir(folder)) != wanted:
            failures.append(f"pages: {sorted(os.listdir(folder))}, wanted {sorted(wanted)}")
        main_page = rendered(os.path.join(folder, "heddle.1"))
        declared = {verb: commands.options(HEDDLE, verb) for verb in verbs}
        declared["runner"] = commands.options_in(subprocess.run([RUNNER, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout)
        for name, options in declared.items():
            text = rendered(os.path.join(folder, f"heddle-{name}.1"))
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                if not re.search(f"^{section}$", text, re.M):
                    failures.append(f"heddle-{name}.1 has no section {section}")
            if "--help" not in options:
                failures.append(f"the options of heddle-{name} could not be read: {sorted(options)}")
            for option in options:
                if not re.search(rf"(^|\s){re.escape(option)}\b", text):
                    failures.append(f"heddle-{name}.1 does not mention {option}")
            if f"heddle-{name}(1)" not in main_page:
                failures.append(f"heddle.1 does not name heddle-{name}(1)")
    for failure in failures:
        print(failure)
    print(f"{len(wanted)} pages, {len(failures)} failures")
    return bool(failures)


sys.exit(main())
