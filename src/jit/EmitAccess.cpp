// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores.
//
// Addresses are compared with the range that the same instruction accessed last time (global memory) or with the size of the
// block's shared memory. If all lanes are inside and aligned, the elements are moved: one for all lanes, a vector where lanes are
// neighbours, else gathered or scattered. In every other case the interpreter's handler executes the instruction: it finds the
// range, or reports the fault. Accesses at constant distances from the same register are checked together (AccessGroups.h).
#include "jit/EmitAccess.h"

#include <cstddef>
#include <numeric>

namespace heddle::jit {

using llvm::Value;

Access FunctionEmitter::describe(uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  Access access{program.inst(instr), shapes.ofAddress(instr), {}};
  const vm::Inst &in = access.in;
  access.isStore = what.op == ptx::Op::St;
  access.isSigned = !access.isStore && ptx::isSigned(what.types[0]);
  auto operands = program.operands(instr);
  size_t address = 0;
  while (!operands[address].isAddress())
    ++address;
  if (operands[address].kind == ptx::OperandKind::AddrReg)
    access.reg = operands[address].index;
  // What is stored is next to the address; a cache policy may follow.
  const bool isLoad = what.op == ptx::Op::Ld || what.op == ptx::Op::Ldu;
  const ptx::Operand &value = operands[isLoad ? 0 : address + 1];
  auto elements =
      value.kind == ptx::OperandKind::Vector ? program.function.elementsOf(value) : std::span(&value, 1);
  access.values.assign(elements.begin(), elements.end());
  access.all = uint32_t(in.bytes) * in.elements;
  access.type = in.address == vm::AddressForm::Reg32 ? ir.getInt32Ty() : ir.getInt64Ty();
  access.isPartial = registers.isPartial() || (what.guard && !shapes[what.guard.reg].isUniform());
  if (access.address.isUniform() || isRegular(access)) {
    const int64_t last = access.address.stride * int64_t(comparedLanes(access) - 1);
    access.lowest = std::min(last, int64_t(0));
    access.between = uint64_t(std::abs(last));
  }
  return access;
}

/// The lanes whose addresses are compared together: those of a chunk, or all.
unsigned FunctionEmitter::comparedLanes(const Access &access) const {
  return access.address.isOneScalar() ? vm::Lanes : registers.version.width;
}

/// Emits the bounds; returns whether nothing at all is inside.
Value *FunctionEmitter::emitBounds(Access &access) {
  Value *all = ir.getInt64(access.all + access.between);
  if (access.in.space == vm::MemorySpace::Shared) {
    Value *bytes = registers.loadField(offsetof(vm::CompiledState, sharedBytes), ir.getInt64Ty());
    access.last = ir.CreateTrunc(ir.CreateSub(bytes, all), access.type);
    access.base = registers.loadField(offsetof(vm::CompiledState, shared), ir.getPtrTy());
    return ir.CreateICmpULT(bytes, all);
  }
  Value *ranges = registers.loadField(access.isStore ? offsetof(vm::CompiledState, stores)
                                                     : offsetof(vm::CompiledState, loads),
                                      ir.getPtrTy());
  Value *range =
      ir.CreateConstGEP1_64(ir.getInt8Ty(), ranges, uint64_t(access.in.site) * 2 * sizeof(uint64_t));
  access.begin = ir.CreateLoad(ir.getInt64Ty(), range);
  Value *end = ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstGEP1_64(ir.getInt64Ty(), range, 1));
  access.last = ir.CreateSub(end, all); // a range without addresses has an end, too (vm/Grid.h)
  return ir.getFalse();
}

/// The address of the first lane of a chunk, or the vector of a Varying one.
Value *FunctionEmitter::addressOf(const Access &access, unsigned chunk, bool asVector) {
  Value *offset = llvm::ConstantInt::get(access.type, uint64_t(access.in.imm), false, true);
  if (access.reg == ptx::kNone)
    return asVector ? registers.splat(offset) : offset;
  Value *from = asVector ? registers.vector(access.reg, chunk) : registers.scalar(access.reg, chunk);
  return ir.CreateAdd(from, asVector ? registers.splat(offset) : offset);
}

/// Whether the lanes of a chunk are at a constant distance, all of them active.
bool FunctionEmitter::isRegular(const Access &access) const {
  return !access.isPartial && access.address.kind == Shape::Affine && access.address.stride % access.all == 0;
}

