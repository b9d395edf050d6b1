// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Toolkit.h"

#include "source/NvccOptions.h"
#include "support/CudaFlags.h"
#include "support/CudaToolkit.h"
#include "support/LateMacros.h"
#include "support/Paths.h"

namespace fs = std::filesystem;

namespace heddle::source {
namespace {

std::optional<Toolkit> toolkitAt(const fs::path &root) {
  std::error_code ignored;
  fs::path include = root / "include";
  if (root.empty() || !fs::exists(include / "cuda_runtime.h", ignored))
    return std::nullopt;
  fs::path cccl = include / "cccl";
  return Toolkit{root, include, fs::is_directory(cccl, ignored) ? cccl : fs::path()};
}

/// What is an error for Clang and passes under nvcc, at most with a warning: programs in the wild rely on it.
constexpr const char *whatNvccLetsPass[] = {
    "-Wno-register",        "-Wno-c++11-narrowing",      "-Wno-reserved-user-defined-literal",
    "-Wno-non-pod-varargs", "-Wno-address-of-temporary",
};

} // namespace

std::optional<Toolkit> findToolkit(const std::string &wanted) {
  if (wanted == "none")
    return std::nullopt;
  if (!wanted.empty())
    return toolkitAt(wanted);
  for (const fs::path &place : toolkitFolders())
    if (std::optional<Toolkit> found = toolkitAt(place))
      return found;
  return std::nullopt;
}

std::vector<std::string> clangArguments(const CompileOptions &options, const std::optional<Toolkit> &toolkit,
                                        Side side) {
  std::vector<std::string> arguments;
  if (toolkit) {
    // Without a stated version Clang takes launches for those of CUDA 9.1 and earlier; 12.9 is the last it
    // knows.
    arguments = {"-x",
                 "cuda",
                 "--cuda-gpu-arch=" + options.arch,
                 "--cuda-path=" + toolkit->root.string(),
                 "-Wno-unknown-cuda-version",
                 "-nocudalib",
                 "-Xclang",
                 "-target-sdk-version=12.9"};
    if (!toolkit->cccl.empty())
      arguments.insert(arguments.end(), {"-isystem", toolkit->cccl.string()});
    arguments.insert(arguments.end(),
                     {"-include", (dataFolder("runtime/cuda") / "heddle_toolkit_extras.h").string()});
  } else {
    arguments = ownCudaFlags("all", options.arch);
  }
  arguments.push_back(side == Side::Device ? "--cuda-device-only" : "--cuda-host-only");
  if (!toolkit && side == Side::Device)
    arguments.push_back("--cuda-feature=+ptx87"); // with no toolkit to go by, Clang would take that of CUDA 9
  arguments.push_back("-Wno-pragma-once-outside-header");
  arguments.insert(arguments.end(), std::begin(whatNvccLetsPass), std::end(whatNvccLetsPass));
  arguments.insert(arguments.end(), {"-idirafter", dataFolder("runtime/cuda-additions").string()});
  if (fs::path ours = dataFolder("runtime"); !ours.empty())
    arguments.insert(arguments.end(), {"-isystem", ours.string()}); // emitted code says #include <heddle/...>
  // The user's own come last, so that a -std of theirs wins.
  arguments.push_back("-std=c++17");
  std::vector<std::string> theirs = withLateMacros(inClangsWords(options.userArguments, side));
  arguments.insert(arguments.end(), theirs.begin(), theirs.end());
  return arguments;
}

} // namespace heddle::source
