#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The relocatable package runs from any folder, also a read-only one, where neither LLVM nor the source tree is.

What the archive of `make package` holds is staged (compressing it would take longer than the whole test) into a folder with a space in its name.
Then, in a mount namespace where that folder is read-only and LLVM, the other libraries of the package, the source tree and the build are
hidden: `doctor`, `opt`, `run`, `verify` and `chem`. Where no namespace can be made, they run without hiding, and the test says so.

Usage: relocatable.py SOURCE BUILD LLVM     exit 1 with what is wrong, 77 where no package may be made
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What a package takes from the system (tools/package), and MPI, which the plugin for mpirun needs.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+|mpi|mpi_cxx|open-rte|open-pal)\.so.*)")
# Libraries of the package that programs of the system need as well (shells, the linker): these cannot be hidden.
NOT_HIDDEN = re.compile(r"lib(z|zstd|tinfo|lzma|gmp|md|bsd)\.so.*")
OLDEST_GLIBC = (2, 36)
SKIPPED = 77


def output_of(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def elf_files(tree):
    for file in sorted(tree.rglob("*")):
        if file.is_file() and not file.is_symlink():
            with open(file, "rb") as data:
                if data.read(4) == b"\x7fELF":
                    yield file


def closure_faults(tree):
    """Libraries that a file of the package needs and that neither the package nor every system has."""
    brought = {file.name for file in elf_files(tree)}
    for file in elf_files(tree):
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of(["readelf", "-d", file])):
            if name not in brought and not SYSTEM.fullmatch(name):
                yield f"{file.relative_to(tree)} needs {name}, which the package does not have"


def glibc_faults(tree):
    """Files that need a C library newer than documented. Only a build on the oldest supported system can be free of them."""
    here = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
    if here > OLDEST_GLIBC:
        print(f"not checked: built with glibc {here[0]}.{here[1]}, so the package needs that version")
        return
    for file in elf_files(tree):
        for version in set(re.findall(r"GLIBC_(\d+\.\d+)", output_of(["readelf", "-V", file]))):
            if tuple(int(part) for part in version.split(".")) > OLDEST_GLIBC:
                yield f"{file.relative_to(tree)} needs glibc {version}"


def loader_faults(tree):
    """Libraries that the loader takes from elsewhere although the package has them."""
    for program in (tree / "bin/heddle", tree / "lib/heddle/llvm/bin/clang"):
        listed = output_of([program], env={"LD_TRACE_LOADED_OBJECTS": "1"})
        for name, path in re.findall(r"(\S+) => (.*) \(0x", listed):
            if not SYSTEM.fullmatch(name) and tree not in Path(path).resolve().parents:
                yield f"{program.name} takes {name} from {path}"
        if "not found" in listed:
            yield f"{program.name}: {listed}"


def snapshot(tree):
    return {(str(file), file.lstat().st_size, file.lstat().st_mtime_ns) for file in tree.rglob("*")}


# Inside of the namespace
# ----------------------------------------------------------------------------------------------------


