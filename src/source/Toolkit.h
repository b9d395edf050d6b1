// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::source {

/// A CUDA toolkit on this machine. `cccl` is the folder where CUDA 13 keeps what cooperative groups and CUB
/// need; empty for older toolkits, which keep it in `include`.
struct Toolkit {
  std::filesystem::path root;
  std::filesystem::path include;
  std::filesystem::path cccl;
};

/// The toolkit to use. `wanted` is what --cuda-path said: a folder, "none", or empty for "look for one"
/// ($CUDA_PATH, $CUDA_HOME, the nvcc on the PATH, /usr/local/cuda).
std::optional<Toolkit> findToolkit(const std::string &wanted = {});

enum class Side { Host, Device };

/// How a .cu file is to be read.
struct CompileOptions {
  std::vector<std::string> userArguments; ///< -I, -D, -std= and similar flags, as given
  std::string cudaPath;                   ///< --cuda-path: a folder, "none", or empty
  std::string arch = "sm_90";             ///< what __CUDA_ARCH__ says on the device side
};

/// The arguments, without the compiler's own name and without the file, that make Clang read a CUDA file for
/// one side: the toolkit's headers where there is a toolkit, ours where there is none.
std::vector<std::string> clangArguments(const CompileOptions &options, const std::optional<Toolkit> &toolkit,
                                        Side side);

} // namespace heddle::source
