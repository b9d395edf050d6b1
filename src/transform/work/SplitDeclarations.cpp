// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/SplitDeclarations.h"

#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/ReachingDefinitions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Level;

/// How uniform the value is that a variable is declared with; nothing for one that has none, or is not
/// followed.
std::optional<Level> levelOf(const analysis::Uniformity &uniformity, const VarDecl *variable) {
  const source::ReachingDefinitions &definitions = uniformity.definitions();
  if (!definitions.isTracked(variable) || definitions.addressEscapes(variable))
    return std::nullopt;
  for (const source::Definition *definition : definitions.definitionsOf(variable)) {
    if (definition->kind != source::Definition::Kind::Declaration)
      continue;
    Level level = Level::Grid;
    for (source::ReachingDefinitions::ValueId value : definitions.valuesOf(*definition))
      level = join(level, uniformity.levelOfValue(value));
    return level;
  }
  return std::nullopt;
}

/// Some variable differs by thread and another does not.
bool isMixed(const analysis::Uniformity &uniformity, const DeclStmt *statement) {
  bool differs = false, agrees = false;
  for (const VarDecl *variable : analysis::declaredBy(statement))
    if (std::optional<Level> level = levelOf(uniformity, variable))
      (*level <= Level::Block ? agrees : differs) = true;
  return differs && agrees;
}

/// `int n = size / 2`, as a declaration by itself; nothing where it cannot be written down so.
std::optional<std::string> aloneAs(const Unit &unit, const VarDecl *variable) {
  const bool isPlain = !variable->getInit() || variable->getInitStyle() == VarDecl::CInit;
  if (!isPlain || !variable->hasLocalStorage() || variable->hasAttrs() ||
      variable->getLocation().isMacroID() || variable->getType()->isReferenceType() ||
      isa<DecompositionDecl>(variable))
    return std::nullopt;
  std::optional<std::string> declared = source::redeclare(unit, variable, variable->getNameAsString());
  if (!declared || !variable->getInit() || isa<CXXConstructExpr>(variable->getInit()->IgnoreImplicit()))
    return variable->getInit() ? std::nullopt : declared;
  const std::string value = source::Rewriter(unit).text(variable->getInit());
  return value.empty() ? std::nullopt : std::optional(*declared + " = " + value);
}

std::optional<std::string> apart(const Unit &unit, const DeclStmt *statement) {
  std::string all; // on one line, so that messages about what follows name the user's lines
  for (const Decl *declaration : statement->decls()) {
    auto *variable = dyn_cast<VarDecl>(declaration); // else a type that is defined here
    std::optional<std::string> one = variable ? aloneAs(unit, variable) : std::nullopt;
    if (!one)
      return std::nullopt;
    all += (all.empty() ? "" : " ") + *one + ";";
  }
  return all;
}

/// The declarations that are statements of a block, where one may become several.
std::vector<const DeclStmt *> declarationsIn(const Stmt *code) {
  std::vector<const DeclStmt *> found;
  for (const Stmt *statement : Uses::of(code).statements)
    if (auto *block = dyn_cast<CompoundStmt>(statement))
      for (const Stmt *each : block->body())
        if (auto *declarations = dyn_cast<DeclStmt>(each); declarations && !declarations->isSingleDecl())
          found.push_back(declarations);
  return found;
}

} // namespace

std::optional<Needs> splitDeclarations(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  if (!facts.regions->hasBarrier())
    return std::nullopt;
  source::Edits edits;
  for (const DeclStmt *statement : declarationsIn(kernel.function->getBody())) {
    if (statement->getBeginLoc().isMacroID() || !isMixed(*facts.uniformity, statement))
      continue;
    if (std::optional<std::string> text = apart(*kernel.unit, statement))
      edits.replace(*kernel.unit, statement->getSourceRange(), *text);
  }
  return neededEdits("split-declarations", std::move(edits));
}

} // namespace heddle::transform
