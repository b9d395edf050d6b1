// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of regions that lanes go through separately (Regions.h).
//
// For each block there is a mask of the lanes that wait at it. A block takes those, executes its instructions for them, and adds them
// to the masks of the blocks behind it; then comes the next block in the order that has any. Budget and counts are those that
// the interpreter has: it changes from one split to another where lanes disagree about a branch, and where they reach a block
// that others wait at, or have to pass others; each change costs one instruction of the budget.
#include "jit/Emitter.h"

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

struct FunctionEmitter::RegionCode {
  const Region &region;
  std::map<uint32_t, llvm::AllocaInst *> waiting; ///< by block
  std::map<uint32_t, llvm::AllocaInst *>
      rounds;                           ///< of lanes that wait, the least; empty if all have the same
  std::map<uint32_t, Block> starts;     ///< by block
  std::vector<Block> steps;             ///< the last: all lanes are at the join
  std::map<uint32_t, Block> exits;      ///< by instruction
  Block exit = nullptr, tail = nullptr; ///< stores registers; only masks
};

FunctionEmitter::FunctionEmitter(llvm::Module &inside, const Program &given, const Part &which,
                                 const Shapes &found, Version version)
    : program(given), part(which), partRegisters(given, part), shapes(found), module(inside),
      ir(inside.getContext()), registers(ir, given, found, version),
      regions(given, found, part, partRegisters) {}

FunctionEmitter::~FunctionEmitter() = default;

void FunctionEmitter::addTo(llvm::AllocaInst *to, Value *number) {
  ir.CreateStore(ir.CreateAdd(held(to), number), to);
}

FunctionEmitter::RegionCode &FunctionEmitter::codeOf(const Region &region) {
  auto &code = regionCodes[&region];
  if (code)
    return *code;
  code.reset(new RegionCode{region, {}, {}, {}, {}, {}});
  llvm::IRBuilderBase::InsertPointGuard back(ir);
  ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
  for (uint32_t b : region.blocks) {
    code->waiting[b] = ir.CreateAlloca(ir.getInt32Ty());
    code->starts[b] = newBlock("lanes");
  }
  code->waiting[region.join] = ir.CreateAlloca(ir.getInt32Ty());
  if (region.jumpsBack)
    for (const auto &[block, waiting] : code->waiting)
      code->rounds[block] = ir.CreateAlloca(ir.getInt32Ty());
  for (size_t i = 0; i <= region.steps.size(); ++i)
    code->steps.push_back(newBlock("step"));
  code->starts[region.join] = code->steps.back();
  code->exit = newBlock("exit");
  code->tail = newBlock("tail");
  return *code;
}

void FunctionEmitter::addWaiting(uint32_t block, Value *lanes) {
  llvm::AllocaInst *at = apart->waiting.at(block);
  ir.CreateStore(ir.CreateOr(held(at), lanes), at);
  if (apart->rounds.empty())
    return;
  llvm::AllocaInst *left = apart->rounds.at(block);
  ir.CreateStore(ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, held(left), held(rounds)), left);
}

/// Takes the lanes that wait at a block. They reconverge: see vm::Split::absorb.
Value *FunctionEmitter::takeWaiting(uint32_t block) {
  llvm::AllocaInst *at = apart->waiting.at(block);
  Value *lanes = held(at);
  ir.CreateStore(ir.getInt32(0), at);
  if (!apart->rounds.empty()) {
    llvm::AllocaInst *left = apart->rounds.at(block);
    ir.CreateStore(held(left), rounds);
    ir.CreateStore(ir.getInt32(~0u), left);
  }
  return lanes;
}

/// From a branch of the usual code about which lanes disagree.
void FunctionEmitter::enterRegion(uint32_t instr, const Region &region, Value *taken) {
  RegionCode &code = codeOf(region);
  Value *decides = ir.CreateICmpEQ(held(budget), ir.getInt32(0));
  if (registers.version.masked)
    decides = ir.CreateOr(decides, ir.CreateICmpUGE(ir.getInt32(region.highest), orderLimit));
  Block go = newBlock("go");
  branchRarely(decides, exitBefore(instr), go);
  ir.SetInsertPoint(go);
  reportDivergent(instr, taken);
  addTo(budget, ir.getInt32(~0u));
  ir.CreateStore(ir.getInt32(0), spent);
  addTo(counted,
        ir.getInt64(program.ordinal(instr) - program.ordinal(now.first) + program.inst(instr).counts));
  for (const auto &[block, waiting] : code.waiting)
    ir.CreateStore(ir.getInt32(0), waiting);
  for (const auto &[block, left] : code.rounds)
    ir.CreateStore(ir.getInt32(~0u), left);
  const auto &blockOf = program.function.blockOf;
  apart = &code;
  addWaiting(blockOf[program.operands(instr)[0].index], taken);
  addWaiting(blockOf[instr + 1], ir.CreateAnd(registers.mask(), ir.CreateNot(taken)));
  apart = nullptr;
  const uint32_t from = blockOf[instr];
  ir.CreateBr(code.steps[region.contains(from) ? region.stepAfter(from) : 0]);
}

