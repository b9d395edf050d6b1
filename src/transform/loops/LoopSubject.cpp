// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/LoopSubject.h"

#include "analysis/StatementShape.h"
#include "analysis/loops/LoopStudy.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::plainStatement;

namespace {

bool isBefore(const Unit &unit, const Stmt *a, const Stmt *b) {
  SourceLocation first = unit.location(a->getBeginLoc()), second = unit.location(b->getBeginLoc());
  return std::pair(first.line, first.column) < std::pair(second.line, second.column);
}

template <class Wanted> std::vector<const Stmt *> allOf(const Kernel &kernel) {
  std::vector<const Stmt *> list;
  source::forEachEvaluated(kernel.function->getBody(), [&](const Stmt *part) {
    if (isa<Wanted>(part))
      list.push_back(part);
    return true;
  });
  std::stable_sort(list.begin(), list.end(),
                   [&](const Stmt *a, const Stmt *b) { return isBefore(*kernel.unit, a, b); });
  return list;
}

/// The first statement of any block that begins on the line or below it.
const Stmt *firstFrom(const Kernel &kernel, unsigned line) {
  const Stmt *first = nullptr;
  auto offer = [&](const Stmt *statement) {
    statement = plainStatement(statement);
    if (statement && !isa<CompoundStmt>(statement) &&
        kernel.unit->location(statement->getBeginLoc()).line >= line &&
        (!first || isBefore(*kernel.unit, statement, first)))
      first = statement;
  };
  source::forEachEvaluated(kernel.function->getBody(), [&](const Stmt *part) {
    if (auto *block = dyn_cast<CompoundStmt>(part)) {
      for (const Stmt *child : block->body())
        offer(child);
    } else if (auto *loop = dyn_cast<ForStmt>(part)) {
      offer(loop->getBody());
    } else if (auto *whileLoop = dyn_cast<WhileStmt>(part)) {
      offer(whileLoop->getBody());
    } else if (auto *branch = dyn_cast<IfStmt>(part)) {
      offer(branch->getThen());
      offer(branch->getElse());
    }
    return true;
  });
  return first;
}

} // namespace

std::vector<const Stmt *> loopsOf(const Kernel &kernel) { return allOf<ForStmt>(kernel); }
std::vector<const Stmt *> branchesOf(const Kernel &kernel) { return allOf<IfStmt>(kernel); }

std::variant<const Stmt *, Diagnostic> subjectOf(const Context &context, const Kernel &kernel) {
  bool wantsBranch = context.directive.subject == Subject::Branch;
  const char *what = wantsBranch ? "'if'" : "'for' loop";
  std::vector<const Stmt *> all = wantsBranch ? branchesOf(kernel) : loopsOf(kernel);
  unsigned line = context.target.loopLine;
  if (context.target.isBehindPragma) {
    const Stmt *next = firstFrom(kernel, line);
    if (next && std::ranges::find(all, next) != all.end())
      return next;
    return legalityFailure(next ? kernel.unit->location(next->getBeginLoc()) : context.directive.location,
                           "what follows is no {}", what);
  }
  for (const Stmt *one : all)
    if (kernel.unit->location(one->getBeginLoc()).line == line)
      return one;
  Diagnostic none = legalityFailure(kernel.location, "no {} begins on line {}", what, line);
  for (const Stmt *one : all)
    none.note(kernel.unit->location(one->getBeginLoc()),
              fmt::format("one begins on line {}", kernel.unit->location(one->getBeginLoc()).line));
  return none;
}

} // namespace heddle::transform
