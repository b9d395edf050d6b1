// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"

#include <set>

namespace clang {
class VarDecl;
}

namespace heddle::analysis {

/// What a kernel writes besides its own arguments, in all functions that it executes: __device__ variables
/// and static locals, by name; and whether anything is written through a pointer of which the function that writes does not show where it comes
/// from (a member of an object, a global pointer).
struct StateWrites {
  std::set<const clang::VarDecl *> variables; ///< canonical declarations
  bool isUnknown = false;

  static StateWrites of(const source::Kernel &kernel);
};

} // namespace heddle::analysis
