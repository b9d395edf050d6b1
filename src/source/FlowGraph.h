// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace clang {
class CFG;
class Expr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace heddle::source {

/// Runs `work` on a stack deep enough for Clang's recursive visitors. Generated kernels hold expressions of
/// thousands of terms, and Clang's CFG builder needs several frames a term; 8 MiB are not enough for that.
void withDeepStack(const std::function<void()> &work);

/// The control-flow graph of a function body, as plain numbers: Clang's CFG with every sub-expression as an
/// element of its own in evaluation order, so a traversal need not recurse into expressions.
///
/// Branches whose condition is a constant keep only the edge that is taken, so code that a template argument
/// switches off is not reachable. Bodies of lambdas are functions of their own and not part of the graph.
class FlowGraph {
public:
  /// Null where the function has no body (or Clang cannot build a graph of it).
  static std::unique_ptr<FlowGraph> build(const clang::FunctionDecl *function);
  ~FlowGraph();

  /// A place in the graph: element `position` of block `block`.
  struct Point {
    unsigned block = 0, position = 0;
    bool operator==(const Point &) const = default;
  };

  const clang::FunctionDecl *function() const { return owner; }
  unsigned size() const { return unsigned(blocks.size()); }
  unsigned entry() const { return entryBlock; }
  unsigned exit() const { return exitBlock; }
  const std::vector<unsigned> &successors(unsigned block) const { return blocks[block].successors; }
  const std::vector<unsigned> &predecessors(unsigned block) const { return blocks[block].predecessors; }
  /// Statements and expressions in the order they are evaluated.
  const std::vector<const clang::Stmt *> &elements(unsigned block) const { return blocks[block].elements; }
  /// The statement or operator (if, for, &&, ?:, return by falling off...) that ends the block; may be null.
  const clang::Stmt *terminator(unsigned block) const { return blocks[block].terminator; }
  /// What a block with several successors decides on; null for one successor and for some loops without
  /// condition.
  const clang::Expr *condition(unsigned block) const { return blocks[block].condition; }
  /// The statement the decision at the end of a block belongs to: the `if` for each operand of `if (a && b)`,
  /// the outermost operator for `x = a && b`.
  const clang::Stmt *decision(unsigned block) const;
  bool isReachable(unsigned block) const { return blocks[block].reachable; }
  /// The reachable blocks, entry first, each after its predecessors except along back edges.
  const std::vector<unsigned> &reversePostorder() const { return order; }
  /// Whether the block returns early: it ends with a return that is not the end of the function's body.
  const clang::Stmt *returnOf(unsigned block) const { return blocks[block].returnStatement; }

  /// Where a statement or expression is evaluated. Nothing for what has no place of its own (a compound
  /// statement, an operand of sizeof) and for what is never reached.
  std::optional<Point> find(const clang::Stmt *statement) const;
  /// The first and the last place of anything inside `statement`, in evaluation order where it is straight
  /// code.
  std::optional<std::pair<Point, Point>> extent(const clang::Stmt *statement) const;
  /// The statement or expression around this one; null for the body. Lambda bodies are not looked into.
  const clang::Stmt *parent(const clang::Stmt *statement) const;
  bool hasGoto() const { return sawGoto; }

private:
  FlowGraph();
  struct Block {
    std::vector<unsigned> successors, predecessors;
    std::vector<const clang::Stmt *> elements;
    const clang::Stmt *terminator = nullptr;
    const clang::Expr *condition = nullptr;
    const clang::Stmt *returnStatement = nullptr;
    bool reachable = false;
  };
  void takeBlocks();
  void numberBlocks();
  void linkParents();

  const clang::FunctionDecl *owner = nullptr;
  std::unique_ptr<clang::CFG> cfg;
  std::vector<Block> blocks;
  std::vector<unsigned> order;
  std::unordered_map<const clang::Stmt *, Point> points;
  std::unordered_map<const clang::Stmt *, const clang::Stmt *> parents;
  unsigned entryBlock = 0, exitBlock = 0;
  bool sawGoto = false;
};

/// Evaluated children of a statement or expression, without those that are not executed in its place:
/// operands of sizeof and decltype, and the bodies of lambdas (their captures are children).
std::vector<const clang::Stmt *> evaluatedChildren(const clang::Stmt *statement);

/// Calls `visit` for `root` and everything evaluated under it, parents first, without recursion; where
/// `visit` returns false the children are left out.
void forEachEvaluated(const clang::Stmt *root, const std::function<bool(const clang::Stmt *)> &visit);

/// The condition of a loop; null where it has none, and for other statements.
const clang::Expr *loopCondition(const clang::Stmt *statement);

} // namespace heddle::source
