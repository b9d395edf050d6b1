// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Destinations.h"
#include "support/Diagnostics.h"
#include "vm/Code.h"
#include "vm/Module.h"

#include <cstdint>
#include <map>
#include <span>

namespace heddle::vm {

inline uint32_t alignUp(uint64_t value, uint32_t to) { return uint32_t((value + to - 1) / to * to); }

/// Registers that may be read before they are written, from the begin of each block on, and the most 32-bit registers live at once.
struct Liveness {
  std::vector<std::vector<uint64_t>> liveAt; ///< for each block a set of registers, 64 per word
  unsigned pressure = 0;

  bool isLiveAt(size_t block, uint32_t reg) const { return liveAt[block][reg / 64] >> reg % 64 & 1; }
};

/// Lowers one function to its executable form. The instruction families (Exec*.cpp) use it to read operands and
/// to emit instructions.
class Lowering {
public:
  Lowering(Kernel &kernel, Code &code, LoadedModuleImpl &module, Diagnostics &why);
  bool run();

  // The instruction that is being lowered.
  const ptx::Instr *instr = nullptr;
  std::span<const ptx::Operand> ops;
  ptx::Type type() const { return instr->types[0]; }
  ptx::Type type2() const { return instr->types[1]; }
  bool has(ptx::Flag flag) const { return instr->mods.has(flag); }

  /// The row (or predicate mask) that an operand is read from: immediates, addresses and special registers
  /// become rows too. `bits` is the width at which it is read.
  Loc source(const ptx::Operand &operand, unsigned bits);
  Loc source(const ptx::Operand &operand, ptx::Type type) { return source(operand, ptx::bitsOf(type)); }
  /// Where a result is written; for a sink, a row that is never read.
  Loc dest(const ptx::Operand &operand);
  bool isWritten(const ptx::Operand &operand) const { return operand.kind != ptx::OperandKind::Sink; }
  /// Width in bits of a register operand, 0 for other operands.
  unsigned width(const ptx::Operand &operand) const;
  Loc constant(uint64_t value, unsigned bits);
  Loc temporary(unsigned bits);

  /// Appends an instruction guarded as the PTX one is.
  Inst &emit(Handler handler);
  /// Appends a helper that represents no PTX instruction.
  Inst &emitHelper(Handler handler);
  /// Fills address form, base, offset and space of `in` from an address operand.
  void setAddress(Inst &in, const ptx::Operand &address, ptx::Space space);
  /// A row of 64-bit addresses, for instructions with more than one address.
  Loc addressRow(const ptx::Operand &address, ptx::Space space);
  uint32_t addLocs(std::span<const Loc> locs);
  /// The elements of a vector operand, or the operand itself.
  std::span<const ptx::Operand> elements(const ptx::Operand &operand) const;
  bool unsupported(std::string_view why);
  /// The same, for what is not a matter of this instruction: the text says all.
  bool refused(std::string text, std::string hint = "");
  /// False when no instruction of the function reads the register.
  bool isRead(const ptx::Operand &operand) const;
  std::vector<uint32_t> jumpFixups; ///< insts whose imm is a PTX instruction index until the end

  Kernel &kernel;
  Code &code;
  LoadedModuleImpl &module;
  const ptx::Function &function;
  Diagnostics &why;
  std::vector<uint32_t> tableFixups; ///< jump tables in the same state

private:
  bool lowerOne();
  void layOutFrame();
  std::pair<uint32_t, uint32_t> instsOf(uint32_t blockNumber) const;
  void finish();
  void findLoopState(const Liveness &live);
  Loc registerLoc(uint32_t index) const;
  Loc addressOfVariable(const ptx::Operand &operand, unsigned bits);
  Loc special(ptx::SpecialReg reg, unsigned bits);
  Loc specialRow(ptx::SpecialReg reg, bool isWide);

  std::vector<uint32_t> startOf; ///< for each PTX instruction its first inst
  uint32_t classBase[ptx::kNumRegClasses] = {};
  uint32_t frameEnd = 0;
  std::map<std::pair<uint64_t, unsigned>, Loc> constants;
  std::vector<uint8_t> pool;
  std::map<unsigned, Loc> sinks;
  std::vector<bool> readRegs;
};

// The families. Each returns false if the instruction is not one of its own, or (with a message) cannot be lowered.
bool lowerInteger(Lowering &lo);
bool lowerBits(Lowering &lo);
bool lowerFloat(Lowering &lo);
bool lowerHalf(Lowering &lo);
bool lowerCompare(Lowering &lo);
bool lowerConvert(Lowering &lo);
bool lowerMove(Lowering &lo);
bool lowerMemory(Lowering &lo);
bool lowerAtomic(Lowering &lo);
bool lowerFlow(Lowering &lo);
bool lowerCall(Lowering &lo);
bool lowerSync(Lowering &lo);
bool lowerLanes(Lowering &lo);
bool lowerAsync(Lowering &lo);
bool lowerMbarrier(Lowering &lo);
bool lowerMatrix(Lowering &lo);
bool lowerWmma(Lowering &lo);
bool lowerTexture(Lowering &lo);
bool lowerVideo(Lowering &lo);

/// A dynamic special register (a clock or timer) read into a row.
Handler readSpecial(ptx::SpecialReg reg);
/// Takes the low bits of each element: a row of `to` bits from one of `from` bits.
Handler narrower(unsigned from, unsigned to);

/// Where each register of a function is in its frame.
std::vector<Loc> registerLocs(const ptx::Function &function);

/// Of a function as it is, by data flow.
Liveness liveness(const ptx::Function &function);

} // namespace heddle::vm
