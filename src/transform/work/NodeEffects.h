// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/work/WorkPlan.h"

#include <functional>
#include <set>

namespace heddle::transform {

using Variables = std::set<const clang::VarDecl *>;
using VariablesOf = std::function<Variables(const KernelNode &)>;

/// The locals that a node's text mentions.
Variables mentionedBy(const WorkPlan &plan, const KernelNode &node);

/// Some variable is in both.
bool meet(const Variables &a, const Variables &b);

/// Doing `node` before these statements instead of after them changes nothing. `writtenBy` says which
/// variables a node sets.
bool mayMoveBefore(const WorkPlan &plan, const KernelNode &node,
                   const std::vector<const KernelNode *> &statements, const KernelFacts &facts,
                   const VariablesOf &writtenBy);

} // namespace heddle::transform
