// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PureFunctions.h"

#include "analysis/CallEffects.h"
#include "source/Unit.h"

#include <clang/AST/DeclCXX.h>

#include <string>

using namespace clang;

namespace heddle::analysis {
namespace {

std::string nameOf(const FunctionDecl *function) {
  return function->getDeclName().isIdentifier() ? function->getNameAsString() : std::string();
}

/// Numbers, vectors and small structs, handed over as values or for reading only.
bool takesOnlyValues(const FunctionDecl *function) {
  for (const ParmVarDecl *parameter : function->parameters()) {
    QualType type = parameter->getType();
    if (type->isLValueReferenceType() && type->getPointeeType().isConstQualified())
      type = type->getPointeeType();
    if (type->isPointerType() || type->isReferenceType())
      return false;
  }
  return true;
}

} // namespace

bool asksOutside(const FunctionDecl *function) {
  std::optional<CallEffect> effect = effectOf(function);
  if (!effect)
    return false;
  using Kind = CallEffect::Kind;
  return effect->kind == Kind::Exchange || effect->kind == Kind::Broadcast ||
         (effect->kind == Kind::Fixed && !nameOf(function).starts_with("__nvvm_read_ptx_sreg"));
}

bool isLoadFunction(const FunctionDecl *function) {
  std::optional<CallEffect> effect = effectOf(function);
  using Kind = CallEffect::Kind;
  return effect && (effect->kind == Kind::Load || effect->kind == Kind::ReadOnlyLoad);
}

bool isAtomicFunction(const FunctionDecl *function) {
  std::string name = nameOf(function);
  return name.starts_with("atomic") || name.starts_with("__nv_atomic");
}

bool isPureFunction(const source::Unit &unit, const FunctionDecl *callee) {
  const FunctionDecl *definition = nullptr;
  if (callee->hasBody(definition) && unit.isUserCode(definition->getLocation()))
    return false;
  bool isStatic = !isa<CXXMethodDecl>(callee) || isa<CXXConstructorDecl, CXXConversionDecl>(callee);
  bool givesSomething = isa<CXXConstructorDecl>(callee) || !callee->getReturnType()->isVoidType();
  if (unit.isUserCode(callee->getLocation()) && !callee->getBuiltinID())
    return false;
  return isStatic && givesSomething && takesOnlyValues(callee) && !callee->isVariadic() &&
         !asksOutside(callee) && !isAtomicFunction(callee) && !isLoadFunction(callee);
}

} // namespace heddle::analysis
