// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the kernel (of a template: over its pattern, which holds what `if constexpr` leaves out of an
// instantiation) with the scopes that are open. A variable is renamed where a scope around its own declares
// the same name, or where the kernel mentions something outside of it that has the name: a global variable, a
// function, a type, an enumerator.
#include "transform/SeparateNames.h"

#include "source/Unit.h"
#include "transform/Names.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

#include <map>
#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

/// What code mentions that is declared elsewhere, and where it mentions local variables.
class NameReader : public DynamicRecursiveASTVisitor {
public:
  std::vector<const NamedDecl *> outside;
  std::map<const VarDecl *, std::set<clang::SourceLocation>> mentions;

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable && variable->isLocalVarDeclOrParm())
      mentions[variable].insert(reference->getLocation());
    else if (!reference->hasQualifier())
      note(reference->getDecl());
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *reference) override {
    for (const NamedDecl *each : reference->decls())
      note(each);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    if (member->isImplicitAccess())
      note(member->getMemberDecl());
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override { return noteType(type, type.getDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return noteType(type, type.getDecl()); }
  bool VisitTemplateTypeParmTypeLoc(TemplateTypeParmTypeLoc type) override {
    note(type.getDecl());
    return true;
  }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    note(type.getTypePtr()->getTemplateName().getAsTemplateDecl());
    return true;
  }

private:
  template <class Loc> bool noteType(Loc type, const NamedDecl *declaration) {
    if (!type.getQualifierLoc())
      note(declaration);
    return true;
  }
  void note(const NamedDecl *declaration) {
    if (declaration && declaration->getIdentifier())
      outside.push_back(declaration);
  }
};

class HiddenNames : public NameReader {
public:
  explicit HiddenNames(const FunctionDecl *function) {
    scopes.emplace_back();
    for (const ParmVarDecl *parameter : function->parameters())
      scopes.back().insert(parameter->getDeclName());
    TraverseStmt(function->getBody());
    std::set<DeclarationName> names;
    for (const NamedDecl *each : outside)
      names.insert(each->getDeclName());
    for (const VarDecl *variable : locals)
      if (names.contains(variable->getDeclName()) && seen.insert(variable).second)
        hiding.push_back(variable);
  }

  std::vector<const VarDecl *> hiding; ///< in the order of the text, those that hide locals first

  bool TraverseStmt(Stmt *statement) override {
    if (!statement)
      return true;
    const bool opens =
        isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, IfStmt, SwitchStmt, CXXForRangeStmt, LambdaExpr>(
            statement);
    if (opens)
      scopes.emplace_back();
    const bool goOn = DynamicRecursiveASTVisitor::TraverseStmt(statement);
    if (opens)
      scopes.pop_back();
    return goOn;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    if (!variable->getIdentifier() || !variable->isLocalVarDecl() || variable->isImplicit())
      return true;
    locals.push_back(variable);
    for (size_t i = 0; i + 1 < scopes.size(); ++i)
      if (scopes[i].contains(variable->getDeclName()) && seen.insert(variable).second)
        hiding.push_back(variable);
    scopes.back().insert(variable->getDeclName());
    return true;
  }

private:
  std::vector<std::set<DeclarationName>> scopes;
  std::vector<const VarDecl *> locals;
  std::set<const VarDecl *> seen;
};

} // namespace

std::optional<Needs> separateNames(Context &, const Kernel &kernel) {
  const HiddenNames found(patternOf(kernel.function));
  const Unit &unit = *kernel.unit;
  Names names(unit);
  source::Edits edits;
  for (const VarDecl *variable : found.hiding) {
    const std::string name = names.fresh(variable->getNameAsString());
    std::set<clang::SourceLocation> locations = {variable->getLocation()};
    if (auto mentioned = found.mentions.find(variable); mentioned != found.mentions.end())
      locations.insert(mentioned->second.begin(), mentioned->second.end());
    for (clang::SourceLocation at : locations)
      edits.replace(unit, {at, at}, name);
  }
  return neededEdits("separate-names", std::move(edits));
}

std::vector<const NamedDecl *> mentionedFromOutside(const FunctionDecl *function) {
  NameReader reader;
  reader.TraverseDecl(const_cast<FunctionDecl *>(function));
  std::erase_if(reader.outside, [&](const NamedDecl *each) {
    return each->getDeclContext() == function || isa<TemplateTypeParmDecl, NonTypeTemplateParmDecl>(each);
  });
  return reader.outside;
}

std::vector<const NamedDecl *> mentionedFromOutside(const Expr *expression) {
  NameReader reader;
  reader.TraverseStmt(const_cast<Expr *>(expression));
  return reader.outside;
}

} // namespace heddle::transform
