// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl.sync and vote.sync of a whole warp.
//
// If all 32 lanes of a warp are at an instruction that names all of them, nobody has to be waited for, and the values are those of
// the registers. For fewer lanes the handler is called: others may have to arrive.
#include "jit/Emitter.h"

#include <numeric>

namespace heddle::jit {

using llvm::Value;

void FunctionEmitter::emitExchange(uint32_t instr) {
  if (registers.isPartial())
    return emitHandler(instr);
  program.function.instrs[instr].op == ptx::Op::VoteSync ? emitVote(instr) : emitShuffle(instr);
}

void FunctionEmitter::emitVote(uint32_t instr) {
  llvm::SmallVector<Value *, 8> chunks;
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
    chunks.push_back(source(instr, 0, program.sources(instr)[0], chunk, true));
  Value *bits = registers.bitsOf(chunks), *none = ir.CreateICmpEQ(bits, ir.getInt32(0)),
        *all = ir.CreateICmpEQ(bits, ir.getInt32(vm::AllLanes));
  Value *given = bits;
  switch (program.function.instrs[instr].mods.vote) {
  case ptx::VoteMode::Ballot: break;
  case ptx::VoteMode::All: given = all; break;
  case ptx::VoteMode::Any: given = ir.CreateNot(none); break;
  default: given = ir.CreateOr(all, none);
  }
  const ptx::Operand to = program.destinations(instr)[0];
  for (unsigned chunk = 0; to.isReg() && chunk < registers.version.chunks(); ++chunk)
    registers.set(to.index, chunk, given);
}

/// The lane that each lane of a chunk reads from, and whether that is inside of its segment; as the interpreter has it
/// (vm/ExecLanes.cpp). `by` is a vector.
FunctionEmitter::LaneSources FunctionEmitter::laneSources(uint32_t instr, unsigned chunk, Value *by,
                                                          uint32_t clamp) {
  llvm::SmallVector<uint32_t, 16> numbers, lowest, limits;
  const uint32_t segment = clamp >> 8 & 31;
  for (unsigned i = 0; i < registers.version.width; ++i) {
    numbers.push_back(chunk * registers.version.width + i);
    lowest.push_back(numbers.back() & segment);
    limits.push_back(lowest.back() | (clamp & 31 & ~segment));
  }
  auto row = [&](llvm::ArrayRef<uint32_t> values) {
    return llvm::ConstantDataVector::get(ir.getContext(), values);
  };
  Value *lane = row(numbers), *limit = row(limits);
  by = ir.CreateAnd(by, registers.splat(ir.getInt32(31)));
  Value *from = nullptr, *good = nullptr;
  switch (program.function.instrs[instr].mods.shfl) {
  case ptx::ShflMode::Up: from = ir.CreateSub(lane, by), good = ir.CreateICmpSGE(from, limit); break;
  case ptx::ShflMode::Down: from = ir.CreateAdd(lane, by); break;
  case ptx::ShflMode::Bfly: from = ir.CreateXor(lane, by); break;
  default: from = ir.CreateOr(row(lowest), ir.CreateAnd(by, registers.splat(ir.getInt32(~segment))));
  }
  if (!good)
    good = ir.CreateICmpSLE(from, limit);
  return {ir.CreateSelect(good, ir.CreateAnd(from, registers.splat(ir.getInt32(31))), lane), good};
}

/// Elements of 32 lanes, in order.
Value *FunctionEmitter::joined(llvm::SmallVector<Value *, 8> chunks) {
  while (chunks.size() > 1) {
    llvm::SmallVector<Value *, 8> pairs;
    llvm::SmallVector<int, 32> places(
        2 * llvm::cast<llvm::FixedVectorType>(chunks[0]->getType())->getNumElements());
    std::iota(places.begin(), places.end(), 0);
    for (size_t i = 0; i < chunks.size(); i += 2)
      pairs.push_back(ir.CreateShuffleVector(chunks[i], chunks[i + 1], places));
    chunks = pairs;
  }
  return chunks[0];
}

void FunctionEmitter::emitShuffle(uint32_t instr) {
  const auto sources = program.sources(instr), results = program.destinations(instr);
  const uint32_t clamp = uint32_t(program.constantOf(instr, sources[2], 2)->value);
  llvm::SmallVector<Value *, 8> values, moved, inside;
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk)
    values.push_back(source(instr, 0, sources[0], chunk, true));
  Value *all = joined(values);
  Value *rows = nullptr;
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk) {
    const LaneSources lanes = laneSources(instr, chunk, source(instr, 1, sources[1], chunk, true), clamp);
    inside.push_back(lanes.inside);
    if (auto *places = llvm::dyn_cast<llvm::Constant>(lanes.from)) {
      llvm::SmallVector<int, 16> numbers;
      for (unsigned i = 0; i < registers.version.width; ++i)
        numbers.push_back(int(llvm::cast<llvm::ConstantInt>(places->getAggregateElement(i))->getZExtValue()));
      moved.push_back(ir.CreateShuffleVector(all, numbers));
      continue;
    }
    if (!rows) { // in memory, where any lane can be read
      llvm::IRBuilderBase::InsertPointGuard back(ir);
      ir.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
      rows = ir.CreateAlloca(all->getType());
    }
    if (moved.empty())
      ir.CreateStore(all, rows);
    moved.push_back(loadEach(ir.getInt32Ty(), llvm::Align(4), [&](unsigned lane) {
      Value *number = ir.CreateZExt(ir.CreateExtractElement(lanes.from, lane), ir.getInt64Ty());
      return ir.CreateGEP(ir.getInt32Ty(), rows, number);
    }));
  }
  for (unsigned chunk = 0; chunk < registers.version.chunks(); ++chunk) {
    if (results[0].isReg())
      registers.set(results[0].index, chunk, moved[chunk]);
    if (results.size() > 1 && results[1].isReg())
      registers.set(results[1].index, chunk, inside[chunk]);
  }
}

} // namespace heddle::jit
