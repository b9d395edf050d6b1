// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelTree.h"

#include <functional>

namespace heddle::analysis {

/// A kernel's tree seen down to some nodes only: what is a leaf here counts with everything inside.
///
/// A directive that takes loops without barriers as they are, say, makes leaves of them, and gets for each
/// what all of it reads, writes and calls.
class KernelView {
public:
  /// Nodes without children are leaves in any case.
  KernelView(const KernelTree &tree, const std::function<bool(const KernelNode &)> &isLeaf);

  const KernelTree &tree;

  const KernelNode &root() const { return tree.root(); }
  /// Those that can be seen, in the order of the text.
  const std::vector<const KernelNode *> &nodes() const { return list; }
  bool isLeaf(const KernelNode &node) const { return leaves[node.id]; }
  /// The node, and what can be seen inside, in the order of the text.
  std::vector<const KernelNode *> all(const KernelNode &node) const;
  /// Of a leaf all that it does, of others what their own code does.
  const CodeFacts &facts(const KernelNode &node) const;
  /// The nodes that may change a variable.
  const std::vector<const KernelNode *> &writersOf(const clang::VarDecl *variable) const;
  /// Null for what cannot be seen.
  const KernelNode *nodeOf(const clang::Stmt *statement) const;
  SourceLocation location(const KernelNode &node) const { return tree.location(node); }

private:
  void findWriters() const;

  std::vector<const KernelNode *> list;
  std::vector<bool> leaves, seen; ///< by id
  mutable bool knowsWriters = false;
  mutable std::unordered_map<const clang::VarDecl *, std::vector<const KernelNode *>> writers;
};

} // namespace heddle::analysis
