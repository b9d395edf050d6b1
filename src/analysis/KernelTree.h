// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "analysis/BarrierRegions.h"
#include "analysis/Uses.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::source {
class ReachingDefinitions;
}

namespace heddle::analysis {

using VariableSet = std::set<const clang::VarDecl *>;

/// A barrier that cuts regions, or a call to a function that holds one, in the code of a node.
struct BarrierPoint {
  static constexpr unsigned none = ~0u;
  unsigned barrier = none;                ///< an index into BarrierRegions::barriers()
  const clang::CallExpr *call = nullptr;  ///< the call; null for a barrier
  const clang::Stmt *at = nullptr;        ///< the barrier's statement, or the call
  const clang::Stmt *part = nullptr;      ///< the part of a loop's or branch's head that it is in
  const clang::Stmt *statement = nullptr; ///< the whole statement that it is in
  /// The statement does something besides, as in `n = __syncthreads_count(p);`
  bool isPartOfStatement = false;
};

/// A statement of a kernel. Structure alone: what its code does is asked of the tree.
struct KernelNode {
  enum class Kind {
    Block,     ///< `{}`; children: its statements
    Loop,      ///< for, while, do, range-based for; one child: its body
    Branch,    ///< if; children: then, and else where there is one
    Switch,    ///< one child: its body
    Case,      ///< `case 1:` or `default:`; one child: the statement after it
    Label,     ///< a label for goto; one child: the statement after it
    Barrier,   ///< of the whole block, a statement of its own
    Jump,      ///< break, continue, return, goto
    Statement, ///< a declaration or expression; an empty statement
  };
  Kind kind = Kind::Statement;
  unsigned id = 0;                        ///< its place in KernelTree::nodes()
  const clang::Stmt *statement = nullptr; ///< without attributes
  const clang::Stmt *written =
      nullptr; ///< with those that `#pragma unroll` and similar pragmas put around it
  const KernelNode *parent = nullptr;
  std::vector<std::unique_ptr<KernelNode>> children;

  bool holdsBarrier = false;             ///< one that cuts regions, in it or in a function it calls
  std::vector<BarrierPoint> barriers;    ///< in its own code, in the order they are evaluated
  std::optional<bool> constantCondition; ///< Branch: its condition, where a constant after instantiation

  bool isIn(const KernelNode *outer) const;
  /// It, and everything in it, in the order of the text.
  std::vector<const KernelNode *> all() const;
};

/// What a piece of code does to variables and memory.
struct CodeFacts {
  Uses uses;
  VariableSet reads, writes;            ///< locals; `writes` with those it declares
  std::vector<const Access *> accesses; ///< also those of functions that it calls
  bool asksThread = false;              ///< mentions the thread's index, or calls a function that does
  /// Does what memory accesses do not show: assembly, calls that are not known to be without effect.
  const clang::Stmt *unseen = nullptr;

  bool stores(Array::Space space) const;
  bool loads(Array::Space space) const;
};

/// The statements of a function, from its body down to declarations and expressions, in one tree.
///
/// Every directive that decides statement by statement reads this tree and keeps its decisions beside it, by
/// node. Who needs less than all of it takes a view: KernelView.h for a tree that ends earlier, RegionView.h for
/// what lies between barriers.
class KernelTree {
public:
  /// `accesses`: of the same function; null where they are not needed.
  KernelTree(const Uniformity &uniformity, const BarrierRegions &regions, const Accesses *accesses);
  ~KernelTree();

  const KernelNode &root() const { return *top; }
  /// In the order of the text; a node's position is its id.
  const std::vector<const KernelNode *> &nodes() const { return list; }
  /// Null for what is no statement of its own.
  const KernelNode *nodeOf(const clang::Stmt *statement) const;
  /// The node in whose own code a statement or expression is; null for what is not of this function.
  const KernelNode *ownerOf(const clang::Stmt *part) const;
  SourceLocation location(const KernelNode &node) const;
  /// The loops that hold a barrier; none where goto makes the structure no tree.
  std::vector<const KernelNode *> loopsAroundBarriers() const;

  /// What the node's own code does: of a loop, branch or switch its head, of a block nothing.
  const CodeFacts &own(const KernelNode &node) const;
  /// What it does together with everything inside.
  const CodeFacts &whole(const KernelNode &node) const;

  const BarrierRegions &regions() const { return barriers; }
  const source::ReachingDefinitions &definitions() const;
  const source::Unit &unit() const;

private:
  std::unique_ptr<KernelNode> build(const clang::Stmt *statement, const KernelNode *parent);
  void addChild(KernelNode &node, const clang::Stmt *statement);
  void placeBarriers();
  BarrierPoint pointAt(const KernelNode &node, const clang::Stmt *holder) const;
  CodeFacts factsOf(const std::vector<const clang::Stmt *> &code) const;
  struct Index;
  const Index &index() const;

  const Uniformity &uniformity;
  const BarrierRegions &barriers;
  const Accesses *accesses;
  std::unique_ptr<KernelNode> top;
  std::vector<const KernelNode *> list;
  std::unordered_map<const clang::Stmt *, KernelNode *> byStatement;
  // Made when first asked for: kernels can have very many statements, and few questions are about all.
  mutable std::unique_ptr<Index> knownIndex;
  mutable std::unordered_map<unsigned, CodeFacts> knownOwn, knownWhole;
};

/// The code that a node evaluates itself, not what is inside it.
std::vector<const clang::Stmt *> ownCode(const KernelNode &node);

/// __syncthreads and what is the same: a statement at which the whole block meets and nothing else happens.
bool isBlockBarrier(const clang::Stmt *statement, const clang::ASTContext &context);

/// A function of the user's, or one that it calls, asks for the thread's index or the block's size.
bool asksForThread(const source::Unit &unit, const clang::FunctionDecl *function);

} // namespace heddle::analysis