/// Whether something is outside, or not aligned. For the first of a group, of all its accesses; the others use its result.
Value *FunctionEmitter::emitCheck(uint32_t instr, Access &access) {
  const AccessGroup *group = groups.of(instr);
  Value *wrong = emitBounds(access);
  if (group && instr != group->first)
    return groupChecks.at(group->first);
  const bool isOne = access.address.isUniform() || (isRegular(access) && access.address.isOneScalar());
  for (unsigned chunk = 0; chunk < (isOne ? 1 : registers.version.chunks()); ++chunk)
    wrong = ir.CreateOr(wrong, emitOutside(instr, access, chunk));
  if (group)
    groupChecks[instr] = wrong;
  return wrong;
}

Value *FunctionEmitter::emitOutside(uint32_t instr, const Access &access, unsigned chunk) {
  auto isOutside = [&](Value *at) {
    auto bound = [&](Value *value) { return at->getType()->isVectorTy() ? registers.splat(value) : value; };
    Value *behind = ir.CreateICmpUGT(at, bound(access.last));
    return access.begin ? ir.CreateOr(ir.CreateICmpULT(at, bound(access.begin)), behind) : behind;
  };
  auto isMisaligned = [&](Value *at) {
    Value *low = ir.CreateAnd(at, llvm::ConstantInt::get(at->getType(), access.all - 1));
    return ir.CreateICmpNE(low, llvm::Constant::getNullValue(at->getType()));
  };
  const bool isScalar = access.address.isUniform() || isRegular(access); // others are aligned if the first is
  Value *at = addressOf(access, chunk, !isScalar), *from = at;
  if (access.lowest) {
    Value *by = llvm::ConstantInt::getSigned(access.type, access.lowest);
    from = ir.CreateAdd(at, isScalar ? by : registers.splat(by));
  }
  Value *wrong = ir.CreateOr(isOutside(from), isMisaligned(at));
  if (isScalar)
    return wrong;
  if (Value *lanes = activeLanes(instr, chunk))
    wrong = ir.CreateAnd(wrong, lanes);
  return ir.CreateICmpNE(ir.CreateBitCast(wrong, ir.getIntNTy(registers.version.width)),
                         ir.getIntN(registers.version.width, 0));
}

/// Lanes of a chunk for which a guarded or masked instruction is executed; nullptr: all.
Value *FunctionEmitter::activeLanes(uint32_t instr, unsigned chunk) {
  const ptx::Guard &guard = program.function.instrs[instr].guard;
  const bool isVarying = guard && !shapes[guard.reg].isUniform();
  Value *lanes = registers.isPartial() ? registers.laneMask(chunk) : nullptr;
  if (!isVarying)
    return lanes;
  Value *holds = guardOf(instr, chunk, true);
  return lanes ? ir.CreateAnd(lanes, holds) : holds;
}

Value *FunctionEmitter::pointerTo(const Access &access, Value *at, int64_t offset) {
  if (!access.base) { // global addresses are those of the host
    if (offset)
      at = ir.CreateAdd(at, llvm::ConstantInt::getSigned(at->getType(), offset));
    llvm::Type *pointer = ir.getPtrTy();
    return ir.CreateIntToPtr(at, at->getType()->isVectorTy() ? registers.vectorType(pointer) : pointer);
  }
  Value *base = offset ? ir.CreateConstGEP1_64(ir.getInt8Ty(), access.base, uint64_t(offset)) : access.base;
  if (at->getType()->isVectorTy()) // inside of shared memory, so not negative
    return ir.CreateGEP(ir.getInt8Ty(), base, ir.CreateSExt(at, registers.vectorType(ir.getInt64Ty())));
  return ir.CreateGEP(ir.getInt8Ty(), base, ir.CreateZExt(at, ir.getInt64Ty()));
}

// --- loads

