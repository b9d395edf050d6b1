// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the function that executes a part of a Code, for all lanes of a warp or for those of a mask.
#pragma once

#include "jit/AccessGroups.h"
#include "jit/Regions.h"
#include "jit/Registers.h"

#include <llvm/IR/Module.h>

#include <map>

namespace heddle::jit {

struct Access;
struct RunCache;

class FunctionEmitter {
public:
  FunctionEmitter(llvm::Module &module, const Program &program, const Part &part, const Shapes &shapes,
                  Version version);
  ~FunctionEmitter();
  llvm::Function *emit(llvm::StringRef name);

private:
  using Block = llvm::BasicBlock *;

  /// Instructions without an entry or exit between them, except at their ends: a basic block, or what a block has between two
  /// instructions at which compiled code is left. Counts in allocas are those at its begin.
  struct Piece {
    uint32_t first = 0, end = 0;
  };

  // Emitter.cpp
  void emitEntries(llvm::Value *number);
  void emitPiece(const Piece &piece);
  void emitOperations(uint32_t first, uint32_t end);
  void emitOperation(uint32_t instr, unsigned chunk, RunCache &cache);
  llvm::BitVector liveBehind(uint32_t last) const;
  void collectNaNs(llvm::ArrayRef<uint32_t> regs, unsigned chunk, RunCache &cache);
  void emitNaNCheck(uint32_t first, RunCache &cache);
  void emitNoWrapCheck(uint32_t instr);
  llvm::Value *source(uint32_t instr, unsigned index, const ptx::Operand &operand, unsigned chunk,
                      bool asVector);
  llvm::Value *guardOf(uint32_t instr, unsigned chunk, bool asVector);
  /// The active lanes for which the guard holds, as a mask.
  llvm::Value *guardedLanes(uint32_t instr);
  void setGuarded(uint32_t instr, uint32_t reg, unsigned chunk, llvm::Value *value);
  Block newBlock(const char *name) { return llvm::BasicBlock::Create(ir.getContext(), name, function); }

  // EmitFlow.cpp
  void emitBranch(uint32_t instr);
  void emitHandler(uint32_t instr);
  void fallThrough(uint32_t instr);
  Block exitBefore(uint32_t instr);
  void emitLeave(uint32_t instr);
  void loadNeeded(uint32_t instr);
  void leaveAt(uint32_t instr, vm::CompiledExit why);
  void storeChanged(uint32_t instr, llvm::ArrayRef<uint32_t> except);
  void storeCounts(uint32_t instr, bool withCounted);
  llvm::Value *executeCall(uint32_t instr);
  void exitAfterHandler(uint32_t instr, llvm::Value *flow);
  void branchRarely(llvm::Value *condition, Block rare, Block usual);
  Block blockAt(uint32_t instr);
  void emitPartExits();

  // EmitRegion.cpp
  struct RegionCode;
  RegionCode &codeOf(const Region &region);
  void enterRegion(uint32_t instr, const Region &region, llvm::Value *taken);
  void emitRegion(RegionCode &code);
  void emitRegionBranch(uint32_t instr);
  void fallThroughInRegion(uint32_t last);
  llvm::Value *othersBefore(uint32_t from, uint32_t to);
  void addWaiting(uint32_t block, llvm::Value *lanes);
  llvm::Value *takeWaiting(uint32_t block);
  void countApart(uint64_t instructions);
  Block exitRegionBefore(uint32_t instr);
  void exitRegion(llvm::Value *where, Block exit);
  Block handlerExit();
  void emitRegionExits(RegionCode &code);
  void addTo(llvm::AllocaInst *to, llvm::Value *number);
  llvm::Value *held(llvm::AllocaInst *from) { return ir.CreateLoad(from->getAllocatedType(), from); }

  void emitAtomics(uint32_t instr, const Access &access); // EmitAtomic.cpp

  // EmitEvents.cpp
  void increment(size_t field, uint32_t index);
  llvm::Value *callBack(size_t field, llvm::Type *result, llvm::ArrayRef<llvm::Value *> numbers);
  void reportBlock(uint32_t first);
  void callForBranch(uint32_t instr, llvm::Value *taken);
  void reportAgreed(uint32_t instr, bool isTaken);
  void reportDivergent(uint32_t instr, llvm::Value *taken);
  void ifWatched(uint32_t instr, llvm::function_ref<void()> call);
  bool isReported(const Access &access) const;
  void noteLoad(uint32_t instr, uint32_t kind, const Access &access, unsigned groups, Block noted);
  void reportAccess(uint32_t instr, const Access &access, Block unusual);

