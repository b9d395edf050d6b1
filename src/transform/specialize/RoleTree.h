// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uses.h"
#include "source/Unit.h"
#include "transform/loops/LoopStudy.h"

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::transform {

using VariableSet = std::set<const clang::VarDecl *>;

/// A statement of a kernel, with what it does to variables and memory: what is needed to say who should carry
/// it out.
struct RoleNode {
  enum class Kind {
    Leaf,    ///< carried out as a whole; also a switch
    Block,   ///< children: its statements
    Loop,    ///< for, while, do; children: its body
    Branch,  ///< if; children: then, and else where there is one
    Barrier, ///< of the whole block, a statement of its own
    Jump,    ///< break, continue, return
  };
  Kind kind = Kind::Leaf;
  const clang::Stmt *statement = nullptr; ///< without attributes
  RoleNode *parent = nullptr;
  std::vector<std::unique_ptr<RoleNode>> children;

  /// Of the leaf, or of a loop's or branch's head.
  analysis::Uses uses;
  VariableSet reads, writes;
  std::vector<const analysis::Access *> accesses;
  bool asksThread = false; ///< mentions the thread's index, or calls a function that does
  /// Does what memory accesses do not tell: assembly, calls that are not known to be without effect.
  const clang::Stmt *unseen = nullptr;

  bool isIn(const RoleNode *outer) const;
  /// It, and everything in it, in the order of the text.
  std::vector<RoleNode *> all();
  bool stores(analysis::Array::Space space) const;
  bool loads(analysis::Array::Space space) const;
};

/// The tree of a kernel's body.
class RoleTree {
public:
  /// Only for a kernel whose flow of control can be followed.
  explicit RoleTree(const LoopStudy &study);

  RoleNode &root() const { return *top; }
  const std::vector<RoleNode *> &nodes() const { return list; }
  /// The nodes that may change a variable.
  const std::vector<RoleNode *> &writersOf(const clang::VarDecl *variable) const;
  RoleNode *nodeOf(const clang::Stmt *statement) const;
  Place place(const RoleNode &node) const { return study.unit.place(node.statement); }

  const LoopStudy &study;
  const source::ReachingDefinitions &definitions;

private:
  std::unique_ptr<RoleNode> build(const clang::Stmt *statement, RoleNode *parent);
  void addBlock(RoleNode &node, const clang::CompoundStmt *block);
  void look(RoleNode &node, const std::vector<const clang::Stmt *> &code);
  void findWriters();

  std::unique_ptr<RoleNode> top;
  std::vector<RoleNode *> list;
  std::unordered_map<const clang::VarDecl *, std::vector<RoleNode *>> writers;
  std::unordered_map<const clang::Stmt *, RoleNode *> byStatement;
};

/// __syncthreads and what is the same: a statement at which the whole block meets and nothing else happens.
bool isBlockBarrier(const clang::Stmt *statement, const clang::ASTContext &context);

/// A function of the user's, or one that it calls, asks for the thread's index or the block's size.
bool asksForThread(const source::Unit &unit, const clang::FunctionDecl *function);

} // namespace heddle::transform
