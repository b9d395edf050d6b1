// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a function before code is emitted for it: how each instruction is executed, where compiled code can be entered,
// and which registers have to be in their rows there and where it is left.
#pragma once

#include "jit/Parts.h"
#include "vm/Compiled.h"
#include "vm/Lanes.h"

#include <llvm/ADT/BitVector.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace heddle::jit {

/// How compiled code executes an instruction.
enum class Way : uint8_t {
  Operation, ///< by emitOperation
  Access,    ///< a load or store, with a check of its addresses; the handler if that fails
  Atomic,    ///< an integer atomic in shared memory, in the same way
  Branch,
  Exchange, ///< a shuffle or vote of all lanes; by the handler if some are off
  Handler,  ///< by calling the interpreter's handler
  Leave,    ///< not at all: it ends the compiled part, and the instruction behind it is an entry
};

/// An operand that is no register.
struct Constant {
  uint64_t value = 0;
  unsigned bits = 32;
};

class Program {
public:
  explicit Program(const vm::CompileRequest &request);

  const vm::CompileRequest &request;
  const ptx::Function &function;
  const vm::Code &code;

  unsigned count() const { return unsigned(function.instrs.size()); }
  Way wayOf(uint32_t instr) const { return ways[instr]; }
  /// Insts of an instruction: from firstInst(i) to firstInst(i + 1).
  uint32_t firstInst(uint32_t instr) const { return starts[instr]; }
  const vm::Inst &inst(uint32_t instr) const { return code.insts[starts[instr]]; }
  /// PTX instructions counted before this one.
  uint32_t ordinal(uint32_t instr) const {
    return starts[instr] < code.insts.size() ? code.insts[starts[instr]].ordinal
                                             : code.insts.back().ordinal + code.insts.back().counts;
  }

  std::span<const ptx::Operand> operands(uint32_t instr) const {
    return function.operandsOf(function.instrs[instr]);
  }
  /// Registers that are read and written, elements of vectors included; the guard is not among them.
  std::vector<uint32_t> reads(uint32_t instr) const;
  std::vector<uint32_t> writes(uint32_t instr) const;
  /// Source operands in order, elements of vectors one by one.
  std::vector<ptx::Operand> sources(uint32_t instr) const;
  std::vector<ptx::Operand> destinations(uint32_t instr) const;
  /// The value of a source that is the same in every lane and launch; nothing for registers and special registers.
  std::optional<Constant> constantOf(uint32_t instr, const ptx::Operand &operand, unsigned index) const;
  const vm::SpecialRow *specialOf(const ptx::Operand &operand) const;

  /// Width of a register in bits; registers of 128 bits stay in their rows.
  unsigned bitsOf(uint32_t reg) const { return ptx::bitsOf(function.registers[reg].cls); }
  bool isHeld(uint32_t reg) const { return bitsOf(reg) <= 64; }

  const std::vector<Part> &parts() const { return divided; }
  uint32_t partOf(uint32_t instr) const;

  /// Instructions at which compiled code can be entered, in ascending order: the first of the function, heads of loops, what follows
  /// an instruction at which it is left, what control goes to from another part, and what addEntries was given.
  std::vector<uint32_t> entries;
  void addEntries(const std::vector<bool> &blocks);
  /// Registers whose values matter before an instruction, which is the first of a block or of a part, or an entry.
  const llvm::BitVector &liveBefore(uint32_t instr) const;
  llvm::BitVector liveBehind(const ptx::Block &block) const;
  /// Makes registers that are live behind an instruction those that are live before it.
  void stepBack(uint32_t instr, llvm::BitVector &registers) const;

private:
  void choose();
  bool isOperation(uint32_t instr) const;
  bool isAccess(uint32_t instr) const;
  bool isAtomic(uint32_t instr) const;
  bool isExchange(uint32_t instr) const;
  Way wayOfOther(uint32_t instr) const;
  void findLive();
  void keepLive(const std::vector<bool> &wanted);

  std::vector<uint32_t> starts;
  std::vector<Way> ways;
  std::vector<Part> divided;
  std::map<uint32_t, llvm::BitVector> live;
};

} // namespace heddle::jit
