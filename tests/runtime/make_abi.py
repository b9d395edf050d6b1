#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes abi.cpp: what our CUDA headers and NVIDIA's must agree on, as static_asserts.

The names come from our headers, the numbers from the toolkit's: a probe that prints sizes, offsets and values is
compiled against the toolkit and run. Run this again when a type is added to runtime/cuda.

    tests/runtime/make_abi.py [/usr/local/cuda]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = ROOT / "runtime/cuda/heddle"
TOOLKIT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/local/cuda")

# Inside an anonymous struct of a union the scan below does not look.
NESTED = {
    "cudaResourceDesc": ["res.array.array", "res.linear.devPtr", "res.linear.desc", "res.linear.sizeInBytes",
                         "res.pitch2D.desc", "res.pitch2D.width", "res.pitch2D.height", "res.pitch2D.pitchInBytes"],
    "cudaLaunchAttributeValue": ["clusterDim.y", "programmaticEvent.flags", "programmaticEvent.triggerAtBlockStart",
                                 "deviceUpdatableKernelNode.devNode"],
}
# Ours alone: they live in words that CUDA 13 reserves, or name values it has withdrawn.
OURS = {"reserved", "clockRate", "memoryClockRate", "deviceOverlap", "computeMode", "kernelExecTimeoutEnabled",
        "singleToDoublePrecisionPerfRatio", "cooperativeMultiDeviceLaunch", "maxTexture1DLinear",
        "cudaDevAttrCooperativeMultiDeviceLaunch"}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def structs(text):
    """(name, fields) of each struct and union at the top level; the fields are those one level in."""
    for match in re.finditer(r"^(?:typedef )?(struct|union) (\w+) \{", text, re.M):
        depth, at, level_one = 1, match.end(), ""
        while depth:
            char = text[at]
            depth += (char == "{") - (char == "}")
            if depth == 1:
                level_one += char if char != "}" else " "
            at += 1
        fields = []
        for declaration in level_one.split(";"):
            for part in declaration.split(","):
                words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", part))
                if words:
                    fields.append(words[-1])
        tag = match.group(1) + " " + match.group(2)
        yield tag, [f for f in fields if f not in OURS] + NESTED.get(match.group(2), [])


def enumerators(text):
    return [n for n in re.findall(r"^\s+(cuda\w+) = [-\w]+,", text, re.M) if n not in OURS]


def checks():
    for name in ["vector_types.def"]:
        for family in re.findall(r"^HEDDLE_VECTOR\((\w+),", (HEDDLE / name).read_text(), re.M):
            for width in "1234":
                yield f"sizeof({family}{width})"
                yield f"alignof({family}{width})"
    for header in ["device_prop.h", "structs.h"]:
        for tag, fields in structs(without_comments((HEDDLE / header).read_text())):
            yield f"sizeof({tag})"
            yield f"alignof({tag})"
            for field in fields:
                yield f"offsetof({tag}, {field})"
    for table in ["error_codes.def", "device_attributes.def"]:
        yield from re.findall(r"^HEDDLE_CUDA_\w+\((\w+),", (HEDDLE / table).read_text(), re.M)
    yield from enumerators(without_comments((HEDDLE / "enums.h").read_text()))
    for flag in re.findall(r"^#define (cuda\w+) 0x", (HEDDLE / "flags.h").read_text(), re.M):
        yield flag


def values(expressions):
    lines = "\n".join(f'  std::printf("%lld\\n", (long long)({e}));' for e in expressions)
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.cpp"
        probe.write_text(f"#include <cstddef>\n#include <cstdio>\n#include <cuda_runtime_api.h>\n"
                         f"int main() {{\n{lines}\n}}\n")
        subprocess.run(["clang++-22", "-w", "-I", TOOLKIT / "include", probe, "-o", probe.with_suffix("")], check=True)
        return subprocess.run([probe.with_suffix("")], check=True, capture_output=True, text=True).stdout.split()


def main():
    expressions = list(dict.fromkeys(checks()))
    asserts = [f"static_assert({e} == {v});" for e, v in zip(expressions, values(expressions))]
    (ROOT / "tests/runtime/cases/abi.cpp").write_text(
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
        "// What our CUDA headers and those of CUDA 13 must agree on, on a 64-bit Linux. Written by make_abi.py;\n"
        "// compiled with either set of headers, never linked.\n"
        "#include <cstddef>\n#include <cuda_runtime_api.h>\n\n" + "\n".join(asserts) + "\n")


if __name__ == "__main__":
    main()
