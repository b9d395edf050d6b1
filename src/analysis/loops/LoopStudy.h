// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "analysis/LoopDependences.h"
#include "analysis/loops/LoopLegality.h"
#include "source/ReachingDefinitions.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <map>
#include <set>
#include <unordered_set>
#include <variant>

namespace heddle::analysis {

/// A loop that counts: `for (T i = start; i < bound; i += step)`, its variable declared in its head, bound
/// and step the same in all iterations.
struct CountedLoop {
  const clang::ForStmt *statement = nullptr;
  const clang::VarDecl *variable = nullptr;
  const clang::Expr *start = nullptr, *bound = nullptr;
  clang::BinaryOperatorKind comparison = clang::BO_LT; ///< as if the variable were on the left
  const clang::Expr *step = nullptr;                   ///< null for 1
  bool countsDown = false;
  const Loop *facts = nullptr;

  const clang::Stmt *body() const { return statement->getBody(); }
  std::string name() const { return variable->getNameAsString(); }
  std::optional<int64_t> trips() const { return facts->trips; }
  /// The amount added in each iteration, negative where it counts down, if it is a constant.
  std::optional<int64_t> constantStep() const;
};

/// A variable of the thread's own that code mentions and that is declared outside of it. Arrays are none:
/// their elements are followed as memory.
struct OuterVariable {
  const clang::VarDecl *variable = nullptr;
  std::vector<const clang::DeclRefExpr *> mentions;
  const clang::DeclRefExpr *write = nullptr; ///< the first that may change it
};

/// What the loop directives ask about one kernel: which loops count, which accesses belong to which
/// statement, and which of them depend on each other. Changes nothing.
class LoopStudy {
public:
  /// `launch`: what is known of the block; without, it may be any.
  explicit LoopStudy(const source::Kernel &kernel, const LaunchFacts &launch = {});
  /// With the definitions and accesses that are known already, which must outlive it.
  explicit LoopStudy(const KernelFacts &facts);

  const source::Kernel &kernel;
  const source::Unit &unit;

  /// Why nothing can be said about the kernel's loops at all.
  LegalityFailure generalFailure() const;
  std::variant<CountedLoop, Diagnostic> counted(const clang::ForStmt *loop) const;
  /// The same for `i < n && start + i < m`, too: comparisons that end for good, the first giving the bound.
  std::variant<CountedLoop, Diagnostic> countedByAll(const clang::ForStmt *loop) const;

  /// The accesses that executing `code` makes, also those of functions it calls. In the order of execution.
  std::vector<const Access *> accessesIn(const clang::Stmt *code) const;
  std::vector<const Access *> accessesIn(const std::vector<const clang::Stmt *> &code) const;
  /// Those of the loop's head.
  std::vector<const Access *> accessesInHead(const clang::ForStmt *loop) const;
  std::vector<OuterVariable> outerVariables(const clang::Stmt *code) const;

  /// The first pair, one of each list, that depend in these iterations. Arrays that `within` declares are
  /// another one in each of its iterations and do not count.
  std::optional<LoopDependence> dependence(const std::vector<const Access *> &first,
                                           const std::vector<const Access *> &second,
                                           const Iterations &iterations, const clang::Stmt *within) const;

  /// Why the loop does not run over the same values each time that `within`, a loop around it or itself,
  /// comes to it. Variables in `common` are the same whenever that matters.
  LegalityFailure whyHeadVaries(const CountedLoop &loop, const clang::Stmt *within,
                                const std::set<const clang::VarDecl *> &common) const;

  /// The loops around this one, outermost first.
  static std::vector<const Loop *> around(const Loop *loop);
  const clang::Stmt *parent(const clang::Stmt *statement) const;
  const Accesses &accesses() const { return *accessFacts; }
  /// Null where the flow of control cannot be followed.
  const source::ReachingDefinitions *reachingDefinitions() const { return definitions; }
  bool isInside(const clang::Decl *declaration, const clang::Stmt *code) const;

private:
  std::variant<CountedLoop, Diagnostic> counted(const clang::ForStmt *loop,
                                                const clang::Expr *condition) const;
  bool isOrderless(const Access &access) const;
  bool isOf(const Access &access, const std::unordered_set<const clang::Stmt *> &code) const;

  void noteCalls();

  std::unique_ptr<source::ReachingDefinitions> ownDefinitions;
  std::unique_ptr<Accesses> ownAccesses;
  const source::ReachingDefinitions *definitions;
  const Accesses *accessFacts;
  mutable LoopDependences asked;
  std::map<std::pair<unsigned, unsigned>, std::vector<const clang::CallExpr *>> callsByLocation;
};

/// A refusal that shows both accesses and says what must not happen to them.
Diagnostic refusalOf(const LoopDependence &dependence, const std::string &consequence);

/// The statements of a body, be it a block or a single one.
std::vector<const clang::Stmt *> statementsOf(const clang::Stmt *body);

/// Every statement and expression of `code`.
std::unordered_set<const clang::Stmt *> partsOf(const clang::Stmt *code);

} // namespace heddle::analysis
