// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/Pointers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecordLayout.h>

using namespace clang;

namespace heddle::analysis::walk {

int64_t bytesOf(QualType type, const ASTContext &context) {
  if (type.isNull() || type->isIncompleteType() || type->isDependentType() || type->isFunctionType())
    return 0;
  return context.getTypeSizeInChars(type.getNonReferenceType()).getQuantity();
}

Value moved(const PointerValue &pointer, const Affine &elements, const SourceLocation &location,
            const ASTContext &context) {
  PointerValue there = pointer;
  if (there.scalar)
    return {Affine::not_("a pointer", location), there, nullptr};
  there.inner = add(pointer.inner, elements, location);
  there.offset =
      add(pointer.offset, multiply(elements, Affine(bytesOf(pointer.pointee, context)), location), location);
  return {Affine::not_("a pointer", location), there, nullptr};
}

PointerValue viewedAs(PointerValue pointer, QualType pointee, const Expr *at, const source::Unit &unit) {
  if (unit.context().hasSameUnqualifiedType(pointee, pointer.pointee))
    return pointer;
  // The old subscripts mean nothing, the byte offset stays.
  pointer.outer.clear();
  pointer.pointee = pointee;
  int64_t size = bytesOf(pointee, unit.context());
  auto elements = pointer.offset && size ? pointer.offset->dividedBy(size) : std::nullopt;
  pointer.inner = elements ? Affine(*elements)
                           : Affine::not_(pointee->isVoidType() ? "the pointer is converted to 'void *'"
                                                                : "the pointer was cast to another type",
                                          unit.location(at));
  return pointer;
}

Value addressOf(const LValue &lvalue, QualType type, const source::Unit &unit) {
  SourceLocation location = lvalue.expression ? unit.location(lvalue.expression) : SourceLocation{};
  if (lvalue.kind == LValue::Kind::Variable) {
    PointerValue pointer{.array = nullptr, .pointee = type, .scalar = lvalue.variable};
    return {Affine::not_("a pointer", location), pointer, nullptr};
  }
  if (lvalue.kind == LValue::Kind::Unknown)
    return Value::unknown("address of something not followed", location);
  PointerValue pointer = lvalue.memory;
  // `&a[i]`: the last subscript is open again. The decay of `a[i]` to a row opens a new one.
  if (!pointer.outer.empty() && unit.context().hasSameUnqualifiedType(pointer.pointee, type)) {
    pointer.inner = pointer.outer.back();
    pointer.outer.pop_back();
  }
  pointer.pointee = type;
  return {Affine::not_("a pointer", location), pointer, nullptr};
}

LValue pointedAt(const Value &pointer, const Expr *at, ArrayTable &arrays, const source::Unit &unit) {
  if (!pointer.pointer) {
    SourceLocation location = unit.location(at);
    PointerValue anywhere{
        .array = arrays.unknown(pointer.integer ? "computed address" : pointer.integer.why().str()),
        .offset = Affine::not_("the pointer is not known", location),
        .inner = Affine::not_("the pointer is not known", location),
        .pointee = at->getType()};
    return {.kind = LValue::Kind::Memory, .memory = anywhere, .expression = at};
  }
  if (pointer.pointer->scalar)
    return {.kind = LValue::Kind::Variable, .variable = pointer.pointer->scalar, .expression = at};
  LValue location{.kind = LValue::Kind::Memory, .memory = *pointer.pointer, .expression = at};
  location.memory.outer.push_back(location.memory.inner);
  location.memory.inner = 0;
  return location;
}

LValue memberOf(LValue base, const FieldDecl *field, const Expr *at, const source::Unit &unit) {
  if (base.kind == LValue::Kind::Variable) {
    base.path += "." + field->getNameAsString();
    return base;
  }
  if (base.kind == LValue::Kind::Memory) {
    const RecordDecl *record = field->getParent();
    int64_t offset =
        record->isInvalidDecl() || field->isBitField()
            ? 0
            : int64_t(unit.context().getASTRecordLayout(record).getFieldOffset(field->getFieldIndex()) / 8);
    base.memory.offset = add(base.memory.offset, Affine(offset), unit.location(at));
    base.memory.pointee = field->getType();
  }
  return base;
}

} // namespace heddle::analysis::walk
