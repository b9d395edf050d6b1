// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer atomics in shared memory: a loop over the lanes, lowest first, as the handler has it (vm/ExecAtomic.cpp). One core
// executes a block, so nobody else accesses its shared memory meanwhile.
#include "jit/EmitAccess.h"

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

namespace {

Value *updated(llvm::IRBuilder<> &ir, const ptx::Instr &what, Value *old, Value *by) {
  const bool isSigned = ptx::isSigned(what.types[0]);
  switch (what.mods.atom) {
  case ptx::AtomOp::Add: return ir.CreateAdd(old, by);
  case ptx::AtomOp::And: return ir.CreateAnd(old, by);
  case ptx::AtomOp::Or: return ir.CreateOr(old, by);
  case ptx::AtomOp::Xor: return ir.CreateXor(old, by);
  case ptx::AtomOp::Min:
    return ir.CreateBinaryIntrinsic(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, old, by);
  case ptx::AtomOp::Max:
    return ir.CreateBinaryIntrinsic(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, old, by);
  default: return by; // exch
  }
}

/// Whether an operand that is not zero changes every cell.
bool changesByAny(ptx::AtomOp op) { return op == ptx::AtomOp::Add || op == ptx::AtomOp::Xor; }

} // namespace

/// The addresses were checked.
void FunctionEmitter::emitAtomics(uint32_t instr, const Access &access) {
  const ptx::Instr &what = program.function.instrs[instr];
  const unsigned width = registers.version.width, chunks = registers.version.chunks();
  const auto results = program.writes(instr);
  const bool isUsed = !results.empty() && liveBehind(instr)[results[0]];
  const bool knowsChange = changesByAny(what.mods.atom);
  llvm::Type *word = ir.getInt32Ty(), *pointer = ir.getInt64Ty();
  if (!atomicPlaces) {
    llvm::IRBuilderBase::InsertPointGuard back(ir);
    ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
    atomicPlaces = ir.CreateAlloca(llvm::ArrayType::get(pointer, vm::Lanes));
    atomicValues = ir.CreateAlloca(llvm::ArrayType::get(word, vm::Lanes));
  }
  // All lanes often have the same operand, such as 1; it is needed in memory only where others are, or results.
  const ptx::Operand &by = access.values.back();
  Value *common = nullptr;
  if (!by.isReg())
    common = llvm::ConstantInt::get(word, by.value);
  else if (shapes[by.index].isUniform())
    common = ir.CreateTrunc(registers.scalar(by.index, 0), word);
  llvm::SmallVector<Value *, 8> active, changing;
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    Value *at = pointerTo(access, addressOf(access, chunk, true), 0);
    ir.CreateAlignedStore(ir.CreatePtrToInt(at, registers.vectorType(pointer)),
                          ir.CreateConstGEP1_64(pointer, atomicPlaces, chunk * width), llvm::Align(8), true);
    Value *value = storedValue(access, unsigned(access.values.size()) - 1, chunk);
    if (!common)
      ir.CreateAlignedStore(value, ir.CreateConstGEP1_64(word, atomicValues, chunk * width), llvm::Align(4));
    changing.push_back(ir.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())));
    active.push_back(activeLanes(instr, chunk));
  }
  Value *all = active[0] ? registers.bitsOf(active) : ir.getInt32(vm::AllLanes);
  /// What one lane does; returns the bits that it changed.
  auto execute = [&](Value *lane) {
    Value *place = ir.CreateLoad(pointer, ir.CreateGEP(pointer, atomicPlaces, lane), true);
    Value *cell = ir.CreateIntToPtr(place, ir.getPtrTy()), *valueAt = ir.CreateGEP(word, atomicValues, lane);
    Value *old = ir.CreateLoad(word, cell);
    Value *next = updated(ir, what, old, common ? common : ir.CreateLoad(word, valueAt));
    ir.CreateStore(next, cell);
    if (isUsed)
      ir.CreateStore(old, valueAt);
    return ir.CreateXor(old, next);
  };
  Block before = ir.GetInsertBlock(), loop = newBlock("each"), end = newBlock("all");
  Value *changedByAll = nullptr;
  Block whole = nullptr;
  if (!registers.version.masked && !apart) { // mostly all lanes: one after the other, without a loop
    whole = newBlock("whole");
    ir.CreateCondBr(ir.CreateICmpEQ(all, ir.getInt32(vm::AllLanes)), whole, loop);
    ir.SetInsertPoint(whole);
    changedByAll = ir.getInt32(0);
    for (unsigned lane = 0; lane < vm::Lanes; ++lane) {
      Value *changed = execute(ir.getInt64(lane));
      if (!knowsChange)
        changedByAll = ir.CreateOr(changedByAll, changed);
    }
    ir.CreateBr(end);
  } else {
    ir.CreateBr(loop);
  }
  ir.SetInsertPoint(loop);
  llvm::PHINode *left = ir.CreatePHI(word, 2), *changed = ir.CreatePHI(word, 2);
  Value *lane = ir.CreateZExt(ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, ir.getTrue()), pointer);
  Value *differs = ir.CreateOr(changed, execute(lane));
  Value *rest = ir.CreateAnd(left, ir.CreateSub(left, ir.getInt32(1)));
  left->addIncoming(all, before), left->addIncoming(rest, loop);
  changed->addIncoming(ir.getInt32(0), before), changed->addIncoming(differs, loop);
  ir.CreateCondBr(ir.CreateICmpNE(rest, ir.getInt32(0)), loop, end);
  ir.SetInsertPoint(end);
  Value *change = differs;
  if (knowsChange) {
    change = ir.CreateAnd(registers.bitsOf(changing), all);
  } else if (whole) {
    llvm::PHINode *either = ir.CreatePHI(word, 2);
    either->addIncoming(differs, loop), either->addIncoming(changedByAll, whole);
    change = either;
  }
  auto count = [&](size_t offset, Value *more) {
    Value *at = registers.loadField(offset, ir.getPtrTy());
    ir.CreateStore(ir.CreateAdd(ir.CreateLoad(word, at), more), at);
  };
  count(offsetof(vm::CompiledState, polls), ir.getInt32(1));
  count(offsetof(vm::CompiledState, changes), ir.CreateZExt(ir.CreateICmpNE(change, ir.getInt32(0)), word));
  for (unsigned chunk = 0; isUsed && chunk < chunks; ++chunk)
    setGuarded(instr, results[0], chunk,
               ir.CreateAlignedLoad(registers.vectorType(word),
                                    ir.CreateConstGEP1_64(word, atomicValues, chunk * width),
                                    llvm::Align(4)));
}

} // namespace heddle::jit
