// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::cudart {

/// Options of nvrtcCompileProgram, as Clang understands them.
struct NvrtcOptions {
  std::string arch;               ///< "sm_80"; empty: not said
  std::vector<std::string> flags; ///< for Clang
  bool defaultsToDevice = false;  ///< functions without __device__ are device functions
};

/// Nothing where an option is not one of NVRTC's; `why` names it.
std::optional<NvrtcOptions> readNvrtcOptions(const std::vector<std::string> &options, std::string &why);

} // namespace heddle::cudart
