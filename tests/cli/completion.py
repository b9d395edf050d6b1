#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""completion.py HEDDLE {bash,zsh,fish}: the script loads in its shell, and completes what a user would type.

A case is a line as it is typed, what must be offered for its last word, and what must not be. bash and fish are asked
directly. zsh completes only on a terminal, so that what the script declares is looked at, once compinit has loaded it.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HEDDLE, SHELL = sys.argv[1:3]

CASES = [
    ("heddle op", {"opt"}, {"run"}),
    ("heddle ", {"analyze", "check", "tune", "help"}, {"kernel.cu"}),
    ("heddle help ver", {"verify", "version"}, {"opt"}),
    ("heddle opt --in-p", {"--in-place"}, {"--json"}),
    ("heddle check --s", {"--schedules", "--static", "--sarif"}, {"--in-place"}),
    ("heddle run --color ", {"auto", "always", "never"}, {"kernel.cu"}),
    ("heddle tune kernel.cu --device ", {"sim", "gpu", "auto"}, {"vm"}),
    ("heddle opt kernel.cu -d coa", {"coarsen"}, {"consolidate"}),
    ("heddle arch sm_9", {"sm_90"}, {"sm_80"}),
    ("heddle analyze --arch sm_8", {"sm_80", "sm_86"}, {"sm_90"}),
    ("heddle analyze ker", {"kernel.cu"}, {"kernel.txt"}),
    ("heddle check --cuda-path fol", {"folder"}, {"folder.txt"}),
]


def bash(script, line):
    words = shlex.split(line) + ([""] if line.endswith(" ") else [])
    program = (f"source {shlex.quote(script)}\nCOMP_WORDS=({' '.join(shlex.quote(w) for w in words)})\n"
               f"COMP_CWORD={len(words) - 1}\n_heddle\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
    return run(["bash", "--norc", "-c", program])


def fish(script, line):
    return run(["fish", "--no-config", "-c", f"source {shlex.quote(script)}; complete -C {shlex.quote(line)}"])


# _arguments and _describe complete on a terminal only. Here they print what the script gives them instead, in the state that
# a case is about: the verb, or what follows it.
ZSH = r"""
fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D
[[ $_comps[heddle] == _heddle ]] || { print "not loaded"; exit 1 }
_arguments() { if [[ $1 == -C ]]; then state=$wanted; else print -rl -- "$@"; fi }
_describe() { print -rl -- "${(@P)2}" }
wanted=$2; shift 2; words=("$@"); autoload -Uz _heddle; _heddle
"""
ZSH_CASES = [
    ("verb", "", ["opt:Transform", "help:", "run:"]),
    ("rest", "opt", ["--in-place[", "-d[", ":DIRECTIVE:(coarsen consolidate", '_files -g "*.(cu)(-.)"']),
    ("rest", "check", ["--schedules[", "--static[", ":FILE.sarif:_files"]),
    ("rest", "run", ["--color[", ":(auto always never)", ":(sim gpu auto)"]),
    ("rest", "arch", ["*:operand:(", "sm_90"]),
    ("rest", "doctor", [":DIR:_files -/"]),
    ("rest", "help", ["*:operand:(analyze arch"]),
]


def test_zsh(script):
    folder = os.path.dirname(script)
    shutil.copy(script, os.path.join(folder, "_heddle"))
    failures = 0
    for state, verb, wanted in ZSH_CASES:
        done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", folder, state, verb], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        missing = [text for text in wanted if text not in done.stdout]
        if missing or done.returncode:
            failures += 1
            print(f"zsh, {state} {verb}: missing {missing} in\n{done.stdout}")
    print(f"{len(ZSH_CASES)} cases, {failures} failures")
    return bool(failures)


def run(command):
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, errors="replace")
    return {row.split("\t")[0].rstrip("/") for row in done.stdout.splitlines()} # fish puts a description behind a tab


def main():
    if not shutil.which(SHELL):
        print(f"SKIPPED: {SHELL} is not installed")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, f"heddle.{SHELL}")
        with open(script, "w") as out:
            subprocess.run([HEDDLE, "help", "--completion", SHELL], check=True, stdout=out)
        subprocess.run([SHELL, "-n", script], check=True)
        work = os.path.join(folder, "work")
        os.makedirs(os.path.join(work, "folder"))
        for name in ("kernel.cu", "kernel.txt", "folder.txt"):
            open(os.path.join(work, name), "w").close()
        os.chdir(work)
        os.environ["HOME"] = folder
        if SHELL == "zsh":
            return test_zsh(script)
        for line, wanted, unwanted in CASES:
            offered = {"bash": bash, "fish": fish}[SHELL](script, line)
            if SHELL == "fish":  # offers other files too, after those of the right kind
                unwanted = {word for word in unwanted if not word.endswith(".txt")}
            if not wanted <= offered or unwanted & offered:
                failures += 1
                print(f"'{line}': offered {sorted(offered)[:40]}\n  missing {sorted(wanted - offered)}, "
                      f"too many {sorted(unwanted & offered)}")
    print(f"{len(CASES)} cases, {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
