// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data flow without order: a variable depends on everything that is assigned to it anywhere, and on what it is handed to a function with.
#include "tune/GridDependence.h"

#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <vector>

using namespace clang;

namespace heddle::tune {
namespace {

/// The variable that an lvalue is a part of: `v`, `v.x`, `v[i]`, `&v`.
const VarDecl *changedVariable(const Expr *expression) {
  for (;;) {
    expression = expression->IgnoreParenCasts();
    if (auto *member = dyn_cast<MemberExpr>(expression))
      expression = member->getBase();
    else if (auto *element = dyn_cast<ArraySubscriptExpr>(expression))
      expression = element->getBase();
    else if (auto *unary = dyn_cast<UnaryOperator>(expression))
      expression = unary->getSubExpr();
    else
      break;
  }
  auto *named = dyn_cast<DeclRefExpr>(expression);
  return named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
}

/// What gives variables their values, besides their initializers, and who calls a function.
class SourceCollector final : public DynamicRecursiveASTVisitor {
public:
  explicit SourceCollector(ASTContext &context) {
    ShouldVisitTemplateInstantiations = true;
    TraverseAST(context);
  }

  bool VisitBinaryOperator(BinaryOperator *binary) override {
    if (binary->isAssignmentOp())
      add(changedVariable(binary->getLHS()), binary->getRHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    if (const FunctionDecl *callee = call->getDirectCallee())
      calls[callee->getCanonicalDecl()].push_back(call);
    // It may write to what it is given by address or by reference.
    for (const Expr *argument : call->arguments()) {
      const Expr *bare = argument->IgnoreParenCasts();
      const bool isAddress = isa<UnaryOperator>(bare) && cast<UnaryOperator>(bare)->getOpcode() == UO_AddrOf;
      if (isAddress || argument->isLValue())
        add(changedVariable(bare), call);
    }
    return true;
  }

  std::map<const VarDecl *, std::vector<const Expr *>> values;
  std::map<const FunctionDecl *, std::vector<const CallExpr *>> calls;

private:
  void add(const VarDecl *variable, const Expr *value) {
    if (variable)
      values[variable->getCanonicalDecl()].push_back(value);
  }
};

class DependenceFinder final : public DynamicRecursiveASTVisitor {
public:
  DependenceFinder(const source::Unit &unit, const std::set<std::string> &constants)
      : unit(unit), constants(constants), sources(unit.context()) {}

  Dependence of(const Expr *expression) {
    TraverseStmt(const_cast<Expr *>(expression));
    return found;
  }

  bool VisitExpr(Expr *expression) override {
    if (isOfConstant(expression->getExprLoc()))
      note(Dependence::Yes);
    return found != Dependence::Yes;
  }
  bool VisitDeclRefExpr(DeclRefExpr *named) override {
    if (const auto *variable = dyn_cast<VarDecl>(named->getDecl()))
      follow(variable->getCanonicalDecl());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *) override {
    note(Dependence::Unknown);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee) {
      note(Dependence::Unknown);
    } else if (const FunctionDecl *definition = callee->getDefinition();
               definition && definition->hasBody() && unit.isUserCode(definition->getLocation()) &&
               seen.insert(definition).second) {
      TraverseStmt(definition->getBody());
    }
    return true;
  }

private:
  void note(Dependence one) { found = std::max(found, one); }

  /// Whether a macro of that name made the token.
  bool isOfConstant(clang::SourceLocation location) const {
    const SourceManager &manager = unit.sources();
    for (; location.isMacroID(); location = manager.getImmediateMacroCallerLoc(location))
      if (!manager.isMacroArgExpansion(location) &&
          constants.contains(
              Lexer::getImmediateMacroName(location, manager, unit.context().getLangOpts()).str()))
        return true;
    return false;
  }

  void follow(const VarDecl *variable) {
    if (constants.contains(variable->getNameAsString()))
      return note(Dependence::Yes);
    if (!seen.insert(variable).second || !unit.isUserCode(variable->getLocation()))
      return;
    if (const auto *parameter = dyn_cast<ParmVarDecl>(variable))
      followParameter(parameter);
    else if (const Expr *value = variable->getAnyInitializer())
      TraverseStmt(const_cast<Expr *>(value));
    if (const auto values = sources.values.find(variable); values != sources.values.end())
      for (const Expr *value : values->second)
        TraverseStmt(const_cast<Expr *>(value));
  }

  /// Where the function is called, in this file; from outside, a program gets what a person types.
  void followParameter(const ParmVarDecl *parameter) {
    const auto *function = dyn_cast<FunctionDecl>(parameter->getDeclContext());
    if (function && function->isMain())
      return;
    const auto calls = function ? sources.calls.find(function->getCanonicalDecl()) : sources.calls.end();
    if (calls == sources.calls.end())
      return note(Dependence::Unknown);
    const unsigned index = parameter->getFunctionScopeIndex();
    for (const CallExpr *call : calls->second)
      if (index < call->getNumArgs() && !isa<CXXOperatorCallExpr>(call))
        TraverseStmt(const_cast<Expr *>(call->getArg(index)));
      else
        note(Dependence::Unknown);
  }

  const source::Unit &unit;
  const std::set<std::string> &constants;
  SourceCollector sources;
  std::set<const Decl *> seen;
  Dependence found = Dependence::No;
};

} // namespace

Dependence gridDependence(const source::Launch &launch, const std::set<std::string> &constants) {
  return DependenceFinder(*launch.unit, constants).of(launch.grid.expr);
}

} // namespace heddle::tune
