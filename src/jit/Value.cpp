// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Value.h"

namespace heddle::jit {

namespace {
llvm::Type *hostFormat(llvm::LLVMContext &context, unsigned bits) {
  return bits == 64 ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
}
llvm::Type *integerLike(llvm::Type *shape, unsigned bits) {
  return withElement(shape, llvm::IntegerType::get(shape->getContext(), bits));
}
llvm::Type *realLike(llvm::Type *shape, unsigned bits) {
  return withElement(shape, hostFormat(shape->getContext(), bits));
}
} // namespace

llvm::Type *withElement(llvm::Type *shape, llvm::Type *element) {
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(shape))
    return llvm::VectorType::get(element, vector->getElementCount());
  return element;
}

llvm::Value *Term::in(llvm::Type *type) const {
  if (value)
    return value;
  // A negative number has more bits than the type.
  llvm::APInt bits(64, number);
  return llvm::ConstantInt::get(type, bits.sextOrTrunc(type->getScalarSizeInBits()));
}

Bits Bits::resized(unsigned bits, bool isSigned) const {
  llvm::Type *to = integerLike(type(), bits);
  return {*ir, isSigned ? ir->CreateSExtOrTrunc(held, to) : ir->CreateZExtOrTrunc(held, to)};
}

Real Bits::real() const { return {*ir, ir->CreateBitCast(held, realLike(type(), width()))}; }

Bits Bits::halves() const {
  unsigned lanes = 1;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type()))
    lanes = vector->getNumElements();
  llvm::Type *half = llvm::IntegerType::get(ir->getContext(), width() / 2);
  return as(llvm::FixedVectorType::get(half, 2 * lanes));
}

Bits Real::bits() const { return {*ir, ir->CreateBitCast(held, integerLike(type(), width()))}; }

Real Real::resized(unsigned bits) const {
  if (bits == width())
    return *this;
  llvm::Type *to = realLike(type(), bits);
  return {*ir, bits > width() ? ir->CreateFPExt(held, to) : ir->CreateFPTrunc(held, to)};
}

Bits Real::toInteger(unsigned bits, bool isSigned) const {
  llvm::Type *to = integerLike(type(), bits);
  return {*ir, isSigned ? ir->CreateFPToSI(held, to) : ir->CreateFPToUI(held, to)};
}

Real toReal(const Bits &value, unsigned width, bool isSigned) {
  llvm::IRBuilderBase &ir = value.builder();
  llvm::Type *to = realLike(value.type(), width);
  return {ir, isSigned ? ir.CreateSIToFP(value.value(), to) : ir.CreateUIToFP(value.value(), to)};
}

} // namespace heddle::jit
