// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code reports to an observer (vm/CompiledEvents.cpp): entries of basic blocks, branches, accesses.
#include "jit/EmitAccess.h"

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

void FunctionEmitter::increment(size_t field, uint32_t index) {
  Value *counts = registers.loadField(field, ir.getPtrTy());
  Value *at = ir.CreateConstGEP1_64(ir.getInt64Ty(), counts, index);
  ir.CreateStore(ir.CreateAdd(ir.CreateLoad(ir.getInt64Ty(), at), ir.getInt64(1)), at);
}

/// Calls one of the functions of the state with it and these numbers.
Value *FunctionEmitter::callBack(size_t field, llvm::Type *result, llvm::ArrayRef<Value *> numbers) {
  llvm::SmallVector<llvm::Type *, 6> types{ir.getPtrTy()};
  llvm::SmallVector<Value *, 6> arguments{state};
  for (Value *number : numbers) {
    types.push_back(number->getType());
    arguments.push_back(number);
  }
  auto *type = llvm::FunctionType::get(result, types, false);
  return ir.CreateCall(type, registers.loadField(field, ir.getPtrTy()), arguments);
}

void FunctionEmitter::reportBlock(uint32_t first) {
  const vm::Inst &leader = program.inst(first);
  if (!program.request.observed.blocks || !leader.leader)
    return;
  const uint32_t block = program.code.codeBlock[program.firstInst(first)];
  if (!registers.isPartial())
    increment(offsetof(vm::CompiledState, enteredBlocks), block);
  else
    callBack(offsetof(vm::CompiledState, noteBlock), ir.getVoidTy(), {ir.getInt32(block), registers.mask()});
}

void FunctionEmitter::callForBranch(uint32_t instr, Value *taken) {
  callBack(offsetof(vm::CompiledState, noteBranch), ir.getVoidTy(),
           {ir.getInt32(program.firstInst(instr)), registers.mask(), taken});
}

/// A branch is executed, and its lanes agree.
void FunctionEmitter::reportAgreed(uint32_t instr, bool isTaken) {
  if (program.request.observed.blocks)
    increment(offsetof(vm::CompiledState, agreedBranches), program.inst(instr).site);
  ifWatched(instr, [&] { callForBranch(instr, isTaken ? registers.mask() : ir.getInt32(0)); });
}

void FunctionEmitter::reportDivergent(uint32_t instr, Value *taken) {
  if (program.request.observed.blocks)
    callForBranch(instr, taken);
  ifWatched(instr, [&] { callForBranch(instr, taken); });
}

/// Emits the call for a branch that the observer asked for.
void FunctionEmitter::ifWatched(uint32_t instr, llvm::function_ref<void()> call) {
  if (!program.request.observed.someBranches)
    return;
  Value *watched = registers.loadField(offsetof(vm::CompiledState, watchedBranches), ir.getPtrTy());
  Value *isWatched =
      ir.CreateLoad(ir.getInt8Ty(), ir.CreateConstGEP1_64(ir.getInt8Ty(), watched, program.inst(instr).site));
  Block report = newBlock("report"), on = newBlock("on");
  ir.CreateCondBr(ir.CreateICmpNE(isWatched, ir.getInt8(0)), report, on);
  ir.SetInsertPoint(report);
  call();
  ir.CreateBr(on);
  ir.SetInsertPoint(on);
}

bool FunctionEmitter::isReported(const Access &access) const {
  const vm::Observed &observed = program.request.observed;
  switch (access.in.space) {
  case vm::MemorySpace::Shared: return observed.sharedMemory;
  case vm::MemorySpace::Global:
  case vm::MemorySpace::Generic: return observed.globalMemory;
  case vm::MemorySpace::Constant: return observed.blocks; // what was loaded may be wanted
  default: return false;
  }
}

