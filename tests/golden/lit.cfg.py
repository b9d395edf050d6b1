# Golden tests: a file holds its input, the command that reads it (RUN:) and what must come out (CHECK:).
# One folder for each verb; data that is no test of its own goes into a folder named Inputs.
#
#   ctest -R golden                       all of them
#   lit-22 -v build/tests/golden/arch     one folder, with the output of what failed
import os
import shutil
import sys

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".cu", ".ptx"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_build_dir, "tests", "golden")

# The program, its tools and the folders a test may name.
heddle = os.path.join(config.heddle_build_dir, "heddle")
config.substitutions += [
    ("%heddle", heddle),
    ("%runner", os.path.join(config.heddle_build_dir, "heddle-runner")),
    ("%test_driver", os.path.join(config.heddle_build_dir, "tests", "tune", "driver")),  # libcuda.so.1 of a GPU that is not there
    ("%source_dir", config.heddle_source_dir),
    ("%examples", os.path.join(config.heddle_source_dir, "examples")),
    ("%python", sys.executable),
    (r"\bFileCheck\b", config.heddle_filecheck + " --dump-input=fail"),
]

# Tests see this tree's data and nobody's taste in colours. lit clears the environment but for a few variables.
config.environment["HEDDLE_DATA"] = config.heddle_source_dir
for name in ("CUDA_PATH", "CUDA_HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HEDDLE_HEADER_CACHE", "HEDDLE_COMPILE_CACHE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# What a test may ask for with REQUIRES: or exclude with UNSUPPORTED:.
def find_in_toolkit(tool):
    roots = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    path = os.pathsep.join([os.environ["PATH"]] + [os.path.join(r, "bin") for r in roots if r])
    return shutil.which(tool, path=path)

for tool in ("nvcc", "ptxas"):
    if find_in_toolkit(tool):
        config.available_features.add(tool)
if config.heddle_sanitize:
    config.available_features.add("sanitize")
