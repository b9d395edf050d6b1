#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verbs on a real GPU, from end to end: `ctest -L gpu`. Without a GPU or without nvcc the tests are skipped, with the reason.

Usage: end_to_end.py SOURCE BUILD TEST     exit 77: skipped; 1: failed, with the command and its output
       end_to_end.py --list                the names of the tests
"""
import concurrent.futures
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Programs that check their results themselves and print PASS, with a size that fills more than one multiprocessor.
PROGRAMS = {"saxpy": "1000000", "convolve": "300000", "reduce": "300000", "matmul_tiled": "200", "stencil2pt": "100000", "transpose_tiled": "300",
            "histogram": "300000"}
# Kernels that use memory which a kernel has allocated.
NOT_REPLAYED = {"device-malloc": {"consume"}}
# Kernels whose results depend on the order of atomic operations: a replay may have the same ones by chance.
MAY_DIFFER = {"atomics-integer": {"tickets"}, "cooperative-tiles": {"aggregated"}}
# Programs whose launches fail, are in graphs, by the driver API or on memory that the program maps itself, and one without any.
NOT_CAPTURED = {"device-faults", "device-query", "driver-api", "graphs", "nvrtc", "virtual-memory"}
# Programs in which the way of a thread depends on its data alone, of a size for the simulator.
PROFILED = {"ragged": ["500"], "mandelbrot": [], "saxpy": ["5000"], "convolve": ["5000"], "reduce": ["5000"], "matmul_tiled": ["100"]}
SIMULATED_SIZE = "5000"  # of saxpy, where the simulator runs it too


class Failed(Exception):
    pass


class Tests:
    def __init__(self, source, build, work):
        self.source, self.build, self.work = source, build, work

    def call(self, program, *words, status=0, expected=""):
        """Runs a program of the build and returns what it prints; fails for another exit code or without the expected text."""
        command = [str(self.build / program), *(str(word) for word in words)]
        done = subprocess.run(command, cwd=self.work, text=True, capture_output=True, timeout=900)
        if done.returncode != status or not re.search(expected, done.stdout + done.stderr):
            raise Failed(f"{' '.join(command)}\nexit {done.returncode}, expected {status}; text '{expected}' expected in\n{done.stdout}{done.stderr}")
        return done.stdout

    def heddle(self, *words, **more):
        return self.call("heddle", *words, **more)

    def example(self, name):
        return self.source / "examples" / f"{name}.cu"

    def reason_to_skip(self):
        findings = json.loads(self.heddle("doctor", "--json"))["findings"]
        if not any(f["found"] for f in findings if f["section"] == "GPU" and f["name"].startswith("device")):
            return "there is no GPU"
        if not any(f["found"] for f in findings if f["name"] == "nvcc"):
            return "there is no nvcc"
        return ""

    # The tests, each by its name
    # --------------------------------------------------------------------------------------------

    def run(self):
        """Examples run and check their own results."""
        for name, size in PROGRAMS.items():
            self.heddle("run", self.example(name), "--device", "gpu", "--", size, expected="PASS")

    def auto(self):
        """--device auto takes the GPU: a simulator would count instructions in its summary."""
        self.heddle("run", self.example("saxpy"), "--device", "auto", "--quiet", "--", "1000000", expected="PASS")
        report = json.loads(self.heddle("tune", self.example("saxpy"), "-d", "coarsen x=1|2", "--json", "--", "1000000"))
        if report["predicted"]:
            raise Failed("tune without --device predicts times beside a GPU")

    def verify(self):
        """Transformed programs have the results of the original; a wrong program is found."""
        for name, directive in {"saxpy": "coarsen x=2", "convolve": "coarsen x=2", "matmul_tiled": "coarsen y=2"}.items():
            made = self.work / f"{name}.opt.cu"
            self.heddle("opt", self.example(name), "-d", directive, "-o", made)
            self.heddle("verify", self.example(name), made, f"-I{self.source}/examples", "--device", "gpu", "--", PROGRAMS[name], expected="same")
        twins = self.source / "tests/verify"
        for name in ("saxpy", "reverse", "transpose"):
            self.heddle("verify", twins / f"{name}.cu", twins / f"{name}.bug.cu", "--device", "gpu", status=1, expected="differ")

    def record(self):
        """The simulator computes what the GPU computed: a recording of the GPU replaces the second program."""
        recording = self.work / "saxpy.copies"
        self.heddle("run", self.example("saxpy"), "--device", "gpu", "--record", recording, "--", SIMULATED_SIZE)
        self.heddle("verify", self.example("saxpy"), recording, "--device", "sim", "--", SIMULATED_SIZE, expected="same")

    def tune(self):
        """Every candidate is measured on the GPU, and the winner has the results of the original."""
        tuned = self.work / "tuned.cu"
        report = json.loads(self.heddle("tune", self.example("convolve"), "-d", "coarsen x=1|2|4", "--device", "gpu", "--json", "-o", tuned, "--", "300000"))
        if report["predicted"] or "model" in report["device"]:
            raise Failed(f"times are predicted, on '{report['device']}'")
        self.expect_measured(report)
        if len(report["results"]) != 3:
            raise Failed(f"3 candidates expected: {json.dumps(report['results'], indent=1)}")
        emitted = self.work / "emitted.cu"
        self.heddle("opt", tuned, f"-I{self.source}/examples", "-o", emitted)
        self.heddle("verify", self.example("convolve"), emitted, f"-I{self.source}/examples", "--device", "gpu", "--", "300000", expected="same")

    def plan(self):
        """A plan that heddle-runner measures, as on a machine without Heddle."""
        words = ["tune", self.example("saxpy"), "-d", "coarsen x=1|2", "--cache", self.work / "cache", "--device", "gpu"]
        plan = self.work / "plan"
        self.heddle(*words, "--plan", plan, "--", "1000000")
        self.call("heddle-runner", plan)
        report = json.loads(self.heddle(*words, "--collect", plan, "--json", "--", "1000000"))
        self.expect_measured(report)

    def capture(self):
        """A launch is captured, and its folder replays it: the same results, bit by bit."""
        memory = self.source / "tests/capture/programs/memory.cu"
        launches = {name: (self.example(name), size) for name, size in PROGRAMS.items() if name != "histogram"}  # its order of atomics varies
        launches |= {way: (memory, way) for way in ("large", "struct", "list", "variable", "pointer", "managed", "pinned", "stream", "shapes")}

        def one(name):
            program, argument = launches[name]
            folder = self.work / name
            arch = json.loads(self.heddle("capture", program, "--device", "gpu", "-o", folder, "--json", "--", argument))["captures"][0]["arch"]
            made = subprocess.run(["make", "run", f"ARCH={arch}"], cwd=folder, text=True, capture_output=True, timeout=900)
            if made.returncode != 0 or "as captured" not in made.stdout:
                raise Failed(f"make run in the capture of {name}\n{made.stdout}{made.stderr}")

        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # compiling is most of it
            list(pool.map(one, launches))

    def replays(self):
        """Every launch of the test programs and the examples that can be captured is captured on the GPU, and replayed bit by bit."""
        programs = sorted([*(self.source / "tests/programs").glob("*.cu"), *(self.source / "examples").glob("*.cu")])
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            outcomes = dict(zip((program.stem for program in programs), pool.map(self.replay_all, programs)))
        for name, outcome in outcomes.items():
            print(f"{name}: {outcome['replayed']} launches replayed" + "".join(f"; {kernel}: {text}" for kernel, text in outcome["failed"].items()))
        failed = {name: kernels for name, outcome in outcomes.items() if (kernels := set(outcome["failed"]) - MAY_DIFFER.get(name, set()))}
        none = {name for name, outcome in outcomes.items() if not outcome["replayed"] and not outcome["failed"]}
        if failed != NOT_REPLAYED or none != NOT_CAPTURED:
            raise Failed(f"launches that are not replayed: {failed}, expected {NOT_REPLAYED}\nprograms without a capture: {none}, expected {NOT_CAPTURED}")

    def replay_all(self, program):
        """Captures the first launch of each kernel, grid and block; replays each with the module that nvcc makes of the same file."""
        folder = self.work / f"launches-{program.stem}"
        captured = subprocess.run([str(self.build / "heddle"), "capture", str(program), "--device", "gpu", "--launch", "all", "-o", str(folder), "--json"],
                                  cwd=self.work, text=True, capture_output=True, timeout=900)
        outcome = {"replayed": 0, "failed": {}}
        if captured.returncode != 0:
            return outcome
        captures = json.loads(captured.stdout)["captures"]
        module = self.work / f"{program.stem}.cubin"
        subprocess.run(["nvcc", "-cubin", f"-arch={captures[0]['arch']}", "-o", str(module), str(program)], check=True, capture_output=True, timeout=900)
        for capture in captures:
            done = subprocess.run([str(self.build / "heddle-replay"), capture["folder"], "--cubin", str(module), "--rounds", "1"],
                                  cwd=self.work, text=True, capture_output=True, timeout=300)
            if done.returncode == 0:
                outcome["replayed"] += 1
            else:
                outcome["failed"][re.split("[<(]", capture["name"])[0].split()[-1]] = (done.stdout + done.stderr)[-300:]
        return outcome

    def interrupted(self):
        """SIGINT keeps the best so far, and the same command goes on where it was, without measuring anything again."""
        cache = self.work / "interrupted.jsonl"
        words = [str(self.build / "heddle"), "tune", str(self.example("convolve")), "-d", "auto", "--device", "gpu", "--cache", str(cache), "--json", "--", "3000000"]
        search = subprocess.Popen(words, cwd=self.work, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.time() + 300
        while search.poll() is None and time.time() < end and len(self.results_in(cache)) < 5:
            time.sleep(0.05)
        search.send_signal(signal.SIGINT)
        report, messages = search.communicate(timeout=300)
        if search.returncode != 130 or "the same command goes on from there" not in messages:
            raise Failed(f"interrupted search: exit {search.returncode}\n{report}{messages}")
        self.expect_measured({"results": [r for r in json.loads(report)["results"] if r["status"] == "measured"]})
        before = self.results_in(cache)
        self.heddle(*words[1:])
        after = self.results_in(cache)
        if after[: len(before)] != before or len(after) <= len(before) or len(set(after)) != len(after):
            raise Failed(f"{len(before)} results when it was interrupted, {len(after)} at the end: results of the first part were lost or measured again")

    @staticmethod
    def results_in(cache):
        """The candidates of which a cache has the result, in their order."""
        lines = [json.loads(line) for line in cache.read_text().splitlines() if line.endswith("}")] if cache.exists() else []
        return [(line["configuration"], line["program"]) for line in lines if "configuration" in line]

    def profile(self):
        """Counters on the GPU: each thread executes each basic block as often as on the simulator. What warps do is measured, and may differ."""
        for name, arguments in PROFILED.items():
            vectors, facts = {}, {}
            for device in ("sim", "gpu"):
                file = self.work / f"{name}.{device}.tsv"
                words = ["profile", self.example(name), "--compiler", "nvcc", "--device", device, "--json", "--bbv", file, "--", *arguments]
                facts[device] = json.loads(self.heddle(*words))
                vectors[device] = file.read_text()
            if vectors["sim"] != vectors["gpu"]:
                raise Failed(f"{name}: threads of the GPU have other basic-block vectors: {self.first_difference(vectors['sim'], vectors['gpu'])}")
            if facts["gpu"]["origin"]["counts"] != "measured" or not facts["gpu"]["origin"]["name"]:
                raise Failed(f"{name}: counts are not said to be measured: {facts['gpu']['origin']}")
            for simulated, counted in zip(facts["sim"]["kernels"], facts["gpu"]["kernels"], strict=True):
                print(f"{name} {counted['mangled']}: " + ", ".join(f"{key} {simulated[key]} simulated, {counted[key]} measured"
                      for key in ("lostShare", "branches", "divergentBranches", "divergentWarps", "warpInstructions", "registers")))
                if counted["threads"] != simulated["threads"] or counted["distinctVectors"] != simulated["distinctVectors"]:
                    raise Failed(f"{name}: {counted['mangled']} differs")
                # Lanes that are apart longer lose more slots. Fewer than the vectors need cannot be lost.
                if counted["lostShare"] < counted["lostShareByModel"] - 1e-9:
                    raise Failed(f"{name}: {counted['lostShare']} of the slots are lost, and {counted['lostShareByModel']} must be")

    @staticmethod
    def first_difference(one, other):
        return next(f"line {i + 1}: '{a}', '{b}'" for i, (a, b) in enumerate(zip(one.splitlines() + [""], other.splitlines() + [""])) if a != b)

    def simulator(self):
        """What has no form for the GPU runs on the simulator beside one: check, check --static; and profile by default."""
        self.heddle("profile", self.example("ragged"), "--", "500", expected="diverged")
        self.heddle("check", self.example("saxpy"), "--", SIMULATED_SIZE)
        self.heddle("check", self.example("saxpy"), "--static", "--block", "256", expected="proved for every input")

    def expect_measured(self, report):
        for result in report["results"]:
            if result["status"] != "measured" or result["predicted"] or not result["micros"] > 0:
                raise Failed(f"not measured on the GPU: {json.dumps(result, indent=1)}")


NAMES = ["run", "auto", "verify", "record", "tune", "plan", "capture", "replays", "interrupted", "profile", "simulator"]


def main(source, build, name):
    with tempfile.TemporaryDirectory(prefix="heddle-gpu-") as work:
        tests = Tests(Path(source).resolve(), Path(build).resolve(), Path(work))
        if reason := tests.reason_to_skip():
            print(f"skipped: {reason}")
            return 77
        try:
            getattr(tests, name)()
        except Failed as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(NAMES))
    elif len(sys.argv) == 4 and sys.argv[3] in NAMES:
        sys.exit(main(*sys.argv[1:]))
    else:
        sys.exit(__doc__)