Value *FunctionEmitter::loadElement(uint32_t instr, const Access &access, unsigned chunk, unsigned element) {
  llvm::Type *type = ir.getIntNTy(access.in.bytes * 8u);
  const unsigned width = registers.version.width, offset = element * access.in.bytes;
  const llvm::Align alignment(access.in.bytes);
  if (access.address.isUniform() || (isRegular(access) && access.address.stride == 0))
    return ir.CreateAlignedLoad(type, pointerTo(access, addressOf(access, chunk, false), offset), alignment);
  if (isRegular(access) && access.address.stride == int64_t(access.all)) {
    auto *whole = llvm::FixedVectorType::get(type, width * access.in.elements);
    Value *values =
        ir.CreateAlignedLoad(whole, pointerTo(access, addressOf(access, chunk, false), 0), alignment);
    if (access.in.elements == 1)
      return values;
    llvm::SmallVector<int, 16> places;
    for (unsigned lane = 0; lane < width; ++lane)
      places.push_back(int(lane * access.in.elements + element));
    return ir.CreateShuffleVector(values, places);
  }
  if (isRegular(access))
    return loadEach(type, alignment, [&](unsigned lane) {
      Value *first = addressOf(access, chunk, false);
      Value *step = llvm::ConstantInt::getSigned(access.type, int64_t(lane) * access.address.stride);
      return pointerTo(access, ir.CreateAdd(first, step), offset);
    });
  storeAddresses(instr, access, chunk, offset);
  return loadEach(type, alignment, [&](unsigned lane) { return storedAddress(lane); });
}

/// What lanes read that are off. Zeros, since processors take long to compute with denormal numbers, which anything else may be.
Value *FunctionEmitter::zerosInMemory() {
  if (!zeros) {
    llvm::IRBuilderBase::InsertPointGuard back(ir);
    ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
    zeros = ir.CreateAlloca(llvm::FixedVectorType::get(ir.getInt64Ty(), 2));
    ir.CreateStore(llvm::Constant::getNullValue(zeros->getAllocatedType()), zeros, true);
  }
  return zeros;
}

/// Puts the addresses of lanes of a chunk into memory.
void FunctionEmitter::storeAddresses(uint32_t instr, const Access &access, unsigned chunk, int64_t offset) {
  llvm::Type *whole = registers.vectorType(ir.getInt64Ty());
  Value *at = ir.CreatePtrToInt(pointerTo(access, addressOf(access, chunk, true), offset), whole);
  if (Value *lanes = activeLanes(instr, chunk))
    at = ir.CreateSelect(lanes, at, registers.splat(ir.CreatePtrToInt(zerosInMemory(), ir.getInt64Ty())));
  if (!addressesInMemory) {
    llvm::IRBuilderBase::InsertPointGuard back(ir);
    ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
    addressesInMemory = ir.CreateAlloca(whole);
  }
  ir.CreateStore(at, addressesInMemory, true);
}

Value *FunctionEmitter::storedAddress(unsigned lane) {
  Value *from = ir.CreateConstGEP1_64(ir.getInt64Ty(), addressesInMemory, lane);
  return ir.CreateIntToPtr(ir.CreateLoad(ir.getInt64Ty(), from, true), ir.getPtrTy());
}

/// One load per lane. Gather instructions of many processors take longer, some (those that are protected against gather
/// data sampling) several times as long; so addresses are taken from memory one by one, where they were stored as a vector.
Value *FunctionEmitter::loadEach(llvm::Type *type, llvm::Align alignment,
                                 llvm::function_ref<Value *(unsigned)> pointer) {
  Value *all = llvm::PoisonValue::get(registers.vectorType(type));
  for (unsigned lane = 0; lane < registers.version.width; ++lane)
    all = ir.CreateInsertElement(all, ir.CreateAlignedLoad(type, pointer(lane), alignment), lane);
  return all;
}

/// Loads that are neighbours in memory, lane by lane: one load of all for each lane, then columns of what was loaded.
void FunctionEmitter::loadNeighbours(uint32_t instr, const Access &access, const Neighbours &all) {
  const unsigned count = unsigned(all.loads.size()), width = registers.version.width;
  llvm::Type *type = ir.getIntNTy(access.in.bytes * 8u);
  auto *row = llvm::FixedVectorType::get(type, count);
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk) {
    storeAddresses(instr, access, chunk, all.imm - access.in.imm);
    // Of each `count` lanes, the first are in one vector, the second in the next, and so on.
    llvm::SmallVector<llvm::SmallVector<Value *, 8>, 4> rows(count);
    for (unsigned lane = 0; lane < width; ++lane)
      rows[lane % count].push_back(
          ir.CreateAlignedLoad(row, storedAddress(lane), llvm::Align(access.in.bytes)));
    llvm::SmallVector<Value *, 4> parts;
    for (auto &each : rows)
      parts.push_back(joined(each));
    const llvm::SmallVector<Value *, 4> columns = transposed(parts);
    for (unsigned i = 0; i < count; ++i)
      ir.CreateStore(columns[i], neighbourHome(all.loads[i], chunk));
  }
}

