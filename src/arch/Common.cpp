// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Common.h"

#include "support/Diagnostics.h"
#include "support/ExitCode.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace heddle::arch {
namespace {

constexpr std::string_view nameOfDefault = "sm_90";

const std::vector<Arch> &tables() {
  static const std::vector<Arch> all = [] {
    Diagnostics diagnostics;
    std::vector<Arch> read = loadArchs(diagnostics);
    if (!findArch(nameOfDefault, read, diagnostics)) {
      print(std::cerr, diagnostics, false); // nothing can be decided without them
      std::exit(ExitInputOutput);
    }
    return read;
  }();
  return all;
}

} // namespace

const CommonLimits &commonLimits() {
  static const CommonLimits limits = [] {
    CommonLimits common;
    common.staticSharedBytes = tables().front().maxSharedBytesPerBlock;
    for (const Arch &arch : tables()) {
      common.maxThreadsPerBlock = std::max(common.maxThreadsPerBlock, arch.maxThreadsPerBlock);
      for (size_t axis = 0; axis < 3; ++axis)
        common.maxBlockDim[axis] = std::max(common.maxBlockDim[axis], arch.maxBlockDim[axis]);
      common.staticSharedBytes = std::min(common.staticSharedBytes, arch.maxSharedBytesPerBlock);
    }
    return common;
  }();
  return limits;
}

const Arch &defaultArch() {
  Diagnostics ignored;
  static const Arch &found = *findArch(nameOfDefault, tables(), ignored);
  return found;
}

} // namespace heddle::arch