void FunctionEmitter::emitRegion(RegionCode &code) {
  apart = &code;
  const Region &region = code.region;
  for (size_t i = 0; i < region.steps.size(); ++i) {
    const uint32_t block = region.steps[i].block;
    ir.SetInsertPoint(code.steps[i]);
    ir.CreateCondBr(ir.CreateICmpNE(held(code.waiting.at(block)), ir.getInt32(0)), code.starts.at(block),
                    code.steps[i + 1]);
  }
  ir.SetInsertPoint(code.steps.back());
  takeWaiting(region.join);
  ir.CreateBr(blockAt(program.function.blocks[region.join].first));
  for (uint32_t block : region.blocks) {
    ir.SetInsertPoint(code.starts.at(block));
    Value *lanes = takeWaiting(block);
    registers.restrictTo(lanes, &region.kept);
    apartLanes = ir.CreateZExt(ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes), ir.getInt64Ty());
    emitPiece({program.function.blocks[block].first, program.function.blocks[block].end});
  }
  registers.restrictTo(nullptr, nullptr);
  emitRegionExits(code);
  apart = nullptr;
}

// --- from block to block

/// Lanes that wait where the lanes of a block go to, or that have to run before they continue from there.
Value *FunctionEmitter::othersBefore(uint32_t from, uint32_t to) {
  const Region &region = apart->region;
  Value *others = held(apart->waiting.at(to));
  const unsigned end = region.stepOf(program, from, to);
  for (unsigned i = region.stepAfter(from); i < end; ++i)
    others = ir.CreateOr(others, held(apart->waiting.at(region.steps[i].block)));
  return ir.CreateICmpNE(others, ir.getInt32(0));
}

void FunctionEmitter::countApart(uint64_t instructions) {
  addTo(apartCounted, ir.getInt64(instructions));
  addTo(apartThreads, ir.CreateMul(ir.getInt64(instructions), apartLanes));
}

void FunctionEmitter::fallThroughInRegion(uint32_t last) {
  const uint32_t next = last + 1, from = program.function.blockOf[last], to = program.function.blockOf[next];
  countApart(program.ordinal(next) - program.ordinal(now.first));
  Block wait = newBlock("wait"), straight = newBlock("straight"), change = newBlock("change"),
        stop = newBlock("leader");
  ir.CreateCondBr(othersBefore(from, to), wait, straight);
  ir.SetInsertPoint(straight);
  addTo(spent, ir.getInt32(program.firstInst(next) - program.firstInst(now.first)));
  addWaiting(to, registers.mask());
  ir.CreateBr(apart->starts.at(to));
  ir.SetInsertPoint(wait);
  branchRarely(ir.CreateICmpEQ(held(budget), ir.getInt32(0)), stop, change);
  ir.SetInsertPoint(change);
  addTo(budget, ir.getInt32(~0u));
  ir.CreateStore(ir.getInt32(0), spent);
  addWaiting(to, registers.mask());
  ir.CreateBr(apart->steps[apart->region.stepAfter(from)]);
  ir.SetInsertPoint(stop);
  addTo(spent, ir.getInt32(program.firstInst(next) - program.firstInst(now.first)));
  exitRegion(ir.getInt64(uint64_t(program.firstInst(next)) | uint64_t(vm::CompiledExit::Leader)
                                                                 << vm::CompiledExitShift),
             apart->exit);
}

