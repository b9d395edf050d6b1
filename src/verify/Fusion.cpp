// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/Fusion.h"

namespace heddle::verify {

std::vector<std::string> unfusedFlags(const std::string &compiler) {
  if (compiler == "nvcc")
    return {"-fmad=false", "-Xcompiler", "-ffp-contract=off"};
  return {"-ffp-contract=off"};
}

} // namespace heddle::verify
