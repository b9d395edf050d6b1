// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "support/Diagnostics.h"

namespace heddle::counts {

inline const arch::Arch &h200() {
  static const arch::Arch table = [] {
    Diagnostics diagnostics;
    return arch::findArch("sm_90", diagnostics).value();
  }();
  return table;
}

} // namespace heddle::counts
