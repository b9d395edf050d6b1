// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::analysis::walk {

/// Everything that following a kernel once finds. The members of Accesses, which is made of it.
struct Findings {
  std::vector<Access> accesses;
  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<std::unique_ptr<Loop>> loops;
  std::unique_ptr<Event> root = std::make_unique<Event>();
  unsigned regions = 0, barriers = 0;
  std::array<bool, 3> usedDimensions{};                   ///< threadIdx.x, .y, .z
  std::unordered_map<const clang::Expr *, Affine> values; ///< of the kernel's own body
  std::unordered_map<const clang::Expr *, Condition> conditions;
  std::vector<Diagnostic> gaps; ///< what is not followed
};

} // namespace heddle::analysis::walk
