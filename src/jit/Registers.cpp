// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Registers.h"

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

Registers::Registers(llvm::IRBuilder<> &builder, const Program &given, const Shapes &found, Version which)
    : version(which), ir(builder), program(given), shapes(found) {}

Value *Registers::field(size_t offset) { return ir.CreateConstGEP1_64(ir.getInt8Ty(), state, offset); }

llvm::Type *Registers::elementType(uint32_t reg) const { return ir.getIntNTy(program.bitsOf(reg)); }
llvm::Type *Registers::vectorType(llvm::Type *element) const {
  return llvm::FixedVectorType::get(element, version.width);
}

void Registers::begin(Value *given, const llvm::BitVector &mentioned) {
  state = given;
  homes.resize(program.function.registers.size());
  for (unsigned reg : mentioned.set_bits())
    if (program.isHeld(reg))
      homesOf(reg);
  maskBits = version.masked ? loadField(offsetof(vm::CompiledState, mask), ir.getInt32Ty())
                            : ir.getInt32(vm::AllLanes);
  if (version.masked)
    firstLane =
        ir.CreateZExt(loadField(offsetof(vm::CompiledState, firstLane), ir.getInt32Ty()), ir.getInt64Ty());
  for (unsigned chunk = 0; chunk < version.chunks(); ++chunk)
    masks.push_back(chunkOf(maskBits, chunk));
  allBits = maskBits, allFirst = firstLane, allMasks = masks;
}

const Registers::Homes &Registers::homesOf(uint32_t reg) {
  Homes &found = homes[reg];
  if (!found.empty())
    return found;
  llvm::IRBuilderBase::InsertPointGuard back(ir);
  llvm::BasicBlock &start = ir.GetInsertBlock()->getParent()->getEntryBlock();
  ir.SetInsertPoint(&start, start.getFirstNonPHIOrDbgOrAlloca());
  llvm::Type *element = elementType(reg);
  const unsigned count = shapes[reg].isOneScalar() ? 1 : version.chunks();
  for (unsigned i = 0; i < count; ++i)
    found.push_back(ir.CreateAlloca(shapes[reg].isScalar() ? element : vectorType(element)));
  return found;
}

void Registers::restrictTo(Value *lanes, const llvm::BitVector *kept) {
  isRestricted = lanes;
  keptRegisters = kept;
  maskBits = allBits, firstLane = allFirst, masks = allMasks;
  if (!lanes)
    return;
  maskBits = lanes;
  firstLane =
      ir.CreateZExt(ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, ir.getTrue()), ir.getInt64Ty());
  for (unsigned chunk = 0; chunk < version.chunks(); ++chunk)
    masks[chunk] = chunkOf(lanes, chunk);
}

Value *Registers::laneMask(unsigned chunk) { return masks[chunk]; }

Value *Registers::bitsOf(llvm::ArrayRef<Value *> chunks) {
  Value *all = ir.getInt32(0);
  for (unsigned chunk = 0; chunk < chunks.size(); ++chunk) {
    Value *bits =
        ir.CreateZExt(ir.CreateBitCast(chunks[chunk], ir.getIntNTy(version.width)), ir.getInt32Ty());
    all = ir.CreateOr(all, ir.CreateShl(bits, chunk * version.width));
  }
  return all;
}

Value *Registers::chunkOf(Value *bits, unsigned chunk) {
  Value *part = ir.CreateTrunc(ir.CreateLShr(bits, chunk * version.width), ir.getIntNTy(version.width));
  return ir.CreateBitCast(part, vectorType(ir.getInt1Ty()));
}

Value *Registers::splat(Value *scalar) { return ir.CreateVectorSplat(version.width, scalar); }

Value *Registers::ofChunk(Value *first, Shape shape, unsigned chunk) {
  const int64_t further = shape.stride * int64_t(version.width) * chunk;
  return further ? ir.CreateAdd(first, llvm::ConstantInt::getSigned(first->getType(), further)) : first;
}

Value *Registers::spread(Value *base, int64_t stride) {
  if (stride == 0)
    return splat(base);
  llvm::SmallVector<llvm::Constant *, 16> steps;
  for (unsigned lane = 0; lane < version.width; ++lane)
    steps.push_back(llvm::ConstantInt::get(base->getType(), uint64_t(int64_t(lane) * stride), false, true));
  return ir.CreateAdd(splat(base), llvm::ConstantVector::get(steps));
}

Value *Registers::scalar(uint32_t reg, unsigned chunk) {
  const bool isOne = shapes[reg].isOneScalar();
  llvm::AllocaInst *home = homesOf(reg)[isOne ? 0 : chunk];
  Value *held = ir.CreateLoad(home->getAllocatedType(), home);
  return isOne ? ofChunk(held, shapes[reg], chunk) : held;
}

Value *Registers::vector(uint32_t reg, unsigned chunk) {
  Value *value = scalar(reg, chunk);
  return shapes[reg].isScalar() ? spread(value, shapes[reg].stride) : value;
}

