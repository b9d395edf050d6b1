// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large function is compiled in parts, ranges of its instructions. Each is a function of its own for LLVM, whose time grows faster than
// in proportion to the length of a basic block.
//
// Where control goes from one part to another, compiled code stores the registers that it changed and that are still needed, and
// returns to the loop of vm/CompiledRun.cpp, which enters the other part: such an instruction is an entry. Parts therefore begin
// outside of loops and of the ways of branches where possible, and elsewhere where few registers are needed.
#pragma once

#include <llvm/ADT/BitVector.h>

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::jit {

class Program;

struct Part {
  uint32_t first = 0, end = 0; ///< instructions

  bool contains(uint32_t instr) const { return instr >= first && instr < end; }
};

/// In order, of at most `most` instructions each. Needs registers that are live at the begins of blocks.
std::vector<Part> divide(const Program &program, uint32_t most);

/// Registers at the instructions of a part, and at those that control goes to from it.
class PartRegisters {
public:
  PartRegisters(const Program &program, const Part &part);

  /// Whose values matter before an instruction.
  const llvm::BitVector &liveBefore(uint32_t instr) const;
  /// That compiled code of the part may have changed before an instruction is executed.
  const llvm::BitVector &changedBefore(uint32_t instr) const;
  /// That an instruction of the part reads or writes.
  const llvm::BitVector &mentioned() const { return named; }

private:
  void findLive();
  void findChanged();

  const Program &program;
  const Part part;
  std::vector<llvm::BitVector> live, changed; ///< by instruction of the part
  std::map<uint32_t, llvm::BitVector> changedBehind;
  llvm::BitVector named;
};

} // namespace heddle::jit
