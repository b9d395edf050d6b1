// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a Code, mostly all of it, becomes one function: a switch over its entries, each of which loads the registers that are needed from there on, and the
// blocks of the code. The 32 lanes of a register are several vectors of the host (chunks). Operations that follow each
// other are emitted chunk by chunk, not instruction by instruction, so that their intermediate results stay in vector registers
// of the host, of which there are far fewer than a warp of values needs.
#include "jit/Emitter.h"

#include "jit/LooseNaNs.h"
#include "jit/Operations.h"

#include <cstddef>

namespace heddle::jit {

using llvm::Value;

/// Scalars of a run of operations, computed with its first chunk. Later chunks must not read registers for them: an operation
/// behind may have changed those.
struct RunCache {
  const LooseNaNs &nans;
  llvm::SmallVector<Value *, 8> nanLanes;                   ///< of f64 values, by chunk
  Value *hasNaN = nullptr;                                  ///< of those that all lanes have in common
  std::map<uint32_t, llvm::SmallVector<Value *, 4>> before; ///< of registers that it changes
  std::map<std::pair<uint32_t, unsigned>, Value *>
      sources; ///< by instruction and operand; operand ~0: the guard
  std::map<uint32_t, llvm::SmallVector<Value *, 2>> results;

  Value *once(uint32_t instr, unsigned operand, llvm::function_ref<Value *()> make) {
    auto [it, isNew] = sources.try_emplace({instr, operand}, nullptr);
    if (isNew)
      it->second = make();
    return it->second;
  }
};

llvm::Function *FunctionEmitter::emit(llvm::StringRef name) {
  auto *type = llvm::FunctionType::get(ir.getInt64Ty(), {ir.getPtrTy(), ir.getInt32Ty()}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  state = function->getArg(0);
  ir.SetInsertPoint(newBlock("start"));
  registers.begin(state, partRegisters.mentioned());
  for (auto *each : {&counted, &apartCounted, &apartThreads, &result})
    *each = ir.CreateAlloca(ir.getInt64Ty());
  for (auto *each : {&spent, &budget, &rounds, &here})
    *each = ir.CreateAlloca(ir.getInt32Ty());
  auto take = [&](llvm::AllocaInst *to, size_t offset) {
    ir.CreateStore(registers.loadField(offset, ir.getInt32Ty()), to);
  };
  for (auto *each : {counted, apartCounted, apartThreads})
    ir.CreateStore(ir.getInt64(0), each);
  take(spent, offsetof(vm::CompiledState, spent));
  take(budget, offsetof(vm::CompiledState, budget));
  take(rounds, offsetof(vm::CompiledState, roundsLeft));
  orderLimit = registers.loadField(offsetof(vm::CompiledState, orderLimit), ir.getInt32Ty());

  std::vector<Piece> pieces;
  for (const ptx::Block &block : program.function.blocks) {
    uint32_t first = std::max(block.first, part.first);
    const uint32_t end = std::min(block.end, part.end);
    for (uint32_t i = first; i < end; ++i)
      if (program.wayOf(i) == Way::Leave) {
        pieces.push_back({first, i + 1});
        first = i + 1;
      }
    if (first < end)
      pieces.push_back({first, end});
  }
  for (const Piece &piece : pieces)
    pieceBlocks[piece.first] = newBlock("piece");
  emitEntries(function->getArg(1));
  for (const Piece &piece : pieces) {
    ir.SetInsertPoint(blockAt(piece.first));
    emitPiece(piece);
  }
  for (auto &[region, code] : regionCodes)
    emitRegion(*code);
  emitPartExits();
  return function;
}

void FunctionEmitter::emitEntries(Value *number) {
  Block none = newBlock("none");
  llvm::SwitchInst *choice = ir.CreateSwitch(number, none, unsigned(program.entries.size()));
  ir.SetInsertPoint(none);
  ir.CreateUnreachable();
  for (uint32_t i = 0; i < program.entries.size(); ++i) {
    const uint32_t at = program.entries[i];
    if (!part.contains(at))
      continue;
    Block entry = newBlock("entry");
    choice->addCase(ir.getInt32(i), entry);
    ir.SetInsertPoint(entry);
    loadNeeded(at);
    ir.CreateBr(blockAt(at));
  }
}

/// What is read from an entry on.
void FunctionEmitter::loadNeeded(uint32_t instr) {
  llvm::BitVector needed = program.liveBefore(instr);
  needed &= partRegisters.mentioned();
  for (unsigned reg : needed.set_bits())
    registers.load(reg);
}

void FunctionEmitter::emitPiece(const Piece &piece) {
  now = piece;
  reportBlock(piece.first);
  groups = AccessGroups(program, piece.first, piece.end);
  groupChecks.clear();
  anyFloats = looseFloats(program, piece.first, piece.end, liveBehind(piece.end - 1));
  for (uint32_t i = piece.first; i < piece.end;) {
    switch (program.wayOf(i)) {
    case Way::Operation: {
      uint32_t end = i + 1;
      if (shapes.mayWrap(i))
        emitNoWrapCheck(i);
      else
        while (end < piece.end && program.wayOf(end) == Way::Operation && !shapes.mayWrap(end))
          ++end;
      emitOperations(i, end);
      i = end;
      continue;
    }
    case Way::Access:
    case Way::Atomic: emitAccess(i); break;
    case Way::Exchange: emitExchange(i); break;
    case Way::Handler: emitHandler(i); break;
    case Way::Branch: apart ? emitRegionBranch(i) : emitBranch(i); return;
    case Way::Leave: emitLeave(i); return;
    }
    ++i;
  }
  apart ? fallThroughInRegion(piece.end - 1) : fallThrough(piece.end - 1);
}

// --- operations

Value *FunctionEmitter::source(uint32_t instr, unsigned index, const ptx::Operand &operand, unsigned chunk,
                               bool asVector) {
  if (operand.isReg()) {
    Value *value = asVector ? registers.vector(operand.index, chunk) : registers.scalar(operand.index, chunk);
    return operand.negated ? ir.CreateNot(value) : value;
  }
  if (const vm::SpecialRow *row = program.specialOf(operand)) {
    if (vm::dependsOnBlock(row->reg)) { // rows of these may not be filled yet
      Value *values = registers.loadField(offsetof(vm::CompiledState, blockSpecials), ir.getPtrTy());
      const auto number = uint64_t(row - program.request.kernel.specials.data());
      Value *value = ir.CreateLoad(ir.getInt32Ty(), ir.CreateConstGEP1_64(ir.getInt32Ty(), values, number));
      return asVector ? registers.splat(value) : value;
    }
    const unsigned bits = row->wide ? 64 : 32;
    const Shape shape = shapes.ofSource(instr, operand);
    const bool isOne = shape.isOneScalar(); // then all follows from the first lane
    llvm::Type *element = ir.getIntNTy(bits);
    Value *at = ir.CreateConstGEP1_64(
        ir.getInt8Ty(), registers.loadField(offsetof(vm::CompiledState, specials), ir.getPtrTy()),
        row->offset + (isOne ? 0 : bits / 8 * registers.version.width * chunk));
    if (asVector && !isOne)
      return ir.CreateAlignedLoad(registers.vectorType(element), at, llvm::Align(bits / 8));
    Value *value = ir.CreateLoad(element, at);
    if (isOne)
      value = registers.ofChunk(value, shape, chunk);
    return asVector ? registers.spread(value, shape.stride) : value;
  }
  const Constant constant = *program.constantOf(instr, operand, index);
  Value *value = ir.getIntN(constant.bits, constant.value);
  return asVector ? registers.splat(value) : value;
}

Value *FunctionEmitter::guardOf(uint32_t instr, unsigned chunk, bool asVector) {
  const ptx::Guard &guard = program.function.instrs[instr].guard;
  Value *holds = asVector ? registers.vector(guard.reg, chunk) : registers.scalar(guard.reg, chunk);
  return guard.negated ? ir.CreateNot(holds) : holds;
}

Value *FunctionEmitter::guardedLanes(uint32_t instr) {
  llvm::SmallVector<Value *, 8> chunks;
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
    chunks.push_back(guardOf(instr, chunk, true));
  return ir.CreateAnd(registers.bitsOf(chunks), registers.mask());
}

/// Stores a result where the guard holds.
void FunctionEmitter::setGuarded(uint32_t instr, uint32_t reg, unsigned chunk, Value *value) {
  const ptx::Guard &guard = program.function.instrs[instr].guard;
  if (guard) {
    const bool isScalar = shapes[reg].isScalar();
    if (!isScalar && !value->getType()->isVectorTy())
      value = registers.splat(value);
    Value *old = isScalar ? registers.scalar(reg, chunk) : registers.vector(reg, chunk);
    value = ir.CreateSelect(guardOf(instr, chunk, !shapes[guard.reg].isUniform()), value, old);
  }
  registers.set(reg, chunk, value);
}

/// Registers that are needed behind an instruction, which may be the last of a block.
llvm::BitVector FunctionEmitter::liveBehind(uint32_t last) const {
  const ptx::Block &block = program.function.blocks[program.function.blockOf[last]];
  return last + 1 == block.end ? program.liveBehind(block) : partRegisters.liveBefore(last + 1);
}

void FunctionEmitter::emitOperations(uint32_t first, uint32_t end) {
  const LooseNaNs nans(program, first, end, liveBehind(end - 1));
  RunCache cache{nans, {}, nullptr, {}, {}, {}};
  llvm::BitVector kept = nans.changed();
  kept &= partRegisters.liveBefore(first);
  for (unsigned reg : kept.set_bits())
    cache.before[reg] = registers.values(reg);
  cache.nanLanes.resize(registers.version.chunks(), nullptr);
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk) {
    for (uint32_t i = first; i < end; ++i) {
      collectNaNs(nans.checkedAt(i), chunk, cache);
      emitOperation(i, chunk, cache);
    }
    collectNaNs(nans.checkedAt(end), chunk, cache);
  }
  emitNaNCheck(first, cache);
}

/// Adds lanes in which a register is a NaN.
void FunctionEmitter::collectNaNs(llvm::ArrayRef<uint32_t> regs, unsigned chunk, RunCache &cache) {
  Value *pending = nullptr; // one comparison sees two values
  auto add = [&](Value *a, Value *b) {
    Value *found = ir.CreateFCmpUNO(a, b);
    Value *&all = found->getType()->isVectorTy() ? cache.nanLanes[chunk] : cache.hasNaN;
    all = all ? ir.CreateOr(all, found) : found;
  };
  for (uint32_t reg : regs) {
    if (shapes[reg].isOneScalar() && chunk > 0)
      continue;
    Value *bits = registers.scalar(reg, chunk);
    const bool isVector = bits->getType()->isVectorTy();
    Value *value =
        ir.CreateBitCast(bits, isVector ? registers.vectorType(ir.getDoubleTy()) : ir.getDoubleTy());
    if (!isVector) {
      add(value, value);
    } else if (pending) {
      add(pending, value);
      pending = nullptr;
    } else {
      pending = value;
    }
  }
  if (pending)
    add(pending, pending);
}

/// If there is a NaN, registers are again as they were before the run, which the interpreter executes.
void FunctionEmitter::emitNaNCheck(uint32_t first, RunCache &cache) {
  Value *found = cache.hasNaN, *lanes = nullptr;
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
    if (Value *nans = cache.nanLanes[chunk]) {
      if (registers.isPartial())
        nans = ir.CreateAnd(nans, registers.laneMask(chunk));
      lanes = lanes ? ir.CreateOr(lanes, nans) : nans;
    }
  if (lanes) {
    Value *any = ir.CreateICmpNE(ir.CreateBitCast(lanes, ir.getIntNTy(registers.version.width)),
                                 ir.getIntN(registers.version.width, 0));
    found = found ? ir.CreateOr(found, any) : any;
  }
  if (!found)
    return;
  Block undo = newBlock("undo"), usual = newBlock("numbers");
  branchRarely(found, undo, usual);
  ir.SetInsertPoint(undo);
  for (const auto &[reg, values] : cache.before)
    registers.putBack(reg, values);
  ir.CreateBr(exitBefore(first));
  ir.SetInsertPoint(usual);
}

void FunctionEmitter::emitOperation(uint32_t instr, unsigned chunk, RunCache &cache) {
  const Shape shape = shapes.ofResult(instr);
  auto [found, isNew] = cache.results.try_emplace(instr);
  llvm::SmallVector<Value *, 2> values;
  if (shape.isOneScalar() && !isNew) {
    values = found->second;
    for (Value *&value : values)
      value = registers.ofChunk(value, shape, chunk);
  } else {
    llvm::SmallVector<Value *, 4> from;
    unsigned index = 0;
    for (const ptx::Operand &operand : program.sources(instr)) {
      const bool asVector = !shape.isScalar();
      if (const Shape given = shapes.ofSource(instr, operand); given.isOneScalar()) {
        Value *once = cache.once(instr, index, [&] { return source(instr, index, operand, 0, false); });
        once = registers.ofChunk(once, given, chunk);
        from.push_back(asVector ? registers.spread(once, given.stride) : once);
      } else {
        from.push_back(source(instr, index, operand, chunk, asVector));
      }
      ++index;
    }
    values = jit::emitOperation(ir, program.function, program.function.instrs[instr], from,
                                cache.nans.isLoose(instr) || anyFloats[instr - now.first]);
    found->second = values;
  }
  const ptx::Guard &guard = program.function.instrs[instr].guard;
  const bool isGuardUniform = guard && shapes[guard.reg].isUniform();
  Value *holds = nullptr;
  if (isGuardUniform)
    holds = cache.once(instr, ~0u, [&] { return guardOf(instr, 0, false); });
  else if (guard)
    holds = guardOf(instr, chunk, true);
  unsigned index = 0;
  for (const ptx::Operand &to : program.destinations(instr)) {
    Value *value = values[index++];
    if (!to.isReg() || (shapes[to.index].isOneScalar() && chunk > 0))
      continue;
    if (!shapes[to.index].isScalar() && !value->getType()->isVectorTy())
      value = registers.spread(value, shape.stride);
    if (holds)
      value = ir.CreateSelect(holds, value,
                              shapes[to.index].isScalar() ? registers.scalar(to.index, chunk)
                                                          : registers.vector(to.index, chunk));
    registers.set(to.index, chunk, value);
  }
}

void FunctionEmitter::emitNoWrapCheck(uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  const bool isSigned = ptx::isSigned(what.types[what.op == ptx::Op::Cvt ? 1 : 0]);
  Value *wraps = ir.getFalse();
  unsigned index = 0;
  for (const ptx::Operand &operand : program.sources(instr)) {
    const Shape shape = shapes.ofSource(instr, operand);
    const bool isNarrow = index == 0 || (index == 1 && what.op != ptx::Op::Cvt);
    const unsigned chunks = shape.isOneScalar() ? 1 : registers.version.chunks();
    for (unsigned chunk = 0; isNarrow && shape.stride && chunk < chunks; ++chunk) {
      Value *first = source(instr, index, operand, chunk, false);
      const int64_t reach = shape.stride * int64_t(vm::Lanes / chunks - 1);
      const auto id = isSigned    ? llvm::Intrinsic::sadd_with_overflow
                      : reach > 0 ? llvm::Intrinsic::uadd_with_overflow
                                  : llvm::Intrinsic::usub_with_overflow;
      Value *by = llvm::ConstantInt::getSigned(first->getType(), isSigned ? reach : std::abs(reach));
      wraps = ir.CreateOr(wraps, ir.CreateExtractValue(ir.CreateBinaryIntrinsic(id, first, by), 1));
    }
    ++index;
  }
  Block usual = newBlock("fits");
  branchRarely(wraps, exitBefore(instr), usual);
  ir.SetInsertPoint(usual);
}

} // namespace heddle::jit
