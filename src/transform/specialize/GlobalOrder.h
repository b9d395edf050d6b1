// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleSplit.h"

namespace heddle::transform {

/// What keeps producers from loading too early.
struct GlobalOrder {
  std::set<const KernelNode *> meets; ///< barriers outside of tile loops at which both roles must come
};

/// Producers run ahead of consumers by up to all stages. Where a load may read what an earlier iteration has
/// stored, that would be too early: a refusal, unless a barrier outside of the tile loop lies between, at
/// which the two roles can meet.
std::variant<GlobalOrder, Diagnostic> orderOfGlobalMemory(const RoleView &view, const RoleSplit &split);

} // namespace heddle::transform