void FunctionEmitter::emitRegionBranch(uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  const vm::Inst &in = program.inst(instr);
  const auto &blockOf = program.function.blockOf;
  const uint32_t target = program.operands(instr)[0].index, from = blockOf[instr], to = blockOf[target];
  const uint64_t count = program.ordinal(instr) - program.ordinal(now.first) + in.counts;
  Block stop = exitBefore(instr), take = newBlock("take"), next = apart->steps[apart->region.stepAfter(from)];
  if (!what.guard) {
    ir.CreateBr(take);
  } else {
    Block skip = newBlock("skip");
    if (shapes[what.guard.reg].isUniform()) {
      ir.CreateCondBr(guardOf(instr, 0, false), take, skip);
    } else {
      Value *taken = guardedLanes(instr);
      Block some = newBlock("some"), both = newBlock("both"), go = newBlock("go");
      ir.CreateCondBr(ir.CreateICmpEQ(taken, registers.mask()), take, some);
      ir.SetInsertPoint(some);
      ir.CreateCondBr(ir.CreateICmpNE(taken, ir.getInt32(0)), both, skip);
      ir.SetInsertPoint(both);
      branchRarely(ir.CreateICmpEQ(held(budget), ir.getInt32(0)), stop, go);
      ir.SetInsertPoint(go);
      reportDivergent(instr, taken);
      addTo(budget, ir.getInt32(~0u));
      ir.CreateStore(ir.getInt32(0), spent);
      countApart(count);
      addWaiting(to, taken);
      addWaiting(blockOf[instr + 1], ir.CreateAnd(registers.mask(), ir.CreateNot(taken)));
      ir.CreateBr(next);
    }
    ir.SetInsertPoint(skip);
    reportAgreed(instr, false);
    fallThroughInRegion(instr);
  }
  ir.SetInsertPoint(take);
  const bool backward = program.inst(target).order <= in.order;
  Value *used =
      ir.CreateAdd(held(spent), ir.getInt32(program.firstInst(instr) - program.firstInst(now.first) + 1));
  Value *decides = ir.CreateICmpUGE(used, held(budget));
  if (backward)
    decides = ir.CreateOr(decides, ir.CreateICmpULE(held(rounds), ir.getInt32(1)));
  Block go = newBlock("go");
  branchRarely(decides, stop, go);
  ir.SetInsertPoint(go);
  reportAgreed(instr, true);
  Value *changes = othersBefore(from, to);
  countApart(count);
  if (backward)
    addTo(rounds, ir.getInt32(~0u));
  addWaiting(to, registers.mask());
  ir.CreateStore(ir.CreateSub(ir.CreateSub(held(budget), used), ir.CreateZExt(changes, ir.getInt32Ty())),
                 budget);
  ir.CreateStore(ir.getInt32(0), spent);
  ir.CreateCondBr(changes, next, apart->starts.at(to));
}

// --- exits

/// Leaves compiled code by one of the exits of the region.
void FunctionEmitter::exitRegion(Value *where, Block exit) {
  ir.CreateStore(where, result);
  ir.CreateStore(registers.mask(), here);
  ir.CreateBr(exit);
}

FunctionEmitter::Block FunctionEmitter::handlerExit() { return apart->tail; }

FunctionEmitter::Block FunctionEmitter::exitRegionBefore(uint32_t instr) {
  auto [it, isNew] = apart->exits.try_emplace(instr, nullptr);
  if (!isNew)
    return it->second;
  llvm::IRBuilderBase::InsertPointGuard back(ir);
  Block exit = it->second = newBlock("exit");
  ir.SetInsertPoint(exit);
  countApart(program.ordinal(instr) - program.ordinal(now.first));
  addTo(spent, ir.getInt32(program.firstInst(instr) - program.firstInst(now.first)));
  exitRegion(ir.getInt64(program.firstInst(instr)), apart->exit);
  return exit;
}

void FunctionEmitter::emitRegionExits(RegionCode &code) {
  ir.SetInsertPoint(code.exit);
  for (unsigned reg : code.region.stored.set_bits())
    registers.store(reg);
  apart = nullptr; // counts are complete
  now = {0, 0};
  storeCounts(0, true);
  ir.CreateBr(code.tail);
  ir.SetInsertPoint(code.tail);
  ir.CreateStore(held(here), registers.field(offsetof(vm::CompiledState, here)));
  ir.CreateStore(ir.getInt32(uint32_t(code.waiting.size())),
                 registers.field(offsetof(vm::CompiledState, apartCount)));
  size_t at = offsetof(vm::CompiledState, apart);
  for (const auto &[block, waiting] : code.waiting) {
    using Apart = vm::CompiledState::Apart;
    auto put = [&](size_t offset, Value *value) { ir.CreateStore(value, registers.field(at + offset)); };
    put(offsetof(Apart, mask), held(waiting));
    put(offsetof(Apart, pc), ir.getInt32(program.firstInst(program.function.blocks[block].first)));
    put(offsetof(Apart, roundsLeft), held(code.rounds.empty() ? rounds : code.rounds.at(block)));
    at += sizeof(Apart);
  }
  ir.CreateRet(held(result));
}

} // namespace heddle::jit
