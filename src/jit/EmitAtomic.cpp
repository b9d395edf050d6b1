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

} // namespace

/// The addresses were checked.
void FunctionEmitter::emitAtomics(uint32_t instr, const Access &access) {
  const ptx::Instr &what = program.function.instrs[instr];
  const unsigned width = registers.version.width, chunks = registers.version.chunks();
  llvm::Type *word = ir.getInt32Ty(), *pointer = ir.getInt64Ty();
  if (!atomicPlaces) {
    llvm::IRBuilderBase::InsertPointGuard back(ir);
    ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
    atomicPlaces = ir.CreateAlloca(llvm::ArrayType::get(pointer, vm::Lanes));
    atomicValues = ir.CreateAlloca(llvm::ArrayType::get(word, vm::Lanes));
  }
  llvm::SmallVector<Value *, 8> active;
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    Value *at = pointerTo(access, addressOf(access, chunk, true), 0);
    ir.CreateAlignedStore(ir.CreatePtrToInt(at, registers.vectorType(pointer)),
                          ir.CreateConstGEP1_64(pointer, atomicPlaces, chunk * width), llvm::Align(8));
    ir.CreateAlignedStore(storedValue(access, unsigned(access.values.size()) - 1, chunk),
                          ir.CreateConstGEP1_64(word, atomicValues, chunk * width), llvm::Align(4));
    active.push_back(activeLanes(instr, chunk));
  }
  Value *all = active[0] ? registers.bitsOf(active) : ir.getInt32(vm::AllLanes);
  Block before = ir.GetInsertBlock(), loop = newBlock("each"), end = newBlock("all");
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  llvm::PHINode *left = ir.CreatePHI(word, 2), *changed = ir.CreatePHI(word, 2);
  Value *lane = ir.CreateZExt(ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, ir.getTrue()), pointer);
  Value *cell =
      ir.CreateIntToPtr(ir.CreateLoad(pointer, ir.CreateGEP(pointer, atomicPlaces, lane)), ir.getPtrTy());
  Value *valueAt = ir.CreateGEP(word, atomicValues, lane);
  Value *old = ir.CreateLoad(word, cell), *next = updated(ir, what, old, ir.CreateLoad(word, valueAt));
  ir.CreateStore(next, cell);
  ir.CreateStore(old, valueAt);
  Value *differs = ir.CreateOr(changed, ir.CreateXor(old, next));
  Value *rest = ir.CreateAnd(left, ir.CreateSub(left, ir.getInt32(1)));
  left->addIncoming(all, before), left->addIncoming(rest, loop);
  changed->addIncoming(ir.getInt32(0), before), changed->addIncoming(differs, loop);
  ir.CreateCondBr(ir.CreateICmpNE(rest, ir.getInt32(0)), loop, end);
  ir.SetInsertPoint(end);
  auto count = [&](size_t offset, Value *more) {
    Value *at = registers.loadField(offset, ir.getPtrTy());
    ir.CreateStore(ir.CreateAdd(ir.CreateLoad(word, at), more), at);
  };
  count(offsetof(vm::CompiledState, polls), ir.getInt32(1));
  count(offsetof(vm::CompiledState, changes), ir.CreateZExt(ir.CreateICmpNE(differs, ir.getInt32(0)), word));
  const auto results = program.writes(instr);
  for (unsigned chunk = 0; !results.empty() && chunk < chunks; ++chunk)
    setGuarded(instr, results[0], chunk,
               ir.CreateAlignedLoad(registers.vectorType(word),
                                    ir.CreateConstGEP1_64(word, atomicValues, chunk * width),
                                    llvm::Align(4)));
}

} // namespace heddle::jit