/// Squares of as many rows as there are vectors, side by side in them, are transposed.
llvm::SmallVector<Value *, 4> FunctionEmitter::transposed(llvm::ArrayRef<Value *> rows) {
  const int count = int(rows.size()), width = int(registers.version.width);
  auto mixed = [&](Value *a, Value *b, llvm::ArrayRef<int> places) { // places from count on: of b
    llvm::SmallVector<int, 16> all;
    for (int begin = 0; begin < width; begin += count)
      for (int place : places)
        all.push_back(place < count ? begin + place : width + begin + place - count);
    return ir.CreateShuffleVector(a, b, all);
  };
  if (count == 2)
    return {mixed(rows[0], rows[1], {0, 2}), mixed(rows[0], rows[1], {1, 3})};
  Value *low01 = mixed(rows[0], rows[1], {0, 4, 1, 5}), *high01 = mixed(rows[0], rows[1], {2, 6, 3, 7}),
        *low23 = mixed(rows[2], rows[3], {0, 4, 1, 5}), *high23 = mixed(rows[2], rows[3], {2, 6, 3, 7});
  return {mixed(low01, low23, {0, 1, 4, 5}), mixed(low01, low23, {2, 3, 6, 7}),
          mixed(high01, high23, {0, 1, 4, 5}), mixed(high01, high23, {2, 3, 6, 7})};
}

/// Where the value of a load is that was loaded with the first of its neighbours. Only if addresses were good.
llvm::AllocaInst *FunctionEmitter::neighbourHome(uint32_t load, unsigned chunk) {
  auto &homes = neighbourHomes[load];
  if (homes.empty()) {
    llvm::IRBuilderBase::InsertPointGuard back(ir);
    ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
    for (unsigned i = 0; i < registers.version.chunks(); ++i)
      homes.push_back(ir.CreateAlloca(registers.vectorType(ir.getIntNTy(program.inst(load).bytes * 8u))));
  }
  return homes[chunk];
}

void FunctionEmitter::emitLoads(uint32_t instr, const Access &access) {
  const bool isOneByOne = !access.address.isUniform() && !isRegular(access);
  // With an observer, the handler may execute the load at which all would be loaded.
  const Neighbours *neighbours = isOneByOne && !isReported(access) ? groups.neighboursOf(instr) : nullptr;
  if (neighbours && neighbours->first == instr)
    loadNeighbours(instr, access, *neighbours);
  // All elements are loaded before any is set: the address may be in one of the results.
  std::vector<llvm::SmallVector<Value *, 4>> loaded(access.values.size());
  for (unsigned element = 0; element < access.values.size(); ++element) {
    if (!access.values[element].isReg())
      continue;
    const unsigned bits = program.bitsOf(access.values[element].index);
    for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk) {
      if (access.address.isUniform() && chunk > 0) {
        loaded[element].push_back(loaded[element][0]);
        continue;
      }
      Value *value =
          neighbours ? held(neighbourHome(instr, chunk)) : loadElement(instr, access, chunk, element);
      llvm::Type *to = ir.getIntNTy(bits);
      if (value->getType()->isVectorTy())
        to = registers.vectorType(to);
      loaded[element].push_back(access.isSigned ? ir.CreateSExt(value, to) : ir.CreateZExt(value, to));
    }
  }
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
    for (unsigned element = 0; element < access.values.size(); ++element)
      if (const ptx::Operand &to = access.values[element]; to.isReg())
        if (chunk == 0 || !shapes[to.index].isUniform())
          setGuarded(instr, to.index, chunk, loaded[element][chunk]);
}

// --- stores

Value *FunctionEmitter::storedValue(const Access &access, unsigned element, unsigned chunk) {
  const ptx::Operand &from = access.values[element];
  llvm::Type *type = ir.getIntNTy(access.in.bytes * 8u);
  if (!from.isReg())
    return registers.splat(llvm::ConstantInt::get(type, from.value, false, true));
  return ir.CreateTrunc(registers.vector(from.index, chunk), registers.vectorType(type));
}

/// a0 b0 a1 b1...
static Value *interleave(llvm::IRBuilder<> &ir, Value *a, Value *b) {
  const auto width = int(llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements());
  llvm::SmallVector<int, 32> places;
  for (int lane = 0; lane < width; ++lane)
    places.push_back(lane), places.push_back(width + lane);
  return ir.CreateShuffleVector(a, b, places);
}