  // EmitExchange.cpp
  struct LaneSources {
    llvm::Value *from, *inside;
  };
  void emitExchange(uint32_t instr);
  void emitVote(uint32_t instr);
  void emitShuffle(uint32_t instr);
  LaneSources laneSources(uint32_t instr, unsigned chunk, llvm::Value *by, uint32_t clamp);
  llvm::Value *joined(llvm::SmallVector<llvm::Value *, 8> chunks);

  // EmitAccess.cpp
  void emitAccess(uint32_t instr);
  void emitParameter(uint32_t instr, Access &access);
  Access describe(uint32_t instr);
  llvm::Value *emitBounds(Access &access);
  llvm::Value *emitCheck(uint32_t instr, Access &access);
  llvm::Value *emitOutside(uint32_t instr, const Access &access, unsigned chunk);
  llvm::Value *addressOf(const Access &access, unsigned chunk, bool asVector);
  llvm::Value *activeLanes(uint32_t instr, unsigned chunk);
  llvm::Value *pointerTo(const Access &access, llvm::Value *at, int64_t offset);
  llvm::Value *loadElement(uint32_t instr, const Access &access, unsigned chunk, unsigned element);
  llvm::Value *storedValue(const Access &access, unsigned element, unsigned chunk);
  llvm::Value *loadEach(llvm::Type *type, llvm::Align alignment,
                        llvm::function_ref<llvm::Value *(unsigned)> pointer);
  llvm::Value *zerosInMemory();
  void storeAddresses(uint32_t instr, const Access &access, unsigned chunk, int64_t offset);
  llvm::Value *storedAddress(unsigned lane);
  void loadNeighbours(uint32_t instr, const Access &access, const Neighbours &all);
  llvm::SmallVector<llvm::Value *, 4> transposed(llvm::ArrayRef<llvm::Value *> rows);
  llvm::AllocaInst *neighbourHome(uint32_t load, unsigned chunk);
  void emitLoads(uint32_t instr, const Access &access);
  void emitStores(uint32_t instr, const Access &access);
  bool isRegular(const Access &access) const;
  unsigned comparedLanes(const Access &access) const;

  const Program &program;
  const Part part;
  const PartRegisters partRegisters;
  const Shapes &shapes;
  llvm::Module &module;
  llvm::IRBuilder<> ir;
  Registers registers;
  llvm::Function *function = nullptr;
  llvm::Value *state = nullptr;
  llvm::AllocaInst *counted = nullptr, *spent = nullptr, *budget = nullptr, *rounds = nullptr;
  llvm::AllocaInst *addressesInMemory = nullptr, *zeros = nullptr;
  llvm::AllocaInst *atomicPlaces = nullptr, *atomicValues = nullptr; ///< of all lanes
  llvm::Value *orderLimit = nullptr;
  /// While lanes are apart: counts, the result of the function, lanes that are where it stops.
  llvm::AllocaInst *apartCounted = nullptr, *apartThreads = nullptr, *result = nullptr, *here = nullptr;
  const Regions regions;
  std::map<const Region *, std::unique_ptr<RegionCode>> regionCodes;
  RegionCode *apart = nullptr;           ///< that is being emitted
  llvm::Value *apartLanes = nullptr;     ///< number of lanes of its block
  std::map<uint32_t, Block> pieceBlocks; ///< by first instruction
  std::map<uint32_t, Block> exits;       ///< by instruction
  std::map<uint32_t, Block> partExits;   ///< by instruction of another part
  Piece now;
  llvm::BitVector anyFloats;                     ///< LooseNaNs.h, by instruction of `now`
  AccessGroups groups;                           ///< of `now`
  std::map<uint32_t, llvm::Value *> groupChecks; ///< by first instruction
  std::map<uint32_t, llvm::SmallVector<llvm::AllocaInst *, 8>> neighbourHomes;
};

} // namespace heddle::jit