def hide(tree, folders):
    """Covers folders with empty ones, and each library of the package that the system has as well with an empty file."""
    subprocess.run(["mount", "--bind", tree, tree], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", tree], check=True)
    for folder in folders:
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    triplet = output_of(["gcc", "-print-multiarch"]).strip() if shutil.which("gcc") else ""
    for library in (tree / "lib/heddle/llvm/lib").glob("lib*.so*"):
        of_system = Path("/usr/lib") / triplet / library.name
        if of_system.exists() and not NOT_HIDDEN.fullmatch(library.name):
            subprocess.run(["mount", "--bind", "/dev/null", of_system], check=True)


def run_verbs(tree, work):
    """Runs verbs of the package; yields what is wrong."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "TMPDIR": str(work), "LC_ALL": "C.UTF-8"}

    # Headers are precompiled for `run` only: for programs that are compiled once it takes three times as long as compiling them.
    def heddle(*arguments, expected=""):
        headers = {} if arguments[0] == "run" else {"HEDDLE_HEADER_CACHE": "off"}
        done = subprocess.run([tree / "bin/heddle", *arguments], cwd=work, env=environment | headers, text=True, capture_output=True)
        if done.returncode != 0 or not re.search(expected, done.stdout + done.stderr):
            yield f"heddle {' '.join(arguments)}: exit {done.returncode}, '{expected}' expected in\n{done.stdout}{done.stderr}"

    own = re.escape(str(tree))
    yield from heddle("doctor", "--cuda-path", "none", expected=rf"yes +clang +22\..*{own}/lib/heddle/llvm/bin/clang")
    yield from heddle("doctor", "--cuda-path", "none", expected=rf"yes +tables +{own}/share/heddle/arch")
    yield from heddle("opt", "saxpy.cu", "--cuda-path", "none", "--compiler", "clang", "-d", "coarsen x=2", "-o", "opt.cu")
    yield from heddle("run", "opt.cu", "--device", "sim", "--compiler", "clang", "--", "1000", expected="saxpy: PASS")
    if not list(work.glob(".cache/heddle/headers/*.pch")):
        yield "`run` has precompiled no header in the user's cache folder"
    yield from heddle("verify", "saxpy.cu", "opt.cu", "--device", "sim", "--compiler", "clang", "--", "1000", expected="same")
    yield from heddle("check", "--static", "saxpy.cu", "--block", "256", "--compiler", "clang", expected="proved for every input")
    yield from heddle("chem", str(tree / "share/heddle/examples/hydrogen/mechanism.yaml"), "-o", "kernels")


def direct_start_faults(tree, work):
    """A program that is linked with the runtime of the package and started directly finds the tables of GPUs."""
    (work / "device.cpp").write_text('''
        #include <cuda_runtime.h>
        #include <cstdio>
        int main() { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0) != cudaSuccess || std::printf("%d SMs", p.multiProcessorCount) <= 0; }
    ''')
    libraries = tree / "lib/heddle"
    compiled = subprocess.run([libraries / "llvm/bin/clang++", "device.cpp", "-o", "device", "-isystem", tree / "share/heddle/runtime/cuda", f"-L{libraries}",
                               "-lheddle_cudart", f"-Wl,-rpath,{libraries}"], cwd=work, text=True, capture_output=True)
    if compiled.returncode != 0:
        yield compiled.stderr
        return
    done = subprocess.run([work / "device"], env={"HEDDLE_ARCH": "sm_90"}, text=True, capture_output=True)
    if done.returncode != 0 or "132 SMs" not in done.stdout:
        yield f"a program that is started directly: exit {done.returncode}\n{done.stdout}{done.stderr}"


def inside(tree, work, hidden):
    if hidden:
        hide(tree, hidden)
    faults = [*loader_faults(tree), *run_verbs(tree, work), *direct_start_faults(tree, work)]
    print("\n".join(faults))
    return 1 if faults else 0


# Outside
# ----------------------------------------------------------------------------------------------------


def namespace():
    """The command that starts another in a mount namespace of its own; empty where that is not permitted."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        trial = [*command, "mount", "-t", "tmpfs", "none", "/mnt"]
        if shutil.which("unshare") and subprocess.run(trial, capture_output=True).returncode == 0:
            return command
    return []


def main(source, build, llvm):
    with tempfile.TemporaryDirectory(prefix="heddle-package-") as temporary:
        tree, work = Path(temporary) / "Heddle in a folder", Path(temporary) / "work"
        work.mkdir()
        for example in ("saxpy.cu", "check.h"):
            shutil.copy(source / "examples" / example, work)
        staged = subprocess.run([source / "tools/package", build, "stage", tree], text=True, stderr=subprocess.PIPE)
        if "no licence was found" in staged.stderr:  # of LLVM that no package manager installed: such a package may not be made
            print(f"skipped: {staged.stderr}")
            return SKIPPED
        if staged.returncode != 0:
            print(staged.stderr)
            return 1
        before = snapshot(tree)
        faults = [*closure_faults(tree), *glibc_faults(tree)]
        script = shutil.copy(__file__, temporary)
        unshared = namespace()
        hidden = [llvm, source] + ([] if source in build.parents else [build]) if unshared else []
        if not unshared:
            print("not hidden: LLVM and the source tree, since no mount namespace can be made here")
        done = subprocess.run([*unshared, sys.executable, "-B", script, "--inside", tree, work, *hidden], text=True, capture_output=True)
        if done.returncode != 0:
            faults.append(done.stdout + done.stderr)
        faults += [f"was written in the package: {entry[0]}" for entry in snapshot(tree) - before]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        sys.exit(inside(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:]))
    sys.exit(main(*(Path(argument).resolve() for argument in sys.argv[1:4])))
