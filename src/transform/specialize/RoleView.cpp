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

} // namespace heddle::transform
