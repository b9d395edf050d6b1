# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `heddle help` says there is: verbs, and the options of each."""
import re
import subprocess


def help_of(heddle, *words):
    return subprocess.run([heddle, "help", *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def verbs(heddle):
    listed = help_of(heddle).split("Verbs (")[1]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def options_in(text):
    """A help text, from the usage line on, declares one option per line that begins with it."""
    return {name for line in re.findall(r"^ {2,6}(-.*)$", text.split("\nUsage: ")[1], re.M)
            for name in re.findall(r"(?:^|, )(--?[a-z0-9][a-z0-9-]*)", line.split("  ")[0])}


def options(heddle, verb):
    return options_in(help_of(heddle, verb))
