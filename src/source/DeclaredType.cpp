// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are written in two ways. As the user wrote them, taken apart by Clang's TypeLocs and put around
// another declarator from the inside out: in a template this keeps `T` a `T`. And as Clang prints them, for what the text does not
// contain (auto, decltype, a const that hides in a typedef) and for text that moves to
// another scope. In an instantiation Clang would print what one instantiation has; that is used only where
// the pattern's type does not depend on its parameters.
#include "source/DeclaredType.h"

#include "source/Render.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/AST/TypeLoc.h>

using namespace clang;

namespace heddle::source {
namespace {

/// Finds the variable of a template's pattern that is where the instantiation's does.
class PatternVariable : public DynamicRecursiveASTVisitor {
public:
  PatternVariable(const FunctionDecl *pattern, clang::SourceLocation at) : at(at) {
    ShouldVisitImplicitCode = true;
    TraverseDecl(const_cast<FunctionDecl *>(pattern));
  }
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getLocation() == at)
      found = variable;
    return !found;
  }
  const VarDecl *found = nullptr;

private:
  clang::SourceLocation at;
};

/// The variable's type is the same in every instantiation of the function it is in.
bool isTheSameInAll(const VarDecl *variable) {
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  const FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
  if (!pattern)
    return true;
  const VarDecl *written = PatternVariable(pattern, variable->getLocation()).found;
  return written && !written->getType()->isDependentType() && !written->getType()->isUndeducedType();
}

std::string qualifiersOf(Qualifiers all, bool dropConst) {
  if (dropConst)
    all.removeConst();
  return all.getAsString();
}

std::string before(const std::string &qualifiers, const std::string &text) {
  return qualifiers.empty() ? text : qualifiers + " " + text;
}

/// Writes a type around a declarator from the inside out, as C++ reads it.
class TypeWriter {
public:
  explicit TypeWriter(const Unit &unit) : unit(unit) {}

  std::optional<std::string> write(TypeLoc type, std::string declarator, bool dropConst = false) const {
    std::string qualifiers;
    if (auto qualified = type.getAs<QualifiedTypeLoc>()) {
      qualifiers = qualifiersOf(qualified.getType().getLocalQualifiers(), dropConst);
      type = qualified.getUnqualifiedLoc();
    }
    if (auto parens = type.getAs<ParenTypeLoc>())
      return write(parens.getInnerLoc(), std::move(declarator), dropConst);
    if (auto decayed = type.getAs<DecayedTypeLoc>())
      return decayedTo(decayed.getOriginalLoc(), before(qualifiers, declarator));
    if (auto pointer = type.getAs<PointerTypeLoc>())
      return write(pointer.getPointeeLoc(),
                   around(pointer.getPointeeLoc(), "*" + before(qualifiers, declarator)));
    if (auto reference = type.getAs<ReferenceTypeLoc>())
      return write(reference.getPointeeLoc(),
                   around(reference.getPointeeLoc(),
                          (type.getAs<RValueReferenceTypeLoc>() ? "&&" : "&") + declarator));
    if (auto array = type.getAs<ArrayTypeLoc>()) {
      auto size = array.getSizeExpr() ? text(array.getSizeExpr()->getSourceRange()) : std::nullopt;
      return size ? write(array.getElementLoc(), declarator + "[" + *size + "]", dropConst) : std::nullopt;
    }
    if (auto function = type.getAs<FunctionTypeLoc>()) {
      auto parameters = text(SourceRange(function.getLParenLoc(), function.getRParenLoc()));
      auto *prototype = dyn_cast<FunctionProtoType>(function.getTypePtr());
      const bool isPlain =
          prototype && !prototype->hasTrailingReturn() && !prototype->getMethodQuals().hasQualifiers();
      return parameters && isPlain ? write(function.getReturnLoc(), declarator + *parameters) : std::nullopt;
    }
    auto base = baseOf(type);
    return base ? std::optional(before(qualifiers, *base + (declarator.empty() ? "" : " " + declarator)))
                : std::nullopt;
  }

  /// A pointer or reference to an array or a function needs parentheses.
  static std::string around(TypeLoc pointee, const std::string &declarator) {
    TypeLoc plain = pointee.getUnqualifiedLoc();
    while (auto parens = plain.getAs<ParenTypeLoc>())
      plain = parens.getInnerLoc().getUnqualifiedLoc();
    return plain.getAs<ArrayTypeLoc>() || plain.getAs<FunctionTypeLoc>() ? "(" + declarator + ")"
                                                                         : declarator;
  }

  /// `float s[]` of a parameter is a pointer, `float f(float)` a pointer to a function.
  std::optional<std::string> decayedTo(TypeLoc original, const std::string &declarator) const {
    TypeLoc plain = original.getUnqualifiedLoc();
    while (auto parens = plain.getAs<ParenTypeLoc>())
      plain = parens.getInnerLoc().getUnqualifiedLoc();
    auto array = plain.getAs<ArrayTypeLoc>();
    const TypeLoc pointee = array ? array.getElementLoc() : plain;
    return write(pointee, around(pointee, "*" + declarator));
  }

private:
  /// A struct that the declaration itself defines is known by its name from then on.
  std::optional<std::string> baseOf(TypeLoc type) const {
    const TagDecl *tag = type.getType()->getAsTagDecl();
    auto written = text(type.getSourceRange());
    if (!written || !tag || (*written != tag->getKindName().str() && written->find('{') == std::string::npos))
      return written;
    return tag->getIdentifier() ? std::optional(tag->getName().str()) : std::nullopt;
  }

