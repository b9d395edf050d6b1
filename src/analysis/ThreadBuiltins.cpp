// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ThreadBuiltins.h"

#include <llvm/ADT/StringSwitch.h>

using namespace clang;

namespace heddle::analysis {

std::string ThreadBuiltin::name() const {
  static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
  std::string result = names[unsigned(kind)];
  if (dimension < 3 && kind != Kind::WarpSize)
    result += std::string(".") + "xyz"[dimension];
  return result;
}

/// `threadIdx` itself: a global of that name. A local or a parameter may be called the same; that is not it.
static std::optional<ThreadBuiltin::Kind> builtinVariable(const Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (auto *opaque = dyn_cast<OpaqueValueExpr>(expression); opaque && opaque->getSourceExpr())
    expression = opaque->getSourceExpr()->IgnoreParenImpCasts();
  auto *reference = dyn_cast<DeclRefExpr>(expression);
  if (!reference || !reference->getDecl()->getIdentifier() ||
      !reference->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit())
    return std::nullopt;
  using Kind = ThreadBuiltin::Kind;
  return llvm::StringSwitch<std::optional<Kind>>(reference->getDecl()->getName())
      .Case("threadIdx", Kind::ThreadIdx)
      .Case("blockIdx", Kind::BlockIdx)
      .Case("blockDim", Kind::BlockDim)
      .Case("gridDim", Kind::GridDim)
      .Case("warpSize", Kind::WarpSize)
      .Default(std::nullopt);
}

static unsigned dimensionNamed(llvm::StringRef name) {
  return llvm::StringSwitch<unsigned>(name).Case("x", 0).Case("y", 1).Case("z", 2).Default(3);
}

static std::optional<ThreadBuiltin> builtinMember(const Expr *base, const NamedDecl *member) {
  std::optional<ThreadBuiltin::Kind> kind = builtinVariable(base);
  if (!kind || !member->getIdentifier())
    return std::nullopt;
  llvm::StringRef name = member->getName();
  name.consume_front("__fetch_builtin_"); // the getter behind Clang's property
  unsigned dimension = dimensionNamed(name);
  return dimension < 3 ? std::optional(ThreadBuiltin{*kind, dimension}) : std::nullopt;
}

std::optional<ThreadBuiltin> threadBuiltin(const Expr *expression) {
  const Expr *e = expression->IgnoreParens();
  while (auto *cast = dyn_cast<CastExpr>(e)) {
    if (!cast->getType()->isIntegerType() && !cast->getType()->isRecordType())
      return std::nullopt;
    e = cast->getSubExpr()->IgnoreParens();
  }
  if (auto *pseudo = dyn_cast<PseudoObjectExpr>(e))
    e = pseudo->getSyntacticForm()->IgnoreParenImpCasts();
  if (auto *property = dyn_cast<MSPropertyRefExpr>(e))
    return builtinMember(property->getBaseExpr(), property->getPropertyDecl());
  if (auto *call = dyn_cast<CallExpr>(e))
    if (auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts()))
      return builtinMember(member->getBase(), member->getMemberDecl());
  if (auto *member = dyn_cast<MemberExpr>(e))
    return builtinMember(member->getBase(), member->getMemberDecl());
  if (std::optional<ThreadBuiltin::Kind> kind = builtinVariable(e))
    return ThreadBuiltin{*kind, 3};
  return std::nullopt;
}

/// The function that a call of a virtual member comes to, where the type of the object settles it; null where
/// only the object itself knows.
static const FunctionDecl *finalOverrider(const CallExpr *call, const CXXMethodDecl *method) {
  auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens());
  if (!member || !member->performsVirtualDispatch(method->getASTContext().getLangOpts()))
    return method;
  return method->getDevirtualizedMethod(member->getBase(), /*IsAppleKext=*/false);
}

const FunctionDecl *calleeOf(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (auto *method = dyn_cast_or_null<CXXMethodDecl>(callee); method && method->isVirtual())
    callee = finalOverrider(call, method);
  if (!callee)
    return nullptr;
  const FunctionDecl *defined = nullptr;
  return callee->hasBody(defined) ? defined : callee;
}

} // namespace heddle::analysis