void Registers::set(uint32_t reg, unsigned chunk, Value *value) {
  if (!shapes[reg].isScalar() && !value->getType()->isVectorTy())
    value = splat(value);
  if (chunk > 0 && shapes[reg].isOneScalar())
    return;
  llvm::AllocaInst *home = homesOf(reg)[chunk];
  if (isRestricted && !shapes[reg].isScalar() && keptRegisters->test(reg))
    value = ir.CreateSelect(laneMask(chunk), value, ir.CreateLoad(home->getAllocatedType(), home));
  ir.CreateStore(value, home);
}

llvm::SmallVector<Value *, 4> Registers::values(uint32_t reg) {
  llvm::SmallVector<Value *, 4> all;
  for (llvm::AllocaInst *home : homesOf(reg))
    all.push_back(ir.CreateLoad(home->getAllocatedType(), home));
  return all;
}

void Registers::putBack(uint32_t reg, llvm::ArrayRef<Value *> values) {
  for (auto [home, value] : llvm::zip(homesOf(reg), values))
    ir.CreateStore(value, home);
}

Value *Registers::rowAt(uint32_t reg, unsigned chunk) {
  const uint64_t bytes = program.bitsOf(reg) / 8 * version.width * chunk;
  Value *rows = loadField(offsetof(vm::CompiledState, registers), ir.getPtrTy()); // of the warp that runs
  return ir.CreateConstGEP1_64(ir.getInt8Ty(), rows, program.request.registers[reg] + bytes);
}

/// The first lane in a chunk that is on, where a scalar for the chunk is read from a row: what is in the row for lanes that are off
/// may be older. The first of all for what is one scalar for the warp. 0 if there is none.
Value *Registers::firstLaneOf(uint32_t reg, unsigned chunk) {
  if (!isPartial())
    return ir.getInt64(0);
  if (shapes[reg].isOneScalar())
    return firstLane;
  Value *bits = ir.CreateTrunc(ir.CreateLShr(maskBits, chunk * version.width), ir.getIntNTy(version.width));
  Value *first = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, ir.getFalse());
  Value *isOff = ir.CreateICmpEQ(bits, llvm::Constant::getNullValue(bits->getType()));
  return ir.CreateSelect(isOff, ir.getInt64(0), ir.CreateZExt(first, ir.getInt64Ty()));
}

void Registers::load(uint32_t reg) {
  if (!program.isHeld(reg))
    return;
  llvm::Type *element = elementType(reg);
  if (program.bitsOf(reg) == 1) {
    Value *bits = ir.CreateLoad(ir.getInt32Ty(), rowAt(reg, 0));
    for (unsigned chunk = 0; chunk < homesOf(reg).size(); ++chunk)
      if (shapes[reg].isUniform())
        set(reg, chunk, ir.CreateICmpNE(ir.CreateAnd(bits, maskBits), ir.getInt32(0)));
      else if (shapes[reg].isScalar())
        set(reg, chunk,
            ir.CreateTrunc(ir.CreateLShr(ir.CreateLShr(bits, chunk * version.width),
                                         ir.CreateTrunc(firstLaneOf(reg, chunk), ir.getInt32Ty())),
                           ir.getInt1Ty()));
      else
        set(reg, chunk, chunkOf(bits, chunk));
    return;
  }
  for (unsigned chunk = 0; chunk < homesOf(reg).size(); ++chunk) {
    Value *at = rowAt(reg, chunk);
    if (!shapes[reg].isScalar()) {
      set(reg, chunk, ir.CreateAlignedLoad(vectorType(element), at, llvm::Align(program.bitsOf(reg) / 8)));
      continue;
    }
    Value *lane = firstLaneOf(reg, chunk), *value = ir.CreateLoad(element, ir.CreateGEP(element, at, lane));
    if (shapes[reg].stride) {
      Value *step = llvm::ConstantInt::getSigned(element, shapes[reg].stride);
      value = ir.CreateSub(value, ir.CreateMul(ir.CreateZExtOrTrunc(lane, element), step));
    }
    set(reg, chunk, value);
  }
}

Value *Registers::predicateBits(uint32_t reg) {
  if (shapes[reg].isUniform())
    return ir.CreateSExt(scalar(reg, 0), ir.getInt32Ty());
  llvm::SmallVector<Value *, 8> chunks;
  for (unsigned chunk = 0; chunk < version.chunks(); ++chunk)
    chunks.push_back(vector(reg, chunk));
  return bitsOf(chunks);
}

void Registers::store(uint32_t reg) {
  if (!program.isHeld(reg))
    return;
  if (program.bitsOf(reg) == 1) {
    Value *bits = predicateBits(reg), *at = rowAt(reg, 0);
    if (isPartial())
      bits = ir.CreateOr(ir.CreateAnd(ir.CreateLoad(ir.getInt32Ty(), at), ir.CreateNot(maskBits)),
                         ir.CreateAnd(bits, maskBits));
    ir.CreateStore(bits, at);
    return;
  }
  const llvm::Align alignment(program.bitsOf(reg) / 8);
  for (unsigned chunk = 0; chunk < version.chunks(); ++chunk) {
    Value *value = vector(reg, chunk), *at = rowAt(reg, chunk);
    if (isPartial())
      ir.CreateMaskedStore(value, at, alignment, laneMask(chunk));
    else
      ir.CreateAlignedStore(value, at, alignment);
  }
}

} // namespace heddle::jit