  std::optional<std::string> text(SourceRange range) const {
    Rendered rendered = render(unit, range);
    auto *found = std::get_if<std::string>(&rendered);
    return found && !found->empty() ? std::optional(*found) : std::nullopt;
  }
  const Unit &unit;
};

/// The text says less than the type: what is declared is deduced, or computed from other variables, whose
/// types may change.
bool isDeduced(QualType type) {
  if (type->getContainedAutoType())
    return true;
  for (QualType inner = type; !inner.isNull();) {
    if (isa<DecltypeType, TypeOfExprType, TypeOfType>(inner.getTypePtr()))
      return true;
    if (!inner->getPointeeType().isNull())
      inner = inner->getPointeeType();
    else if (auto *array = inner->getAsArrayTypeUnsafe())
      inner = array->getElementType();
    else
      break;
  }
  return false;
}

/// Without the const of the variable itself, that of an array's elements included.
QualType assignable(const ASTContext &context, QualType type) {
  if (type->isArrayType()) {
    Qualifiers removed;
    return context.getUnqualifiedArrayType(type, removed);
  }
  type.removeLocalConst();
  return type.isConstQualified() ? type.getUnqualifiedType() : type;
}

/// A const of the variable itself that the text does not show: `using Fixed = const int;`.
bool hidesConst(const ASTContext &context, QualType type) {
  while (const ArrayType *array = context.getAsArrayType(type))
    type = array->getElementType();
  return type.isConstQualified() && !type.isLocalConstQualified();
}

std::optional<std::string> written(const Unit &unit, const VarDecl *variable, const std::string &declarator,
                                   bool keepConst) {
  if (!variable->getTypeSourceInfo())
    return std::nullopt;
  const QualType type = variable->getType();
  if (isDeduced(type) || (!keepConst && hidesConst(unit.context(), type))) {
    if (!isTheSameInAll(variable))
      return std::nullopt;
    return declareType(unit, keepConst ? type : assignable(unit.context(), type), declarator);
  }
  const TypeLoc written = variable->getTypeSourceInfo()->getTypeLoc();
  if (isa<ParmVarDecl>(variable) && isa<DecayedType>(type.getTypePtr())) // the text has it as an array
    return TypeWriter(unit).decayedTo(written, declarator);
  return TypeWriter(unit).write(written, declarator, !keepConst);
}

} // namespace

std::optional<std::string> declareAs(const Unit &unit, const VarDecl *variable,
                                     const std::string &declarator) {
  return written(unit, variable, declarator, false);
}

std::optional<std::string> redeclare(const Unit &unit, const VarDecl *variable,
                                     const std::string &declarator) {
  return written(unit, variable, declarator, true);
}

std::optional<std::string> declarePointerTo(const Unit &unit, const VarDecl *reference,
                                            const std::string &declarator) {
  if (!reference->getTypeSourceInfo() || !reference->getType()->isReferenceType())
    return std::nullopt;
  const QualType pointee = reference->getType()->getPointeeType();
  if (isDeduced(reference->getType()) || isDeduced(pointee))
    return isTheSameInAll(reference) ? declareType(unit, unit.context().getPointerType(pointee), declarator)
                                     : std::nullopt;
  auto type = reference->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getAs<ReferenceTypeLoc>();
  if (!type)
    return std::nullopt;
  return TypeWriter(unit).write(type.getPointeeLoc(),
                                TypeWriter::around(type.getPointeeLoc(), "*" + declarator));
}

std::optional<std::string> elementTypeOf(const Unit &unit, const VarDecl *array) {
  const QualType element = unit.context().getBaseElementType(array->getType()).getUnqualifiedType();
  if (isDeduced(array->getType()) || hidesConst(unit.context(), array->getType()))
    return isTheSameInAll(array) ? declareType(unit, element, "") : std::nullopt;
  if (!array->getTypeSourceInfo())
    return std::nullopt;
  const std::string location = "?";
  TypeLoc type = array->getTypeSourceInfo()->getTypeLoc();
  for (;;) {
    const TypeLoc plain = type.getUnqualifiedLoc();
    if (auto parens = plain.getAs<ParenTypeLoc>())
      type = parens.getInnerLoc();
    else if (auto level = plain.getAs<ArrayTypeLoc>())
      type = level.getElementLoc();
    else if (plain.getType()->isArrayType()) // `using Row = float[32];`
      return isTheSameInAll(array) ? declareType(unit, element, "") : std::nullopt;
    else
      break;
  }
  std::optional<std::string> text = TypeWriter(unit).write(type, location, true);
  if (!text || !llvm::StringRef(*text).ends_with(location))
    return std::nullopt;
  text->resize(llvm::StringRef(*text).drop_back(location.size()).rtrim().size());
  return text;
}

std::optional<std::string> declareType(const Unit &unit, QualType type, const std::string &declarator) {
  PrintingPolicy policy(unit.context().getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  policy.FullyQualifiedName = true;
  std::string text = declarator;
  TypeName::getFullyQualifiedType(type.getCanonicalType(), unit.context()).getAsStringInternal(text, policy);
  for (const char *nameless : {"(unnamed", "(lambda", "(anonymous"})
    if (text.find(nameless) != std::string::npos)
      return std::nullopt;
  return text;
}

} // namespace heddle::source
