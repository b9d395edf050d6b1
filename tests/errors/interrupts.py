#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SIGINT, SIGTERM and SIGHUP while a verb is at work: 130, 143 and 129, no temporary file left, no process left, and how to go on.

    interrupts.py HEDDLE RUNNER SOURCE_DIR

SIGPIPE, where the output is not read any more: 141, nothing left, and no word.

The program that is simulated never ends, so that a signal always finds it running. It says that it runs by making a file.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HEDDLE, RUNNER, SOURCE = sys.argv[1:4]
PATIENCE = 240  # seconds for a machine that is busy

PROGRAM = r"""
#include <cstdio>
__global__ void spin(volatile int *p) { while (*p == 0) {} }
__global__ void fill(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main(int, char **words) {
  int *p;
  cudaMallocManaged(&p, 4);
  std::fclose(std::fopen(words[1], "w"));
  spin<<<1, 32>>>(p);
  if (words[2])
    fill<<<2, 64>>>(p);
  cudaDeviceSynchronize();
  for (;;) {}
}
"""

failures = []
count = 0


def wait_for(condition, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def processes_with(text):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as line:
                    if text.encode() in line.read():
                        found.append(int(entry))
            except OSError:
                pass
    return found


def interrupt(name, command, which, code, hint, folder, started):
    global count
    count += 1
    temporary = os.path.join(folder, "tmp")
    os.makedirs(temporary, exist_ok=True)
    if os.path.exists(started):
        os.remove(started)
    environment = dict(os.environ, HEDDLE_DATA=SOURCE, NO_COLOR="1", TMPDIR=temporary)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=environment, cwd=folder)
    if not wait_for(lambda: os.path.exists(started) or process.poll() is not None, PATIENCE):
        failures.append(f"{name}: the program was never started")
    time.sleep(0.2)
    process.send_signal(which)
    try:
        _, said = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        failures.append(f"{name}: did not end")
    said = said.decode("utf-8", "replace")
    wrong = []
    if process.returncode != code:
        wrong.append(f"exit code {process.returncode}, not {code}")
    if hint not in said:
        wrong.append(f"stderr has no '{hint}'")
    if os.listdir(temporary):
        wrong.append(f"left behind: {os.listdir(temporary)}")
    if not wait_for(lambda: not processes_with(temporary), 10):
        wrong.append(f"still running: {processes_with(temporary)}")
    if wrong:
        failures.append(f"{name}: {', '.join(wrong)}\n" + said)


SEARCH = r"""
#include <cstdio>
#ifndef HANGS
#define HANGS 0
#endif
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main(int, char **words) {
  int *p, host[32];
  cudaMalloc(&p, sizeof host);
  fill<<<1, 32>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  if (HANGS) {
    std::fclose(std::fopen(words[1], "w"));
    for (;;) {}
  }
}
"""


def stopped_search(folder, clang):
    """SIGINT after the baseline was measured, while a candidate hangs: the search ends with what it has, and is resumed."""
    global count
    count += 1
    source, out, started = (os.path.join(folder, name) for name in ("search.cu", "searched.cu", "hangs"))
    with open(source, "w") as text:
        text.write(SEARCH)
    command = [HEDDLE, "tune", source, "--define", "HANGS=1|2", "--no-check", "--whole-program", "--device", "sim", "--cuda-path", "none", "-o", out,
               "--run-limit", "1000"] + clang + ["--", started]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=dict(os.environ, HEDDLE_DATA=SOURCE, NO_COLOR="1"), cwd=folder)
    wait_for(lambda: os.path.exists(started) or process.poll() is not None, PATIENCE)
    process.send_signal(signal.SIGINT)
    try:
        printed, said = (text.decode("utf-8", "replace") for text in process.communicate(timeout=PATIENCE))
    except subprocess.TimeoutExpired:
        process.kill()
        printed, said = (text.decode("utf-8", "replace") for text in process.communicate())
    wrong = []
    if process.returncode != 130:
        wrong.append(f"exit code {process.returncode}")
    if "searched.cu.tune.jsonl': the same command goes on from there" not in said:
        wrong.append("it does not say how to resume")
    if "no candidate beat the baseline" not in printed or not os.path.exists(out):
        wrong.append("the best so far is not written")
    with open(out + ".tune.jsonl") as lines:
        kept = [json.loads(line) for line in lines if '"result"' in line]
    if [each["configuration"] for each in kept] != ["baseline"]:
        wrong.append(f"kept: {kept}")
    if wrong:
        failures.append(f"tune: SIGINT after a result: {', '.join(wrong)}\n" + printed + said)


