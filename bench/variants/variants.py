# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `emit` of each folder beside this one does: every kernel of its kernels.tsv as it is and in every way that is asked for,
ready for `measure` on a machine with a GPU.

Each variant is what `heddle opt` emits, byte for byte. FOLDER/manifest.json says what was made of what, what was refused and why.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent.parent


def table(file):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


class Emitter:
    """The variants of one program."""

    def __init__(self, heddle, row, folder, source, further=()):
        """`further`: arguments for every `heddle opt`."""
        self.heddle, self.row, self.folder, self.source, self.further = heddle, row, folder, source, list(further)
        self.includes = [os.path.dirname(source)]  # of the files that a source includes by their place beside it
        original = (root / source).read_text()
        self.variants = [{"name": "original", "directive": "", "file": f"{row['program']}.original.cu"}]
        self.seen = {original: self.variants[0]}
        (folder / self.variants[0]["file"]).write_text(original)

    def add(self, source, name):
        """A variant written by hand."""
        file = f"{self.row['program']}.{name}.cu"
        (self.folder / file).write_text((root / source).read_text())
        self.variants.append({"name": name, "directive": "", "file": file})
        self.includes.append(os.path.dirname(source))

    def emit(self, directive, name, asks_toolkit=False, may_fail=False, kernel=None):
        """One variant more, as the manifest has it; of all kernels, or of one. `may_fail`: a directive that cannot even be read, or ends in another way than by
        a refusal, is recorded like one: the others are worth measuring."""
        out = self.folder / f"{self.row['program']}.{name}.cu"
        command = [self.heddle, "opt", self.source, "-o", str(out), "-d", directive, "--no-check", "--remarks", *self.further]
        if kernel:
            command += ["-k", kernel]
        if not asks_toolkit:  # Heddle's own headers are read faster
            command += ["--cuda-path", "none"]
        done = subprocess.run(command, text=True, capture_output=True, cwd=root)
        said = [line for line in (done.stdout + done.stderr).splitlines() if re.match(r"[^\s:]+(:\d+:\d+)?: \w+: ", line)]
        if done.returncode not in (0, 1) and not may_fail:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        variant = {"name": name, "directive": directive, "said": said}
        self.variants.append(variant)
        if done.returncode == 1:
            variant["refused"] = next((line for line in said if ": refused: " in line), "refused")
        elif done.returncode:
            variant["refused"] = next((line for line in done.stderr.splitlines() if "error: " in line),
                                      f"heddle opt ended with {done.returncode}")
            print(f"{self.row['program']}, {directive}: {variant['refused']}", file=sys.stderr)
        elif (same := self.seen.setdefault(out.read_text(), variant)) is not variant:
            variant["same as"] = same  # its name, once all have theirs
            out.unlink()
        else:
            variant["file"] = out.name
        return variant

    def finished(self):
        for variant in self.variants:
            if "same as" in variant:
                variant["same as"] = variant["same as"]["name"]
        return {**self.row, "includes": self.includes, "variants": self.variants}


def emit_all(about, kernels, emit_program):
    """`emit HEDDLE FOLDER [PROGRAM...]`: emit_program(heddle, row, folder) makes one program's variants."""
    if len(sys.argv) < 3:
        sys.exit(about)
    heddle, folder, wanted = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.cu"):
        old.unlink()
    rows = [row for row in table(kernels) if not wanted or row["program"] in wanted]
    with tempfile.TemporaryDirectory() as headers, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # Hundreds of runs read the same headers: compiled once, they take a quarter of the time.
        os.environ.setdefault("HEDDLE_HEADER_CACHE", headers)
        programs = list(pool.map(lambda row: emit_program(heddle, row, folder), rows))
    (folder / "manifest.json").write_text(json.dumps(programs, indent=1) + "\n")
    variants = [variant for program in programs for variant in program["variants"]]
    print(f"{len(programs)} programs, {sum('file' in v for v in variants)} files, "
          f"{sum('refused' in v for v in variants)} refused, {sum('same as' in v for v in variants)} like others")