void FunctionEmitter::emitStores(uint32_t instr, const Access &access) {
  const unsigned chunks = registers.version.chunks(), width = registers.version.width;
  const unsigned elements = unsigned(access.values.size());
  const llvm::Align alignment(access.in.bytes);
  const bool isSame = !access.isPartial && access.address.isSameInChunk() &&
                      (access.address.isUniform() || isRegular(access));
  const bool isContiguous = isRegular(access) && access.address.stride == int64_t(access.all) &&
                            (elements == 1 || elements == 2 || elements == 4);
  if (isContiguous) {
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      Value *value = storedValue(access, 0, chunk);
      if (elements == 2)
        value = interleave(ir, value, storedValue(access, 1, chunk));
      if (elements == 4)
        value = interleave(ir, interleave(ir, value, storedValue(access, 2, chunk)),
                           interleave(ir, storedValue(access, 1, chunk), storedValue(access, 3, chunk)));
      ir.CreateAlignedStore(value, pointerTo(access, addressOf(access, chunk, false), 0), alignment);
    }
    return;
  }
  for (unsigned element = 0; element < elements; ++element) {
    if (access.values[element].kind == ptx::OperandKind::Sink)
      continue;
    // Of lanes with one address, the last remains.
    for (unsigned chunk = isSame && access.address.isUniform() ? chunks - 1 : 0; chunk < chunks; ++chunk) {
      Value *value = storedValue(access, element, chunk);
      const unsigned offset = element * access.in.bytes;
      if (isSame) {
        ir.CreateAlignedStore(ir.CreateExtractElement(value, width - 1),
                              pointerTo(access, addressOf(access, chunk, false), offset), alignment);
        continue;
      }
      Value *lanes = activeLanes(instr, chunk);
      ir.CreateMaskedScatter(value, pointerTo(access, addressOf(access, chunk, true), offset), alignment,
                             lanes ? lanes
                                   : llvm::Constant::getAllOnesValue(registers.vectorType(ir.getInt1Ty())));
    }
  }
}

// --- all of it

/// A parameter of the kernel: the offset was checked when the instruction was lowered.
void FunctionEmitter::emitParameter(uint32_t instr, Access &access) {
  Value *from = registers.loadField(offsetof(vm::CompiledState, parameters), ir.getInt64Ty());
  access.base = ir.CreateIntToPtr(from, ir.getPtrTy());
  emitLoads(instr, access);
}

void FunctionEmitter::emitAccess(uint32_t instr) {
  const ptx::Guard &guard = program.function.instrs[instr].guard;
  Access access = describe(instr);
  if (const AccessGroup *group = groups.of(instr)) {
    access.lowest += group->lowest - access.in.imm;
    access.between += uint64_t(group->highest - group->lowest);
  }
  if (access.in.address == vm::AddressForm::Parameters) {
    emitParameter(instr, access);
    return;
  }
  Block done = newBlock("done");
  if (guard) {
    Value *some = nullptr;
    if (shapes[guard.reg].isUniform()) {
      some = guardOf(instr, 0, false);
    } else {
      llvm::SmallVector<Value *, 8> lanes;
      for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
        lanes.push_back(activeLanes(instr, chunk));
      some = ir.CreateICmpNE(registers.bitsOf(lanes), ir.getInt32(0));
    }
    Block body = newBlock("guarded");
    ir.CreateCondBr(some, body, done);
    ir.SetInsertPoint(body);
  }
  Value *wrong = emitCheck(instr, access);
  Block unusual = newBlock("unusual"), usual = newBlock("usual");
  branchRarely(wrong, unusual, usual);
  ir.SetInsertPoint(usual);
  reportAccess(instr, access, unusual);
  if (program.wayOf(instr) == Way::Atomic) {
    emitAtomics(instr, access);
  } else if (access.isStore) {
    emitStores(instr, access);
    Value *changes = registers.loadField(offsetof(vm::CompiledState, changes), ir.getPtrTy());
    ir.CreateStore(ir.CreateAdd(ir.CreateLoad(ir.getInt32Ty(), changes), ir.getInt32(1)), changes);
  } else {
    emitLoads(instr, access);
  }
  ir.CreateBr(done);
  ir.SetInsertPoint(unusual);
  exitAfterHandler(instr, executeCall(instr));
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

} // namespace heddle::jit
