#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/setup calls a package manager only where it was asked to or is permitted to, and says what it installs or what is missing.

Runs a copy of the script with made-up packages and with apt-get, dpkg-query, id and sudo that only write down that they were called.

Usage: setup.py SOURCE     exit 1 with what is wrong
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = {
    "dpkg-query": 'grep -qx "${@: -1}" "$STATE/installed" && echo "install ok installed"',
    "id": 'echo "$STATE_UID"',
    "sudo": '[ "$1" = -n ] && exit "$SUDO_ASKS"; echo "sudo $*" >> "$STATE/called"; "$@"',
    "apt-get": 'echo "apt-get $*" >> "$STATE/called"; exit "$APT_FAILS"',
    "cmake": ":", "ninja": ":", "clang++-22": ":",
}
# Besides those above, the script uses these of the system; nothing else is on its PATH.
OF_SYSTEM = ["bash", "env", "grep", "sed", "dirname", "mktemp", "tail", "rm", "mkdir", "touch"]


class Machine:
    def __init__(self, source, folder, installed, commands=COMMANDS):
        self.root, self.state, programs = folder / "root", folder / "state", folder / "bin"
        for each in (self.root / "tools", self.state, programs):
            each.mkdir(parents=True)
        shutil.copy(source / "tools/setup", self.root / "tools")
        (self.root / "tools/packages.txt").write_text("# made up\ncompiler\nlibrary\n")
        (self.root / "tools/packages-tests.txt").write_text("browser\n")
        (self.state / "installed").write_text(installed)
        for name, text in commands.items():
            (programs / name).write_text(f"#!/bin/bash\n{text}\n")
            (programs / name).chmod(0o755)
        for name in OF_SYSTEM:
            (programs / name).symlink_to(shutil.which(name))
        self.path = str(programs)

    def setup(self, *words, user=1000, sudo_asks=1, apt_fails=0):
        environment = {"PATH": self.path, "STATE": str(self.state), "STATE_UID": str(user), "SUDO_ASKS": str(sudo_asks), "APT_FAILS": str(apt_fails)}
        done = subprocess.run([self.root / "tools/setup", *words], env=environment, text=True, capture_output=True)
        log = self.state / "called"
        called = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        return done.returncode, done.stdout + done.stderr, called


def main(source):
    faults = []

    def expect(what, holds, *shown):
        if not holds:
            faults.append(f"{what}: {shown}")

    number = 0

    def machine(installed="compiler\n", commands=COMMANDS):
        nonlocal number
        number += 1
        return Machine(source, Path(temporary) / str(number), installed, commands)

    with tempfile.TemporaryDirectory() as temporary:
        status, text, called = machine("compiler\nlibrary\n").setup("check")
        expect("nothing is missing: silence", status == 0 and not text and not called, status, text, called)

        without_compiler = {name: text for name, text in COMMANDS.items() if name != "clang++-22"}
        for user in (0, 1000):
            status, text, called = machine(commands=without_compiler).setup("check", user=user, sudo_asks=0)
            expect("check installs nothing, also as root, and fails without a compiler", status == 1 and not called, status, text, called)
            expect("check names what is missing and the command", "apt-get install --no-install-recommends library" in text and "make setup" in text, text)

        status, text, called = machine().setup("check")
        expect("check lets a build begin where the programs are there", status == 0 and not called and "library" in text, status, text, called)

        status, text, called = machine(commands=without_compiler).setup("permitted")
        expect("without permission: nothing is called, what is missing is said", status == 1 and not called and "library" in text, status, text, called)

        for user, sudo_asks in ((0, 1), (1000, 0)):
            status, text, called = machine().setup("permitted", user=user, sudo_asks=sudo_asks)
            expect("with permission: only what is missing is installed", status == 0 and "--no-install-recommends library" in called, status, called)
            expect("with permission: it is said", "installing 1 packages: library" in text, text)
            expect("sudo is called only where this is not root", ("sudo " in called) == (user != 0), called)

        status, text, called = machine().setup()
        expect("make setup uses sudo, which may ask", status == 0 and "sudo " in called and "install -y" in called, status, text, called)

        status, text, called = machine(commands=without_compiler).setup(user=0, apt_fails=1)
        expect("a failed installation fails, with the command", status == 1 and "the installation failed" in text, status, text)

        status, text, called = machine().setup("permitted", "tests")
        expect("packages of tests are optional", status == 0 and not called and "will be skipped" in text, status, text, called)

        again = machine()
        again.setup(user=0)
        expect("what was installed is not asked for again", again.setup(user=0) == (0, "", ""))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
