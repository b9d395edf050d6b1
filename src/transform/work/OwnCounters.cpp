// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/OwnCounters.h"

#include "analysis/BarrierRegions.h"
#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

/// The variable that the loop's first part gives a value to, and does nothing else; null where it does.
const VarDecl *counterOf(const ForStmt *loop) {
  auto *first = dyn_cast_or_null<BinaryOperator>(loop->getInit());
  if (!first || first->getOpcode() != BO_Assign)
    return nullptr;
  const VarDecl *variable = analysis::namedVariable(first->getLHS());
  if (!variable || !variable->hasLocalStorage() ||
      !variable->getType()->isIntegralType(variable->getASTContext()))
    return nullptr;
  // `k = k + 1` reads the outer one.
  return Uses::of(first->getRHS()).mentions(variable) ? nullptr : variable;
}

/// Something else gives the variable a value, and nothing outside of the loop reads what the loop gave it.
bool isSharedAndSeparable(const source::ReachingDefinitions &definitions, const ForStmt *loop,
                          const VarDecl *counter) {
  if (!definitions.isTracked(counter) || definitions.addressEscapes(counter))
    return false;
  Uses inside = Uses::of(loop);
  auto isInside = [&](const Stmt *statement) { return inside.statements.contains(statement); };
  bool isShared = false;
  for (const source::Definition *definition : definitions.definitionsOf(counter))
    isShared |=
        definition->kind != source::Definition::Kind::Uninitialized && !isInside(definition->statement);
  for (const DeclRefExpr *reference : definitions.referencesTo(counter)) {
    if (isInside(reference) || !definitions.isRead(reference))
      continue;
    for (const source::Definition *definition : definitions.reaching(reference))
      if (isInside(definition->statement))
        return false;
  }
  return isShared;
}

} // namespace

std::optional<Needs> giveLoopsTheirCounters(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  source::Edits edits;
  for (const analysis::KernelNode *node : facts.tree->loopsAroundBarriers()) {
    auto *loop = dyn_cast<ForStmt>(node->statement);
    const VarDecl *counter = loop ? counterOf(loop) : nullptr;
    if (!counter || !isSharedAndSeparable(facts.uniformity->definitions(), loop, counter))
      continue;
    if (auto declared = source::declareAs(*kernel.unit, counter, counter->getNameAsString()))
      edits.replace(*kernel.unit, cast<BinaryOperator>(loop->getInit())->getLHS()->getSourceRange(),
                    *declared);
  }
  return neededEdits("loop-counters", std::move(edits));
}

} // namespace heddle::transform
