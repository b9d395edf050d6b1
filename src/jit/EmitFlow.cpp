// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, exits and calls of handlers.
//
// A jump is followed in compiled code if nothing has to be decided at it: all lanes agree, the slice has budget left, no other split
// has to run first, and a loop is not due for the check whether it polls. Otherwise compiled code stops before the branch, and the
// interpreter executes it.
#include "jit/Emitter.h"
#include "vm/Frame.h"

#include <llvm/IR/MDBuilder.h>

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

// The weights of branches that are hardly ever taken.
constexpr uint32_t RareWeight = 1, UsualWeight = 4000;

void FunctionEmitter::branchRarely(Value *condition, Block rare, Block usual) {
  ir.CreateCondBr(condition, rare, usual,
                  llvm::MDBuilder(ir.getContext()).createBranchWeights(RareWeight, UsualWeight));
}

// --- exits

void FunctionEmitter::storeChanged(uint32_t instr, llvm::ArrayRef<uint32_t> except) {
  llvm::BitVector regs = partRegisters.changedBefore(instr);
  regs &= partRegisters.liveBefore(instr);
  for (uint32_t reg : except)
    regs.reset(reg);
  for (unsigned reg : regs.set_bits())
    registers.store(reg);
}

void FunctionEmitter::storeCounts(uint32_t instr, bool withCounted) {
  auto put = [&](size_t offset, Value *value) { ir.CreateStore(value, registers.field(offset)); };
  if (withCounted) {
    Value *more = ir.getInt64(program.ordinal(instr) - program.ordinal(now.first));
    put(offsetof(vm::CompiledState, counted), apart ? held(counted) : ir.CreateAdd(held(counted), more));
    if (!regions.empty()) {
      Value *all = held(apartCounted), *threads = held(apartThreads);
      put(offsetof(vm::CompiledState, apartCounted), apart ? ir.CreateAdd(all, more) : all);
      put(offsetof(vm::CompiledState, apartThreads),
          apart ? ir.CreateAdd(threads, ir.CreateMul(more, apartLanes)) : threads);
    }
  }
  put(offsetof(vm::CompiledState, spent),
      ir.CreateAdd(held(spent), ir.getInt32(program.firstInst(instr) - program.firstInst(now.first))));
  put(offsetof(vm::CompiledState, budget), held(budget));
  put(offsetof(vm::CompiledState, roundsLeft), held(rounds));
}

void FunctionEmitter::leaveAt(uint32_t instr, vm::CompiledExit why) {
  ir.CreateRet(ir.getInt64(uint64_t(program.firstInst(instr)) | uint64_t(why) << vm::CompiledExitShift));
}

FunctionEmitter::Block FunctionEmitter::exitBefore(uint32_t instr) {
  if (apart)
    return exitRegionBefore(instr);
  auto [it, isNew] = exits.try_emplace(instr, nullptr);
  if (!isNew)
    return it->second;
  llvm::IRBuilderBase::InsertPointGuard back(ir);
  Block exit = it->second = newBlock("exit");
  ir.SetInsertPoint(exit);
  storeChanged(instr, {});
  storeCounts(instr, true);
  leaveAt(instr, vm::CompiledExit::Interpret);
  return exit;
}

/// Where all lanes end, the next warp of the block begins, if that is asked for (vm/WholeWarps.cpp).
void FunctionEmitter::emitLeave(uint32_t instr) {
  const vm::Inst &in = program.inst(instr);
  Block exit = exitBefore(instr);
  const bool hasBegin = part.contains(0) && !program.entries.empty() && program.entries.front() == 0 &&
                        program.request.code.entryPc == program.firstInst(0);
  if (!in.endsThread || program.function.instrs[instr].guard || apart || registers.version.masked ||
      !hasBegin) {
    ir.CreateBr(exit);
    return;
  }
  using State = vm::CompiledState;
  Value *next = registers.loadField(offsetof(State, next), ir.getPtrTy());
  Block go = newBlock("warp");
  ir.CreateCondBr(ir.CreateICmpEQ(next, registers.loadField(offsetof(State, endOfNext), ir.getPtrTy())), exit,
                  go);
  ir.SetInsertPoint(go);
  auto put = [&](size_t offset, Value *value) { ir.CreateStore(value, registers.field(offset)); };
  for (auto [to, from] : {std::pair(offsetof(State, warp), offsetof(vm::CompiledWarp, warp)),
                          std::pair(offsetof(State, root), offsetof(vm::CompiledWarp, root)),
                          std::pair(offsetof(State, registers), offsetof(vm::CompiledWarp, registers)),
                          std::pair(offsetof(State, specials), offsetof(vm::CompiledWarp, specials)),
                          std::pair(offsetof(State, changes), offsetof(vm::CompiledWarp, changes)),
                          std::pair(offsetof(State, polls), offsetof(vm::CompiledWarp, polls))})
    put(to, ir.CreateLoad(ir.getPtrTy(), ir.CreateConstGEP1_64(ir.getInt8Ty(), next, from)));
  put(offsetof(State, next), ir.CreateConstGEP1_64(ir.getInt8Ty(), next, sizeof(vm::CompiledWarp)));
  put(offsetof(State, roundsCounted), ir.getInt32(vm::FirstLook));
  addTo(counted, ir.getInt64(program.ordinal(instr) - program.ordinal(now.first) + in.counts));
  ir.CreateStore(ir.getInt32(0), spent);
  ir.CreateStore(ir.getInt32(vm::WarpQuantum), budget);
  ir.CreateStore(ir.getInt32(vm::FirstLook), rounds);
  loadNeeded(0);
  ir.CreateBr(blockAt(0));
}

