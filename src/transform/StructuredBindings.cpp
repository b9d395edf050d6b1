// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/StructuredBindings.h"

#include "analysis/StatementShape.h"
#include "source/Unit.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace heddle::transform {
namespace {

const DeclStmt *firstIn(const Stmt *code) {
  if (!code)
    return nullptr;
  if (llvm::any_of(analysis::declaredBy(code),
                   [](const VarDecl *each) { return isa<DecompositionDecl>(each); }))
    return cast<DeclStmt>(code);
  for (const Stmt *child : code->children())
    if (const DeclStmt *found = firstIn(child))
      return found;
  return nullptr;
}

} // namespace

std::optional<Diagnostic> structuredBindingIn(const Kernel &kernel) {
  const DeclStmt *found = firstIn(kernel.function->getBody());
  if (!found)
    return std::nullopt;
  return legalityFailure(kernel.unit->location(found), "the names of a structured binding are not analyzed")
      .withHint("declare a variable for each part");
}

} // namespace heddle::transform
