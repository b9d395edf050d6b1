// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/NamedTypes.h"

#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Stmt.h>

#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

/// "PairType" for a variable named `pair`.
std::string typeNameFor(const DeclStmt *declarations) {
  for (const VarDecl *variable : analysis::declaredBy(declarations))
    if (variable->getIdentifier())
      return capitalized(variable->getName().str()) + "Type";
  return "OwnType";
}

/// Where a name belongs: after the keyword, or behind `alignas` and similar specifiers where there are no bases.
Replacement withName(const TagDecl *tag, const std::string &name) {
  auto *record = dyn_cast<CXXRecordDecl>(tag);
  const clang::SourceLocation brace = tag->getBraceRange().getBegin(), keyword = tag->getInnerLocStart();
  if (record && record->getNumBases() == 0)
    return {{brace, brace}, name + " {"};
  return {{keyword, keyword}, tag->getKindName().str() + " " + name};
}

} // namespace

const TagDecl *typeDefinedBy(const DeclStmt *declarations) {
  for (const Decl *each : declarations->decls())
    if (auto *tag = dyn_cast<TagDecl>(each); tag && tag->isThisDeclarationADefinition())
      return tag;
  return nullptr;
}

std::variant<Needs, Diagnostic> nameTypes(const Kernel &kernel,
                                          const std::vector<const DeclStmt *> &declarations) {
  const Unit &unit = *kernel.unit;
  Names names(unit);
  source::Edits edits;
  std::set<const DeclStmt *> seen;
  for (const DeclStmt *statement : declarations) {
    const TagDecl *tag = typeDefinedBy(statement);
    if (!tag || !seen.insert(statement).second)
      continue;
    std::string name = tag->getNameAsString();
    std::vector<Replacement> naming;
    if (name.empty()) {
      name = names.fresh(typeNameFor(statement));
      naming.push_back(withName(tag, name));
    }
    source::Rewriter text(unit);
    Code both = text.code(tag->getSourceRange(), naming).join(";");
    both.add(text.code(statement->getSourceRange(), {{tag->getSourceRange(), name}}));
    if (text.failure)
      return *text.failure;
    text.replace(edits, statement->getSourceRange(), both);
  }
  return Needs{"named-types", std::move(edits)};
}

} // namespace heddle::transform