/// Where control goes to: another part is entered by the loop that entered this one.
FunctionEmitter::Block FunctionEmitter::blockAt(uint32_t instr) {
  if (part.contains(instr))
    return pieceBlocks.at(instr);
  Block &exit = partExits[instr];
  if (!exit)
    exit = newBlock("part");
  return exit;
}

void FunctionEmitter::emitPartExits() {
  for (const auto &[instr, exit] : partExits) {
    ir.SetInsertPoint(exit);
    now = {instr, instr}; // counts are complete
    storeChanged(instr, {});
    storeCounts(instr, true);
    // No observer has been notified of the block; the loop that called does that for what it executes itself.
    const bool isLeft = program.wayOf(instr) == Way::Leave && !program.request.observed.any();
    leaveAt(instr, isLeft ? vm::CompiledExit::Interpret : vm::CompiledExit::Part);
  }
}

// --- from block to block

/// On to the block behind `last`, which is no branch, or one that is not taken.
void FunctionEmitter::fallThrough(uint32_t last) {
  const uint32_t next = last + 1;
  if (next >= program.count()) { // unreachable: the last instruction of a function leaves it
    ir.CreateUnreachable();
    return;
  }
  addTo(counted, ir.getInt64(program.ordinal(next) - program.ordinal(now.first)));
  addTo(spent, ir.getInt32(program.firstInst(next) - program.firstInst(now.first)));
  const bool isInBlock = program.function.blockOf[next] == program.function.blockOf[last];
  if (!registers.version.masked || isInBlock) {
    ir.CreateBr(blockAt(next));
    return;
  }
  Block waits = newBlock("leader");
  branchRarely(ir.CreateICmpUGE(ir.getInt32(program.inst(next).order), orderLimit), waits, blockAt(next));
  ir.SetInsertPoint(waits);
  const Piece held = now;
  now = {next, next};
  storeChanged(next, {});
  storeCounts(next, true);
  now = held;
  leaveAt(next, vm::CompiledExit::Leader);
}

void FunctionEmitter::emitBranch(uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  const vm::Inst &in = program.inst(instr);
  const uint32_t target = program.operands(instr)[0].index;
  const vm::Inst &to = program.inst(target);
  Block stop = exitBefore(instr), take = newBlock("take"), skip = nullptr;
  if (what.guard) {
    skip = newBlock("skip");
    if (shapes[what.guard.reg].isUniform()) {
      ir.CreateCondBr(guardOf(instr, 0, false), take, skip);
    } else {
      Value *taken = guardedLanes(instr);
      Block some = newBlock("some");
      ir.CreateCondBr(ir.CreateICmpEQ(taken, registers.mask()), take, some);
      ir.SetInsertPoint(some);
      if (const Region *region = regions.behind(instr)) {
        Block apartFrom = newBlock("apart");
        ir.CreateCondBr(ir.CreateICmpNE(taken, ir.getInt32(0)), apartFrom, skip);
        ir.SetInsertPoint(apartFrom);
        enterRegion(instr, *region, taken);
      } else {
        branchRarely(ir.CreateICmpNE(taken, ir.getInt32(0)), stop, skip);
      }
    }
    ir.SetInsertPoint(skip);
    reportAgreed(instr, false);
    fallThrough(instr);
  } else {
    ir.CreateBr(take);
  }
  ir.SetInsertPoint(take);
  Value *now_ =
      ir.CreateAdd(held(spent), ir.getInt32(program.firstInst(instr) - program.firstInst(now.first) + 1));
  Value *decides = ir.CreateICmpUGE(now_, held(budget));
  const bool backward = to.order <= in.order;
  if (backward)
    decides = ir.CreateOr(decides, ir.CreateICmpULE(held(rounds), ir.getInt32(1)));
  if (registers.version.masked) {
    const uint32_t order = backward && to.loopEnd ? to.loopEnd : to.order;
    decides = ir.CreateOr(decides, ir.CreateICmpUGE(ir.getInt32(order), orderLimit));
  }
  Block go = newBlock("go");
  branchRarely(decides, stop, go);
  ir.SetInsertPoint(go);
  reportAgreed(instr, true);
  ir.CreateStore(ir.CreateSub(held(budget), now_), budget);
  ir.CreateStore(ir.getInt32(0), spent);
  ir.CreateStore(ir.CreateAdd(held(counted),
                              ir.getInt64(program.ordinal(instr) - program.ordinal(now.first) + in.counts)),
                 counted);
  if (backward)
    ir.CreateStore(ir.CreateSub(held(rounds), ir.getInt32(1)), rounds);
  ir.CreateBr(blockAt(target));
}