def closed_pipe(name, command, folder):
    """The reader goes away after the first byte: what is left to print is more than a pipe holds."""
    global count
    count += 1
    temporary = os.path.join(folder, "tmp")
    environment = dict(os.environ, HEDDLE_DATA=SOURCE, NO_COLOR="1", TMPDIR=temporary)
    reader, writer = os.pipe()
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment,
                               cwd=folder, restore_signals=True)
    os.close(writer)
    os.close(reader)
    _, said = process.communicate(timeout=PATIENCE)
    wrong = []
    if process.returncode != 141:
        wrong.append(f"exit code {process.returncode}, not 141")
    if said:
        wrong.append("something on stderr")
    if os.listdir(temporary):
        wrong.append(f"left behind: {os.listdir(temporary)}")
    if wrong:
        failures.append(f"{name}: {', '.join(wrong)}\n" + said.decode("utf-8", "replace"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        file, started = os.path.join(folder, "spin.cu"), os.path.join(folder, "started")
        with open(file, "w") as out:
            out.write(PROGRAM)
        clang = ["--compiler", "clang"]
        verbs = {
            "run": [HEDDLE, "run", file] + clang + ["--", started],
            "check": [HEDDLE, "check", file] + clang + ["--", started],
            "profile": [HEDDLE, "profile", file] + clang + ["--", started],
            "capture": [HEDDLE, "capture", file, "-o", "out.launch"] + clang + ["--", started],
            "verify": [HEDDLE, "verify", file, file] + clang + ["--", started],
            "tune": [HEDDLE, "tune", file, "-d", "block x=32|64", "--no-check", "--device", "sim", "--cuda-path", "none",
                     "-o", "out.cu"] + clang + ["--", started],
        }
        verbs["opt --verify"] = [HEDDLE, "opt", file, "-d", "coarsen x=2", "--no-check", "--verify", "--cuda-path", "none",
                                 "-o", "opt.cu", "-k", "fill"] + clang + ["--", started]
        for verb, command in verbs.items():
            # A program that heddle run shows ends by the signal itself, and heddle with its exit code.
            hint = {"run": "", "tune": "out.cu.tune.jsonl': the same command goes on from there"}.get(
                verb, "temporary files are removed; run the same command again")
            interrupt(f"{verb}: SIGINT", command, signal.SIGINT, 130, hint, folder, started)
            if verb != "tune":
                interrupt(f"{verb}: SIGTERM", command, signal.SIGTERM, 143, hint, folder, started)
            if verb == "profile":
                interrupt(f"{verb}: SIGHUP", command, signal.SIGHUP, 129, hint, folder, started)

        stopped_search(folder, clang)

        racing = os.path.join(SOURCE, "tests/check/shared-between-warps.bad.cu")
        closed_pipe("check: SIGPIPE", [HEDDLE, "check", racing] + clang, folder)
        closed_pipe("profile: SIGPIPE", [HEDDLE, "profile", racing] + clang, folder)
        closed_pipe("verify: SIGPIPE", [HEDDLE, "verify", racing, racing] + clang, folder)
        closed_pipe("arch: SIGPIPE", [HEDDLE, "arch"], folder)

        # heddle-runner, while it compiles: the compiler here is a shell that never ends.
        plan = os.path.join(folder, "plan")
        os.mkdir(plan)
        manifest = {"schema": "heddle.plan/2", "program": "k.cu", "arch": "sm_90", "arguments": [], "flags": [],
                    "compile_seconds": 1000, "run_seconds": 1000, "warm_ups": 1, "rounds": 1, "copies": 0,
                    "compares_copies": True,
                    "candidates": [{"id": "0", "configuration": "", "files": ["k.cu"], "flags": []}]}
        with open(os.path.join(plan, "manifest.json"), "w") as out:
            json.dump(manifest, out)
        script = os.path.join(folder, "compiler")
        with open(script, "w") as out:
            out.write(f"#!/bin/sh\ntouch {started}\nexec sleep 1000\n")
        os.chmod(script, 0o755)
        interrupt("runner: SIGINT", [RUNNER, plan, "--timing", "none", "--compile", script + " {files} {out}"],
                  signal.SIGINT, 130, "results.jsonl: the same command goes on from there", folder, started)
    for failure in failures:
        print(failure)
    print(f"{count} cases, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
