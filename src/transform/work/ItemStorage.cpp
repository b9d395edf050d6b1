// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable of which each item keeps one becomes an array. Its elements are variables of the same type that
// are assigned their first value, where that cannot be distinguished from one that begins with it; addresses, for a
// reference; else room in which an object is constructed.
#include "transform/work/WorkSteps.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {
namespace {

bool hasConstMember(const CXXRecordDecl *record) {
  return std::ranges::any_of(record->fields(), [](const FieldDecl *field) {
    const QualType type = field->getType();
    const CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return type.isConstQualified() || type->isReferenceType() ||
           type->getBaseElementTypeUnsafe()->isReferenceType() || (inner && hasConstMember(inner));
  });
}

/// Nothing distinguishes an object that is made and assigned to from one that is made with its value.
bool isPlainObject(const CXXRecordDecl *record, bool isConst) {
  const CXXConstructorDecl *byDefault = nullptr;
  for (const CXXConstructorDecl *each : record->ctors())
    if (each->isDefaultConstructor() && !each->isDeleted())
      byDefault = each;
  const bool isMadeFreely = record->hasTrivialDefaultConstructor() ||
                            (byDefault && byDefault->isConstexpr() && byDefault->getAccess() == AS_public);
  const bool isAssigned = record->hasSimpleCopyAssignment() || record->hasSimpleMoveAssignment() ||
                          !record->hasUserDeclaredCopyAssignment();
  const bool asksForConst =
      isConst && std::ranges::any_of(record->methods(), [](const CXXMethodDecl *method) {
        return !method->isImplicit() && !isa<CXXConstructorDecl>(method) && !method->isConst() &&
               !method->isStatic();
      });
  return isMadeFreely && isAssigned && record->isTriviallyCopyable() && !hasConstMember(record) &&
         !asksForConst;
}

/// A reference to what is there anyway, not to a temporary object that it keeps alive.
bool isBoundToAPlace(const VarDecl *reference) {
  const Expr *value = reference->getInit();
  return value && value->isLValue() && !isa<ExprWithCleanups, MaterializeTemporaryExpr>(value) &&
         reference->getType()->isLValueReferenceType();
}

} // namespace

std::variant<ItemStorage, Diagnostic> storageOf(const ItemVariable &entry, const WorkQuestion &question) {
  const VarDecl *variable = entry.variable;
  const SourceLocation where = question.location(
      entry.declaredBy ? entry.declaredBy->statement : question.facts.kernel->function->getBody());
  const std::string name = variable->getNameAsString();
  const QualType type = variable->getType();
  if (type->isReferenceType()) {
    if (isBoundToAPlace(variable))
      return ItemStorage::Pointers;
    return legalityFailure(
        where, "the reference '{}' is used on both sides of a barrier and keeps a temporary object alive",
        name);
  }
  const CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!record || isPlainObject(record, type.isConstQualified()))
    return ItemStorage::Elements;
  if (!record->hasTrivialDestructor())
    return legalityFailure(
               where,
               "'{}' is live across a barrier and has a destructor: in an array of one object for each "
               "thread it would not run where the thread's own does",
               name)
        .withHint("end its lifetime before the barrier, in a block of its own");
  if (type->isArrayType())
    return legalityFailure(
        where,
        "the array '{}' is live across a barrier, and an array of a class with constructors "
        "of its own is not expanded to one for each thread",
        name);
  if (!entry.declaredBy)
    return legalityFailure(
        where, "the parameter '{}' is live across a barrier, and copying it may have effects", name);
  return ItemStorage::Slots;
}

} // namespace heddle::transform