// --- handlers

/// Calls the handler with its operands in their rows, and takes its results from theirs. Returns the flow.
Value *FunctionEmitter::executeCall(uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  llvm::BitVector needed(unsigned(program.function.registers.size()));
  for (uint32_t reg : program.reads(instr))
    needed.set(reg);
  const auto written = program.writes(instr);
  for (uint32_t reg : written)
    needed.set(reg);
  if (what.guard)
    needed.set(what.guard.reg);
  needed &= partRegisters.changedBefore(instr);
  // A result that is not needed before may have no value yet.
  llvm::BitVector known = partRegisters.liveBefore(instr);
  needed &= known;
  for (unsigned reg : needed.set_bits())
    registers.store(reg);
  storeCounts(instr, true);
  Value *first = ir.getInt32(program.firstInst(instr)),
        *count = ir.getInt32(program.firstInst(instr + 1) - program.firstInst(instr));
  auto *type =
      llvm::FunctionType::get(ir.getInt32Ty(), {ir.getPtrTy(), ir.getInt32Ty(), ir.getInt32Ty()}, false);
  Value *execute = registers.loadField(offsetof(vm::CompiledState, execute), ir.getPtrTy());
  Value *mask = registers.field(offsetof(vm::CompiledState, mask));
  if (apart)
    ir.CreateStore(registers.mask(), mask);
  Value *flow = ir.CreateCall(type, execute, {state, first, count});
  if (apart)
    ir.CreateStore(registers.all(), mask);
  return flow;
}

/// After executeCall: on if the flow is Next, with the results.
void FunctionEmitter::exitAfterHandler(uint32_t instr, Value *flow) {
  Value *more64 = ir.getInt64(program.ordinal(instr) - program.ordinal(now.first));
  Block stop = newBlock("stopped"), usual = newBlock("next");
  branchRarely(ir.CreateICmpNE(flow, ir.getInt32(uint32_t(vm::Flow::Next))), stop, usual);
  ir.SetInsertPoint(stop);
  const auto written = program.writes(instr);
  if (program.wayOf(instr) != Way::Access &&
      program.wayOf(instr) !=
          Way::Atomic) // of which nothing but a fault comes, after which nobody reads registers
    storeChanged(instr, written);
  storeCounts(instr, false);
  Value *at = registers.loadField(offsetof(vm::CompiledState, stopped), ir.getInt32Ty());
  Value *more = registers.loadField(offsetof(vm::CompiledState, spent), ir.getInt32Ty());
  ir.CreateStore(ir.CreateAdd(more, ir.CreateSub(at, ir.getInt32(program.firstInst(instr)))),
                 registers.field(offsetof(vm::CompiledState, spent)));
  Value *why =
      ir.CreateAdd(ir.CreateZExt(flow, ir.getInt64Ty()), ir.getInt64(uint64_t(vm::CompiledExit::Handler)));
  Value *stoppedAt =
      ir.CreateOr(ir.CreateShl(why, vm::CompiledExitShift), ir.CreateZExt(at, ir.getInt64Ty()));
  if (apart)
    exitRegion(stoppedAt, handlerExit());
  else
    ir.CreateRet(stoppedAt);
  ir.SetInsertPoint(usual);
  for (uint32_t reg : written)
    registers.load(reg);
  // The handler has counted what was executed before, or not, if it had no lanes.
  auto take = [&](llvm::AllocaInst *to, size_t offset, Value *less) {
    Value *left = registers.loadField(offset, ir.getInt64Ty());
    ir.CreateStore(less ? ir.CreateSub(left, less) : left, to);
  };
  take(counted, offsetof(vm::CompiledState, counted), apart ? nullptr : more64);
  if (regions.empty())
    return;
  take(apartCounted, offsetof(vm::CompiledState, apartCounted), apart ? more64 : nullptr);
  take(apartThreads, offsetof(vm::CompiledState, apartThreads),
       apart ? ir.CreateMul(more64, apartLanes) : nullptr);
}

void FunctionEmitter::emitHandler(uint32_t instr) { exitAfterHandler(instr, executeCall(instr)); }

} // namespace heddle::jit
