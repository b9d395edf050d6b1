// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/DeclaredType.h"

#include "source/Render.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/TypeLoc.h>

using namespace clang;

namespace heddle::transform {
namespace {

/// Writes a type around a declarator from the inside out, as C++ reads it.
class TypeWriter {
public:
  explicit TypeWriter(const source::Unit &unit) : unit(unit) {}

  std::optional<std::string> write(TypeLoc type, std::string declarator) const {
    std::string qualifiers;
    if (auto qualified = type.getAs<QualifiedTypeLoc>()) {
      qualifiers = qualified.getType().getLocalQualifiers().getAsString();
      type = qualified.getUnqualifiedLoc();
    }
    if (auto pointer = type.getAs<PointerTypeLoc>()) {
      TypeLoc pointee = pointer.getPointeeLoc();
      std::string inner = "*" + (qualifiers.empty() ? "" : qualifiers + " ") + declarator;
      bool needsParens = pointee.getUnqualifiedLoc().getAs<ArrayTypeLoc>() ||
                         pointee.getUnqualifiedLoc().getAs<FunctionTypeLoc>();
      return write(pointee, needsParens ? "(" + inner + ")" : inner);
    }
    if (auto reference = type.getAs<ReferenceTypeLoc>())
      return write(reference.getPointeeLoc(),
                   (type.getAs<RValueReferenceTypeLoc>() ? "&&" : "&") + declarator);
    if (auto array = type.getAs<ArrayTypeLoc>()) {
      if (!array.getSizeExpr())
        return std::nullopt;
      auto size = text(array.getSizeExpr()->getSourceRange());
      return size ? write(array.getElementLoc(), declarator + "[" + *size + "]") : std::nullopt;
    }
    if (auto parens = type.getAs<ParenTypeLoc>())
      return write(parens.getInnerLoc(), std::move(declarator));
    if (auto deduced = type.getAs<AutoTypeLoc>())
      return ofDeduced(deduced.getType(), qualifiers, std::move(declarator));
    auto base = text(type.getSourceRange());
    return base ? std::optional((qualifiers.empty() ? "" : qualifiers + " ") + *base + " " + declarator)
                : std::nullopt;
  }

  std::optional<std::string> ofDeduced(QualType type, const std::string &qualifiers,
                                       std::string declarator) const {
    PrintingPolicy policy(unit.context().getLangOpts());
    policy.SuppressTagKeyword = true;
    type.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsStringInternal(declarator,
                                                                                           policy);
    return (qualifiers.empty() ? "" : qualifiers + " ") + declarator;
  }

private:
  std::optional<std::string> text(SourceRange range) const {
    source::Rendered rendered = source::render(unit, range);
    auto *found = std::get_if<std::string>(&rendered);
    return found && !found->empty() ? std::optional(*found) : std::nullopt;
  }
  const source::Unit &unit;
};

std::optional<std::string> written(const source::Unit &unit, const VarDecl *variable,
                                   const std::string &declarator, bool keepConst) {
  if (!variable->getTypeSourceInfo())
    return std::nullopt;
  TypeLoc type = variable->getTypeSourceInfo()->getTypeLoc();
  bool isAuto = variable->getType()->getContainedAutoType() != nullptr;
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  if (isAuto && function && function->isTemplateInstantiation())
    return std::nullopt;
  if (isAuto) { // `auto *p` and `const auto x` are told by the whole type
    QualType whole = variable->getType();
    return TypeWriter(unit).ofDeduced(keepConst ? whole : whole.getUnqualifiedType(),
                                      keepConst && whole.isConstQualified() ? "const" : "", declarator);
  }
  if (!keepConst)
    type = type.getUnqualifiedLoc();
  return TypeWriter(unit).write(type, declarator);
}

} // namespace

std::optional<std::string> declareAs(const source::Unit &unit, const VarDecl *variable,
                                     const std::string &declarator) {
  return written(unit, variable, declarator, false);
}

std::optional<std::string> redeclare(const source::Unit &unit, const VarDecl *variable,
                                     const std::string &declarator) {
  return written(unit, variable, declarator, true);
}

} // namespace heddle::transform
