// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelView.h"

#include "analysis/StatementShape.h"
#include "source/ReachingDefinitions.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

KernelView::KernelView(const KernelTree &tree, const std::function<bool(const KernelNode &)> &isLeaf)
    : tree(tree), leaves(tree.nodes().size()), seen(tree.nodes().size()) {
  for (const KernelNode *node : tree.nodes()) {
    seen[node->id] = !node->parent || (seen[node->parent->id] && !leaves[node->parent->id]);
    if (!seen[node->id])
      continue;
    leaves[node->id] = node->children.empty() || isLeaf(*node);
    list.push_back(node);
  }
}

std::vector<const KernelNode *> KernelView::all(const KernelNode &node) const {
  std::vector<const KernelNode *> found = node.all();
  std::erase_if(found, [&](const KernelNode *each) { return !seen[each->id]; });
  return found;
}

const CodeFacts &KernelView::facts(const KernelNode &node) const {
  return isLeaf(node) ? tree.whole(node) : tree.own(node);
}

const KernelNode *KernelView::nodeOf(const Stmt *statement) const {
  const KernelNode *node = tree.nodeOf(statement);
  return node && seen[node->id] ? node : nullptr;
}

const std::vector<const KernelNode *> &KernelView::writersOf(const VarDecl *variable) const {
  static const std::vector<const KernelNode *> none;
  if (!knowsWriters)
    findWriters();
  auto found = writers.find(variable);
  return found == writers.end() ? none : found->second;
}

/// Declarations first, then what changes a variable later, each in the order of the text.
void KernelView::findWriters() const {
  knowsWriters = true;
  const auto write = [&](const KernelNode *node, const VarDecl *variable) {
    std::vector<const KernelNode *> &known = writers[variable];
    if (std::ranges::find(known, node) == known.end())
      known.push_back(node);
  };
  std::unordered_map<const Stmt *, const KernelNode *> owner;
  for (const KernelNode *node : list)
    for (const Stmt *part : facts(*node).uses.statements) {
      owner[part] = node;
      for (const VarDecl *variable : declaredBy(part))
        if (variable->hasLocalStorage())
          write(node, variable);
    }
  const source::ReachingDefinitions &definitions = tree.definitions();
  for (const VarDecl *variable : definitions.variables())
    for (const source::Definition *definition : definitions.definitionsOf(variable))
      if (auto found = owner.find(definition->statement); found != owner.end())
        write(found->second, variable);
}

} // namespace heddle::analysis
