// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/NodeEffects.h"

#include "analysis/StatementShape.h"

#include <clang/AST/Expr.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::jumpsOf;

namespace {

using Arrays = std::set<const analysis::Array *>;

/// The arrays that a statement reads, or writes, also in functions that it calls; a null entry for one that
/// is not known.
Arrays arraysOf(const WorkPlan &plan, const KernelNode &node, bool written) {
  Arrays found;
  for (const analysis::Access *access : plan.tree->whole(node).accesses) {
    const bool isMeant = written ? access->isWrite() : access->isRead();
    if (isMeant && access->array->space != analysis::Array::Space::Constant &&
        access->array->space != analysis::Array::Space::Local)
      found.insert(access->array->decl ? access->array : nullptr);
  }
  return found;
}

template <class T> bool shareOne(const std::set<T> &a, const std::set<T> &b) {
  return std::ranges::any_of(a, [&](const T &each) { return b.contains(each); });
}

} // namespace

Variables mentionedBy(const WorkPlan &plan, const KernelNode &node) {
  Variables found;
  for (const DeclRefExpr *reference : plan.usesOf(node).locals)
    found.insert(cast<VarDecl>(reference->getDecl()));
  return found;
}

bool meet(const Variables &a, const Variables &b) { return shareOne(a, b); }

bool mayMoveBefore(const WorkPlan &plan, const KernelNode &node,
                   const std::vector<const KernelNode *> &statements, const KernelFacts &facts,
                   const VariablesOf &writtenBy) {
  if (jumpsOf(node.statement).any())
    return false;
  const Variables reads = mentionedBy(plan, node), writes = writtenBy(node);
  const Arrays loads = arraysOf(plan, node, false);
  for (const KernelNode *other : statements) {
    const Variables otherReads = mentionedBy(plan, *other), otherWrites = writtenBy(*other);
    if (meet(reads, otherWrites) || meet(writes, otherReads) || meet(writes, otherWrites))
      return false;
    if (loads.empty())
      continue;
    // Something that is not followed may store to what is loaded here.
    if (!facts.accesses->isComplete())
      return false;
    // Not before a guard: what all threads of the last block are kept from, none may do.
    if (!plan.usesOf(*other).returns.empty())
      return false;
    const Arrays stores = arraysOf(plan, *other, true);
    if (shareOne(loads, stores) || stores.contains(nullptr) || (loads.contains(nullptr) && !stores.empty()))
      return false;
  }
  return true;
}

} // namespace heddle::transform
