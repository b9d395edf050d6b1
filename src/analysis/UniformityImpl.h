// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the uniformity analysis share. Nothing outside of it includes this.
#pragma once

#include "analysis/LoopForest.h"
#include "analysis/MemoryRoots.h"
#include "analysis/StateWrites.h"
#include "analysis/SyncDependence.h"
#include "analysis/Uniformity.h"
#include "source/ReachingDefinitions.h"

#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <set>
#include <unordered_map>

namespace heddle::analysis {

/// Why something has the level it has: the operand, value, branch or root that raised it.
struct Cause {
  enum class Kind {
    None,
    Operand,   ///< `expression`
    Value,     ///< SSA value `value`, read by `expression`
    Branch,    ///< threads that diverged at the end of block `block` meet here
    LoopExit,  ///< threads leave the loop decided on at the end of block `block` in different iterations
    Root,      ///< `expression` differs by itself: `text` says how
    Call,      ///< what the function called by `expression` computes
    Parameter, ///< `block` is the number of the parameter
    Object,    ///< the object a member function is called on
  } kind = Kind::None;
  const clang::Stmt *expression = nullptr;
  unsigned value = 0;
  unsigned block = 0;
  std::string text;
};

struct Fact {
  Level level = Level::Grid;
  Cause cause;
};

inline Fact root(Level level, const clang::Stmt *where, std::string text) {
  return {level, {Cause::Kind::Root, where, 0, 0, std::move(text)}};
}
inline void joinInto(Fact &into, const Fact &other) {
  if (other.level > into.level)
    into = other;
}

/// What a function is called with. Two calls with the same of these share one analysis.
struct CallContext {
  std::vector<Level> parameters;
  std::vector<Memory> memories; ///< what pointer parameters point to
  Level object = Level::Grid;
  std::map<const clang::ValueDecl *, Level> captures;
  auto operator<=>(const CallContext &) const = default;
};

/// What all functions of one kernel's analysis share.
struct UniformityShared {
  const source::Unit *unit = nullptr;
  BlockShape block;
  std::map<const clang::FunctionDecl *, std::shared_ptr<source::ReachingDefinitions>> definitions;
  std::map<std::pair<const clang::FunctionDecl *, CallContext>, std::unique_ptr<Uniformity>> analysed;
  std::set<const clang::FunctionDecl *> underWay; ///< a function on the way to itself is recursive
  StateWrites state;                              ///< of the kernel with all that it executes
};

/// A call or a construction: who is executed, with what.
struct CallParts {
  const clang::Expr *site = nullptr;
  const clang::FunctionDecl *callee = nullptr; ///< null for calls that are not known
  llvm::ArrayRef<const clang::Expr *> arguments;
  const clang::Expr *object = nullptr; ///< of a member function; a constructor has none yet
};

struct Uniformity::Impl {
  std::shared_ptr<UniformityShared> shared;
  std::shared_ptr<source::ReachingDefinitions> definitions;
  CallContext context;
  std::unique_ptr<LoopForest> loops;
  std::unique_ptr<SyncDependence> sync;
  std::unique_ptr<MemoryRoots> memory;

  std::unordered_map<const clang::Stmt *, Fact> values;    ///< of expressions; of an lvalue what it holds
  std::unordered_map<const clang::Stmt *, Fact> addresses; ///< of lvalues
  std::vector<Fact> ssa;                                   ///< of SSA values
  std::vector<Fact> branches;                              ///< by block: the decision at its end
  std::vector<Fact> joinAt;    ///< by block: threads that reconverge there have diverged
  std::vector<Fact> leftApart; ///< by loop: threads leave it in different iterations
  std::unordered_map<const clang::Stmt *, const Uniformity *> callees; ///< by call or construction
  Fact returned;                                                       ///< what the function returns
  Fact written; ///< the most divergent of what it writes through references, pointers and `this`
  std::vector<DivergentBranch> divergent;
  std::vector<std::vector<unsigned>> valuesIn; ///< by block: the SSA values made there, phis first
  bool changed = false;

  const source::FlowGraph &graph() const { return definitions->graph(); }

  // The fixpoint (Uniformity.cpp)
  void solve();
  void passOver(unsigned block);
  void decide(unsigned block);
  bool raise(Fact &fact, Level level, const Cause &cause);
  void raise(Fact &fact, const Fact &by, const Cause &cause) { raise(fact, by.level, cause); }

  // Expressions (UniformityExpressions.cpp)
  Fact valueOf(const clang::Expr *expression);
  Fact addressOf(const clang::Expr *lvalue);
  void evaluate(const clang::Stmt *element);
  Fact compute(const clang::Expr *expression);
  Fact computeReference(const clang::DeclRefExpr *reference);
  Fact computeAddress(const clang::Expr *lvalue);
  Fact load(const clang::Expr *lvalue, const clang::Expr *pointer, const Fact &address);
  Fact joinOperands(const clang::Stmt *statement);
  Fact readValue(unsigned value, unsigned useBlock, const clang::Stmt *reader);
  std::optional<Fact> sameOverWarp(const clang::Expr *expression);

  // Definitions (UniformityDefinitions.cpp)
  void defineAt(unsigned value);
  Fact definitionFact(const source::Definition &definition, const clang::FieldDecl *field);
  void updatePhi(unsigned value);
  Fact assemblyFact(const clang::Stmt *assembly);
  void noteWrite(const clang::Stmt *element, unsigned block);
  Level controlLevel(unsigned block);

  // Calls (UniformityCalls.cpp)
  Fact callFact(const clang::CallExpr *call);
  Fact constructionFact(const clang::CXXConstructExpr *construction);
  Fact writtenBy(const clang::Stmt *call);
  const Uniformity *lookInto(const CallParts &call);
  CallContext contextOf(const CallParts &call);
  void noteInitializers();

  // Explanations (UniformityWhy.cpp)
  void explain(const Fact &fact, std::vector<Step> &steps, unsigned depth) const;
  void collectDivergentBranches();

  std::unique_ptr<graph::Dominance> postDominance; ///< for controlLevel, made when first asked
};

/// Analyses one function as called with `context`; null where it has no body.
std::unique_ptr<Uniformity> analyseUniformity(const std::shared_ptr<UniformityShared> &shared,
                                              const clang::FunctionDecl *function, CallContext context);

} // namespace heddle::analysis
