// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host expressions that may be written in two places. What has an effect is an assignment to anything but a local variable of
// a function that is called, memory that is allocated or released, assembly, and what is not known. A function that does not
// return may do what it likes: there is no second evaluation then.
#include "analysis/EvaluatedAgain.h"

#include "source/Launch.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::analysis {
namespace {

class Repeatability {
public:
  /// `function`: whose body the code is in; null for code that only reads.
  bool holds(const Stmt *code, const FunctionDecl *function) {
    if (!code)
      return true;
    return holdsAlone(code, function) &&
           std::ranges::all_of(code->children(), [&](const Stmt *child) { return holds(child, function); });
  }

private:
  bool holdsAlone(const Stmt *code, const FunctionDecl *function) {
    if (isa<AsmStmt, AtomicExpr, CXXBindTemporaryExpr, CXXDeleteExpr, CXXNewExpr, CXXThrowExpr, CXXTryStmt,
            LambdaExpr, StmtExpr>(code))
      return false;
    if (const auto *binary = dyn_cast<BinaryOperator>(code); binary && binary->isAssignmentOp())
      return isLocal(binary->getLHS(), function);
    if (const auto *unary = dyn_cast<UnaryOperator>(code); unary && unary->isIncrementDecrementOp())
      return isLocal(unary->getSubExpr(), function);
    if (const auto *read = dyn_cast<ImplicitCastExpr>(code); read && read->getCastKind() == CK_LValueToRValue)
      return !read->getSubExpr()->getType().isVolatileQualified();
    if (const auto *declarations = dyn_cast<DeclStmt>(code))
      return std::ranges::all_of(declarations->decls(), [](const Decl *each) {
        const auto *variable = dyn_cast<VarDecl>(each);
        return !variable || (variable->hasLocalStorage() && !variable->getType().isDestructedType());
      });
    if (const auto *made = dyn_cast<CXXConstructExpr>(code))
      return made->getConstructor()->isTrivial() || holdsIn(made->getConstructor());
    if (const auto *call = dyn_cast<CallExpr>(code))
      return call->getDirectCallee() && holdsIn(call->getDirectCallee());
    return true;
  }

  /// A variable, or a part of one, that ends with the call of the function.
  static bool isLocal(const Expr *target, const FunctionDecl *function) {
    target = target->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<MemberExpr>(target))
      return !member->isArrow() && isLocal(member->getBase(), function);
    const auto *use = dyn_cast<DeclRefExpr>(target);
    const auto *variable = use ? dyn_cast<VarDecl>(use->getDecl()) : nullptr;
    return variable && function && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
  }

  bool holdsIn(const FunctionDecl *function) {
    // Checks of a launch that Heddle's own helpers make are made twice.
    if (function->isNoReturn() || function->hasAttr<ConstAttr>() || function->hasAttr<PureAttr>() ||
        source::isOfRuntime(function))
      return true;
    if (const unsigned builtin = function->getBuiltinID()) {
      const Builtin::Context &known = function->getASTContext().BuiltinInfo;
      if (known.isConst(builtin) || known.isPure(builtin) ||
          known.isConstWithoutErrnoAndExceptions(builtin) || known.isNoReturn(builtin))
        return true;
    }
    const auto *method = dyn_cast<CXXMethodDecl>(function);
    const FunctionDecl *definition = nullptr;
    if ((method && method->isVirtual()) || !function->hasBody(definition))
      return false;
    if (!entered.insert(definition).second)
      return true; // decided where it was entered
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
      for (const CXXCtorInitializer *part : constructor->inits())
        if (!holds(part->getInit(), definition))
          return false;
    return holds(definition->getBody(), definition);
  }

  std::set<const FunctionDecl *> entered;
};

} // namespace

bool mayBeEvaluatedAgain(const Expr *expression) { return Repeatability().holds(expression, nullptr); }

} // namespace heddle::analysis
