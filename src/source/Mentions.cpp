// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Mentions.h"

#include "source/TextEdits.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Tooling/Syntax/Tokens.h>

using namespace clang;

namespace heddle::source {
namespace {

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(const Unit &unit, std::map<unsigned, std::set<unsigned>> &users) : unit(unit), users(users) {
    ShouldVisitTemplateInstantiations = true;
    TraverseDecl(unit.context().getTranslationUnitDecl());
  }
  bool TraverseDecl(Decl *decl) override {
    bool topLevel = decl && decl->getDeclContext() && isa<TranslationUnitDecl>(decl->getDeclContext());
    if (topLevel && !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    const FunctionDecl *before = inside;
    if (auto *function = dyn_cast_or_null<FunctionDecl>(decl))
      inside = function;
    bool goOn = DynamicRecursiveASTVisitor::TraverseDecl(decl);
    inside = before;
    return goOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    if (auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
      note(function);
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *reference) override {
    for (const NamedDecl *candidate : reference->decls())
      if (auto *function = candidate->getAsFunction())
        note(function);
    return true;
  }

private:
  void note(const FunctionDecl *function) {
    users[Mentions::key(function)].insert(inside ? Mentions::key(inside) : 0);
  }
  const Unit &unit;
  const FunctionDecl *inside = nullptr;
  std::map<unsigned, std::set<unsigned>> &users;
};

} // namespace

Mentions::Mentions(const Unit &unit) { Finder(unit, users); }

unsigned Mentions::key(const FunctionDecl *function) {
  const FunctionDecl *defined = nullptr;
  if (function->hasBody(defined))
    function = defined;
  return function->getLocation().getRawEncoding();
}

SourceRange wholeDefinition(const Unit &unit, const FunctionDecl *function) {
  llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
  SourceRange range(function->getOuterLocStart(), function->getBody()->getEndLoc());
  size_t begin = tokensOf(unit, range).begin;
  auto isBoundary = [&](size_t token) {
    tok::TokenKind kind = all[token].kind();
    return kind == tok::semi || kind == tok::l_brace || kind == tok::r_brace;
  };
  while (begin > 0 && !isBoundary(begin - 1))
    --begin;
  return {all[begin].location(), range.getEnd()};
}

} // namespace heddle::source
