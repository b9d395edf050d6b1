// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/RoleView.h"

#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::transform {

using NodeKind = KernelNode::Kind;

static bool isDoneAsAWhole(const KernelNode &node) {
  auto *branch = dyn_cast<IfStmt>(node.statement);
  return node.kind == NodeKind::Switch || node.kind == NodeKind::Case || node.kind == NodeKind::Label ||
         isa<CXXForRangeStmt>(node.statement) || (branch && branch->isConstexpr());
}

RoleView::RoleView(const analysis::LoopStudy &study, const analysis::KernelTree &tree)
    : KernelView(tree, isDoneAsAWhole), study(study), definitions(tree.definitions()) {}

bool RoleView::isStatement(const KernelNode &node) const {
  return isLeaf(node) && node.kind != NodeKind::Barrier && node.kind != NodeKind::Jump &&
         node.kind != NodeKind::Block;
}

bool RoleView::isFixed(const VarDecl *variable) const {
  return variable->hasInit() && definitions.isTracked(variable) && definitions.isNeverReassigned(variable);
}

std::vector<const KernelNode *>
RoleView::neededFor(VariableSet wanted, const std::function<bool(const KernelNode &)> &isCandidate) const {
  std::set<const KernelNode *> taken;
  for (bool changed = true; changed;) {
    changed = false;
    for (const KernelNode *node : nodes()) {
      const auto isWanted = [&](const VarDecl *variable) { return wanted.contains(variable); };
      if (!llvm::any_of(facts(*node).writes, isWanted) || !isCandidate(*node) || !taken.insert(node).second)
        continue;
      wanted.insert(facts(*node).reads.begin(), facts(*node).reads.end());
      changed = true;
    }
  }
  std::vector<const KernelNode *> ordered = nodes();
  std::erase_if(ordered, [&](const KernelNode *node) { return !taken.contains(node); });
  return ordered;
}

} // namespace heddle::transform
