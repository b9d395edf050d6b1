// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/StructuredBindings.h"

#include "source/Unit.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Stmt.h>

using namespace clang;

namespace heddle::transform {
namespace {

const DeclStmt *firstIn(const Stmt *code) {
  if (!code)
    return nullptr;
  if (auto *declarations = dyn_cast<DeclStmt>(code))
    for (const Decl *each : declarations->decls())
      if (isa<DecompositionDecl>(each))
        return declarations;
  for (const Stmt *child : code->children())
    if (const DeclStmt *found = firstIn(child))
      return found;
  return nullptr;
}

} // namespace

std::optional<Diagnostic> structuredBindingIn(const source::Kernel &kernel) {
  const DeclStmt *found = firstIn(kernel.function->getBody());
  if (!found)
    return std::nullopt;
  return Diagnostic{Severity::Refusal,
                    kernel.unit->location(found),
                    "the names of a structured binding are not followed",
                    {},
                    "declare a variable for each part"};
}

} // namespace heddle::transform