/// Notes a load by groups, if there is room, and goes on at `noted`; else goes on here.
void FunctionEmitter::noteLoad(uint32_t instr, uint32_t kind, const Access &access, unsigned groups,
                               Block noted) {
  const size_t notes = kind & vm::SharedAccess ? offsetof(vm::CompiledState, sharedLoads)
                                               : offsetof(vm::CompiledState, globalLoads);
  const size_t next = notes + offsetof(vm::LoadNotes, next);
  Value *at = registers.loadField(next, ir.getPtrTy());
  Value *end = registers.loadField(notes + offsetof(vm::LoadNotes, end), ir.getPtrTy());
  Block note = newBlock("note"), call = newBlock("call");
  branchRarely(ir.CreateICmpUGE(at, end), call, note);
  ir.SetInsertPoint(note);
  auto put = [&](unsigned word, Value *value) {
    ir.CreateAlignedStore(value, ir.CreateConstGEP1_64(ir.getInt64Ty(), at, word), llvm::Align(8));
  };
  const uint64_t first = program.firstInst(instr) |
                         uint64_t(groups) << (8 * offsetof(vm::NotedLoad, groups)) |
                         uint64_t(kind) << (8 * offsetof(vm::NotedLoad, kind));
  put(0, ir.getInt64(first));
  put(1, ir.getInt64(uint64_t(access.address.stride)));
  for (unsigned group = 0; group < groups; ++group)
    put(vm::NotedLoadWords + group, ir.CreateZExt(addressOf(access, group, false), ir.getInt64Ty()));
  ir.CreateStore(ir.CreateConstGEP1_64(ir.getInt64Ty(), at, vm::NotedLoadWords + groups),
                 registers.field(next));
  ir.CreateBr(noted);
  ir.SetInsertPoint(call);
}

/// Reports an access that is about to be executed; on to `unusual` if its handler has to do both.
void FunctionEmitter::reportAccess(uint32_t instr, const Access &access, Block unusual) {
  if (!isReported(access))
    return;
  const unsigned chunks = registers.version.chunks(), width = registers.version.width;
  auto put = [&](Value *value, unsigned index) {
    ir.CreateAlignedStore(
        value, registers.field(offsetof(vm::CompiledState, addresses) + size_t(index) * sizeof(uint64_t)),
        llvm::Align(8));
  };
  const bool isSame = !access.isPartial && access.address.isUniform();
  const vm::MemorySpace space = access.in.space;
  const uint32_t kind =
      (access.isStore ? vm::StoreAccess : 0u) | (space == vm::MemorySpace::Shared     ? vm::SharedAccess
                                                 : space == vm::MemorySpace::Constant ? vm::ConstantAccess
                                                                                      : 0u);
  Block on = newBlock("reported");
  unsigned groups = 0;
  Value *mask = ir.getInt32(vm::AllLanes);
  const int64_t distance = access.address.stride;
  if (isSame || (isRegular(access) && distance == int32_t(distance))) {
    groups = access.address.isOneScalar() ? 1 : chunks;
    if (program.wayOf(instr) == Way::Access && !access.isStore)
      noteLoad(instr, kind, access, groups, on);
    for (unsigned group = 0; group < groups; ++group)
      put(ir.CreateZExt(addressOf(access, group, false), ir.getInt64Ty()), group);
  } else {
    llvm::SmallVector<Value *, 8> active;
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      put(ir.CreateZExt(addressOf(access, chunk, true), registers.vectorType(ir.getInt64Ty())),
          chunk * width);
      active.push_back(activeLanes(instr, chunk));
    }
    if (active[0])
      mask = registers.bitsOf(active);
  }
  Value *isTaken = callBack(offsetof(vm::CompiledState, noteAccess), ir.getInt32Ty(),
                            {ir.getInt32(program.firstInst(instr)), mask, ir.getInt32(kind),
                             ir.getInt32(groups), ir.getInt32(groups ? uint32_t(distance) : 0)});
  branchRarely(ir.CreateICmpEQ(isTaken, ir.getInt32(0)), unusual, on);
  ir.SetInsertPoint(on);
}

} // namespace heddle::jit
