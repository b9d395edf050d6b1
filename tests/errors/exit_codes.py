#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of docs/exit-codes.md, row by row, for every verb.

    exit_codes.py HEDDLE RUNNER SOURCE_DIR {inputs,outputs,names}

Inputs fail before anything is compiled where possible, so that a row costs milliseconds. What a case
expects is its exit code, a piece of its stderr that names the true cause, and nothing on stdout.
"""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEDDLE, RUNNER, SOURCE, PART = sys.argv[1:5]
HYDROGEN = os.path.join(SOURCE, "examples/hydrogen")
STATES = os.path.join(HYDROGEN, "states.json")
REDUCE = os.path.join(SOURCE, "examples/reduce.cu")
HOLDS = os.path.join(SOURCE, "tests/golden/check-static/holds.ptx")

failures = []
count = 0


def without_privileges():
    """Root may read everything, which is no use here: two capabilities go before the program starts."""
    libc = ctypes.CDLL(None)
    CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def run(command, stdout=subprocess.PIPE, cwd=None):
    environment = dict(os.environ, HEDDLE_DATA=SOURCE, NO_COLOR="1")
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=cwd,
                          env=environment, preexec_fn=without_privileges, timeout=300)


def expect(name, command, code, text, stdout=subprocess.PIPE, silent=True, cwd=None):
    global count
    count += 1
    done = run(command, stdout, cwd)
    said = done.stderr.decode("utf-8", "replace")
    wrong = []
    if done.returncode != code:
        wrong.append(f"exit code {done.returncode}, not {code}")
    if not re.search(text, said):
        wrong.append(f"stderr has no '{text}'")
    if "internal error" in said:
        wrong.append("an internal error")
    if silent and done.stdout:
        wrong.append("something on stdout")
    if wrong:
        shown = " ".join(os.fsdecode(word) for word in command)
        failures.append(f"{name}: {', '.join(wrong)}\n  {shown}\n  " + "\n  ".join(said.splitlines()[:8]))
    return done


# How each verb is given an input file.
VERBS = {
    "analyze": lambda file: [HEDDLE, "analyze", "--cuda-path", "none", file],
    "opt": lambda file: [HEDDLE, "opt", "--cuda-path", "none", file, "-o", "out.cu", "-d", "coarsen x=2"],
    "run": lambda file: [HEDDLE, "run", "--compiler", "clang", file],
    "verify": lambda file: [HEDDLE, "verify", "--compiler", "clang", file, REDUCE],
    "verify second": lambda file: [HEDDLE, "verify", "--compiler", "clang", REDUCE, file],
    "check": lambda file: [HEDDLE, "check", "--compiler", "clang", file],
    "check --static": lambda file: [HEDDLE, "check", "--static", "--block", "32", "--compiler", "clang", file],
    "profile": lambda file: [HEDDLE, "profile", "--compiler", "clang", file],
    "capture": lambda file: [HEDDLE, "capture", "--compiler", "clang", file, "-o", "out.launch"],
    "tune": lambda file: [HEDDLE, "tune", "--cuda-path", "none", "--compiler", "clang", file, "-d", "coarsen x=1|2"],
    "chem": lambda file: [HEDDLE, "chem", file, "--evaluate", STATES],
    "chem --evaluate": lambda file: [HEDDLE, "chem", HYDROGEN, "--evaluate", file],
    "chem --qssa": lambda file: [HEDDLE, "chem", HYDROGEN, "--evaluate", STATES, "--qssa", file],
    "tune --simulate": lambda file: [HEDDLE, "tune", REDUCE, "-d", "coarsen x=1|2", "--simulate", file],
}


def inputs(folder):
    def made(name, content, mode=0o644):
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            out.write(content)
        os.chmod(path, mode)
        return path

    missing = os.path.join(folder, "missing.cu")
    directory = os.path.join(folder, "directory")
    os.mkdir(directory)
    closed = made("closed.cu", b"__global__ void k() {}\n", 0)
    binary = made("binary.cu", b"\x7fELF\0\0\0\0nothing for a compiler")
    empty = made("empty.cu", b"")
    for verb, command in VERBS.items():
        expect(f"{verb}: missing", command(missing), 2, r"missing\.cu: error: cannot be read: No such file or directory")
        expect(f"{verb}: unreadable", command(closed), 4, r"closed\.cu: error: cannot be read: Permission denied")
        expect(f"{verb}: binary", command(binary), 3, r"binary\.cu: error: is a binary file")
        if verb not in ("chem", "tune"):
            expect(f"{verb}: directory", command(directory), 2, r"directory: error: cannot be read: Is a directory")
    # A mechanism may be a folder, which then has to hold one.
    expect("chem: directory", VERBS["chem"](directory), 3, "this folder has no reaction file ")
    expect("chem: further file is a directory", [HEDDLE, "chem", os.path.join(HYDROGEN, "chem.inp"), directory,
           "--evaluate", STATES], 2, "cannot be read: Is a directory")
    expect("tune: directory", [HEDDLE, "tune", directory, "--option", "--warps=4|8"], 3, "this folder has no reaction file ")

    # An empty file is a program without kernels, and without a main.
    for verb in ("analyze", "opt"):
        expect(f"{verb}: empty", VERBS[verb](empty), 1, "there is no kernel in")
    expect("check --static: empty", VERBS["check --static"](empty), 1, r"empty\.cu:1:1: error: no kernel is defined in this file")
    expect("check --static --allow-no-kernels: empty", VERBS["check --static"](empty) + ["--allow-no-kernels"], 0, "", silent=False)
    expect("run: empty", VERBS["run"](empty), 3, "main")
    expect("verify: empty", VERBS["verify"](empty), 3, "main")
    expect("check: empty", VERBS["check"](empty), 3, "main")
    expect("profile: empty", VERBS["profile"](empty), 3, "main")
    expect("capture: empty", VERBS["capture"](empty), 3, "main")
    expect("tune: empty", VERBS["tune"](empty), 3, "does not compile")
    automatic = [HEDDLE, "tune", "--cuda-path", "none", "--compiler", "clang", "-d", "auto"]
    expect("tune -d auto: empty", automatic + [empty], 1, "there is no kernel in")
    expect("tune -d auto: does not compile", automatic + [made("wrong.cu", b"__global__ void k( {}\n")], 3,
           r"wrong\.cu does not compile")
    expect("tune --simulate: empty", VERBS["tune --simulate"](empty), 3, "holds no results of heddle tune")
    expect("chem: empty", VERBS["chem"](empty), 3, "error")
    expect("chem --evaluate: empty", VERBS["chem --evaluate"](empty), 3, "this is not JSON")

    # A mechanism's folder whose file may not be read.
    shutil.copytree(HYDROGEN, os.path.join(folder, "hydrogen"))
    os.chmod(os.path.join(folder, "hydrogen/therm.dat"), 0)
    expect("chem: unreadable in a folder", VERBS["chem"](os.path.join(folder, "hydrogen")), 4,
           r"therm\.dat' cannot be read: Permission denied")

    # -k with a name that no kernel has.
    for verb in ("analyze", "opt", "check --static", "profile", "capture", "tune"):
        expect(f"{verb}: no such kernel", VERBS[verb](REDUCE) + ["-k", "reduec"], 2, "no kernel 'reduec'(.|\n)*reduce")

    # arch and doctor read no file that a user names.
    expect("arch: bad usage", [HEDDLE, "arch", "sm_1"], 2, "sm_1")
    expect("doctor: bad usage", [HEDDLE, "doctor", "--what"], 2, "--what")

    # heddle-runner reads a folder.
    def plan(name, text, mode=0o644):
        where = os.path.join(folder, name)
        os.mkdir(where)
        if text is not None:
            with open(os.path.join(where, "manifest.json"), "wb") as out:
                out.write(text)
            os.chmod(os.path.join(where, "manifest.json"), mode)
        return where

    expect("runner: missing", [RUNNER, missing], 2, r"manifest\.json: cannot be read: No such file or directory")
    expect("runner: no plan in it", [RUNNER, plan("none", None)], 2, "cannot be read: No such file or directory")
    expect("runner: a file", [RUNNER, empty], 2, "cannot be read: Not a directory")
    expect("runner: unreadable", [RUNNER, plan("closed", b"{}", 0)], 4, "cannot be read: Permission denied")
    expect("runner: empty", [RUNNER, plan("empty", b"")], 3, r"manifest\.json: ")
    expect("runner: binary", [RUNNER, plan("binary", b"\x7fELF\0\xff")], 3, r"manifest\.json: ")
    expect("runner: not UTF-8", [RUNNER, plan("latin", b'{"schema": "caf\xe9"}')], 3, r"manifest\.json: ")
    expect("runner: bad usage", [RUNNER, "--what"], 2, "--what")


def outputs(folder):
    full = "/dev/full"
    closed = os.path.join(folder, "closed")
    os.mkdir(closed, 0o555)
    nowhere = os.path.join(folder, "nowhere/out")
    kernel = os.path.join(folder, "kernel.cu")
    with open(kernel, "w") as out:
        out.write("__global__ void k(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                  "int main() { float *p, q[64]; cudaMalloc(&p, sizeof q); k<<<1, 64>>>(p);\n"
                  "cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost); return q[5] != 1; }\n")

    # Everything that prints, to a full disk.
    printing = {
        "--help": [HEDDLE, "--help"],
        "--version": [HEDDLE, "--version"],
        "analyze": [HEDDLE, "analyze", "--cuda-path", "none", kernel],
        "analyze --json": [HEDDLE, "analyze", "--cuda-path", "none", "--json", kernel],
        "arch": [HEDDLE, "arch"],
        "arch --json": [HEDDLE, "arch", "sm_90", "--json"],
        "check": [HEDDLE, "check", "--compiler", "clang", kernel],
        "check --json": [HEDDLE, "check", "--compiler", "clang", "--json", kernel],
        "check --static": [HEDDLE, "check", "--static", "--block", "32", HOLDS],
        "check --static --json": [HEDDLE, "check", "--static", "--block", "32", "--json", HOLDS],
        "chem": [HEDDLE, "chem", HYDROGEN, "--evaluate", STATES],
        "doctor": [HEDDLE, "doctor"],
        "profile": [HEDDLE, "profile", "--compiler", "clang", kernel],
        "profile --json": [HEDDLE, "profile", "--compiler", "clang", "--json", kernel],
        "capture": [HEDDLE, "capture", "--compiler", "clang", kernel, "-o", os.path.join(folder, "capture")],
        "verify": [HEDDLE, "verify", "--compiler", "clang", kernel, kernel],
        "verify --json": [HEDDLE, "verify", "--compiler", "clang", "--json", kernel, kernel],
        "tune": [HEDDLE, "tune", "--cuda-path", "none", "--compiler", "clang", kernel, "-d", "coarsen x=1|2",
                 "--device", "sim"],
        "runner --help": [RUNNER, "--help"],
    }
    for name, command in printing.items():
        with open(full, "w") as device:
            expect(f"{name}: full disk", command, 4, "standard output cannot be written: No space left on device",
                   stdout=device, silent=False)

    # Every option that names an output: no space, no permission, a folder that is not there, a directory.
    writing = {
        "opt -o": lambda out: [HEDDLE, "opt", "--cuda-path", "none", "--no-check", kernel, "-d", "coarsen x=2", "-o", out],
        "run --record": lambda out: [HEDDLE, "run", "--compiler", "clang", "--quiet", kernel, "--record", out],
        "check --sarif": lambda out: [HEDDLE, "check", "--compiler", "clang", kernel, "--sarif", out],
        "check --static --sarif": lambda out: [HEDDLE, "check", "--static", "--block", "32", HOLDS, "--sarif", out],
        "profile --bbv": lambda out: [HEDDLE, "profile", "--compiler", "clang", kernel, "--bbv", out],
        "tune -o": lambda out: [HEDDLE, "tune", "--cuda-path", "none", "--compiler", "clang", "--device", "sim", kernel,
                                "-d", "coarsen x=1|2", "-o", out, "--cache", os.path.join(folder, "cache")],
        "tune --cache": lambda out: [HEDDLE, "tune", kernel, "-d", "coarsen x=1|2", "--cache", out],
        "tune --report": lambda out: [HEDDLE, "tune", kernel, "-d", "coarsen x=1|2", "--report", out],
        "tune --t4": lambda out: [HEDDLE, "tune", kernel, "-d", "coarsen x=1|2", "--t4", out],
        "tune --t1": lambda out: [HEDDLE, "tune", kernel, "-d", "coarsen x=1|2", "--t1", out],
    }
    for name, command in writing.items():
        if name not in ("tune --report", "tune --t4", "tune --t1", "tune --cache"):  # written like -o, after a search
            expect(f"{name}: full disk", command(full), 4, "cannot be written: No space left on device", silent=False)
        expect(f"{name}: no permission", command(os.path.join(closed, "out")), 4, "cannot be written: Permission denied")
        expect(f"{name}: no such folder", command(nowhere), 4, "cannot be written: No such file or directory")
        expect(f"{name}: a directory", command(folder), 4, "cannot be written: Is a directory")
    expect("profile --orders: no such folder", [HEDDLE, "profile", "--compiler", "clang", kernel, "--orders", nowhere], 4,
           "cannot be written: No such file or directory")
    # The file of results is read before it is written.
    expect("tune --cache: a device", writing["tune --cache"](full), 2, "is not a regular file")
    making = {
        "chem -o": lambda out: [HEDDLE, "chem", HYDROGEN, "-o", out, "--kernel", "viscosity", "--variant", "cpu"],
        "capture -o": lambda out: [HEDDLE, "capture", "--compiler", "clang", kernel, "-o", out],
        "tune --plan": lambda out: [HEDDLE, "tune", kernel, "-d", "coarsen x=1|2", "--plan", out],
        "tune -o of a mechanism": lambda out: [HEDDLE, "tune", HYDROGEN, "--option", "--warps=4|8", "-o", out,
                                               "--cache", os.path.join(folder, "cache.chem")],
    }
    for name, command in making.items():
        expect(f"{name}: no permission", command(os.path.join(closed, "out")), 4, "cannot be written: Permission denied")
        expect(f"{name}: a file", command(kernel), 4, "cannot be written: (Not a directory|File exists)")
    os.environ["TMPDIR"] = nowhere
    expect("run: no temporary folder", [HEDDLE, "run", kernel], 4, "cannot be written: No such file or directory")
    del os.environ["TMPDIR"]

    plan = os.path.join(folder, "plan")
    os.mkdir(plan, 0o755)
    manifest = {"schema": "heddle.plan/2", "program": "k.cu", "arch": "sm_90", "arguments": [], "flags": [],
                "compile_seconds": 1, "run_seconds": 1, "warm_ups": 1, "rounds": 1, "copies": 0, "compares_copies": True,
                "candidates": [{"id": "0", "configuration": "", "files": ["k.cu"], "flags": []}]}
    with open(os.path.join(plan, "manifest.json"), "w") as out:
        json.dump(manifest, out)
    os.chmod(plan, 0o555)
    expect("runner: results not writable", [RUNNER, plan], 4, r"results\.jsonl: cannot be written: Permission denied")
    os.chmod(plan, 0o755)


def names(folder):
    """Text and names that are no UTF-8 are handled as bytes, and shown with U+FFFD where JSON must be text."""
    text = (b"#ifndef BYTES\n#define BYTES 128 // too few: caf\xe9\n#endif\n__global__ void k(float *p) {\n  p[threadIdx.x] = 1; // caf\xe9\n}\n"
            b"int main() { float *p; cudaMalloc(&p, BYTES); k<<<1, 64>>>(p); return cudaDeviceSynchronize() != 0; }\n")
    for name in (b"latin.cu", b"caf\xe9.cu"):
        path = os.path.join(os.fsencode(folder), name)
        with open(path, "wb") as out:
            out.write(text)
        shown = os.fsdecode(name)
        done = expect(f"check {shown!r}", [HEDDLE, "check", "--compiler", "clang", path], 1, "", silent=False)
        if b"memory" not in done.stdout or b":5:" not in done.stdout or b"caf\xe9" not in done.stdout:
            failures.append(f"check {shown!r}: the finding at line 5 is not shown with its source line\n{done.stdout!r}")
        for options in (["check", "--compiler", "clang", "--json"], ["check", "--compiler", "clang", "--sarif", "/dev/stdout"],
                        ["analyze", "--cuda-path", "none", "--no-ptxas", "--json"],
                        ["profile", "--compiler", "clang", "--json", "-DBYTES=256"],
                        ["check", "--static", "--block", "64", "--compiler", "clang", "--json"]):
            done = run([HEDDLE] + options + [path])
            said = done.stderr.decode("utf-8", "replace")
            global count
            count += 1
            if done.returncode not in (0, 1) or "internal error" in said:
                failures.append(f"{options} {shown!r}: exit code {done.returncode}\n{said}")
            elif "--sarif" not in options:
                json.loads(done.stdout.decode("utf-8"))
        page = os.path.join(os.fsencode(folder), b"page-" + name + b".html")
        expect(f"tune --report {shown!r}", [HEDDLE, "tune", "--cuda-path", "none", "--compiler", "clang", "--device", "sim", path,
               "-d", "coarsen x=1|2", "-DBYTES=256", "--report", page], 0, "", silent=False)
        with open(page, "rb") as written:
            written.read().decode("utf-8")
        expect(f"opt {shown!r}", [HEDDLE, "opt", "--cuda-path", "none", path, "-d", "coarsen x=2", "-o",
               os.path.join(os.fsencode(folder), b"out-" + name)], 0, "")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        {"inputs": inputs, "outputs": outputs, "names": names}[PART](folder)
    for failure in failures:
        print(failure)
    print(f"{count} cases, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
