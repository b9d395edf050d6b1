// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"
#include "ptx/Rows.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::jit::test {

/// A register or constant of the instruction under test.
struct Place {
  unsigned bits = 32;
  bool isImmediate = false;
};

/// One instruction with its operands: a form of a row of Ops.def.
struct TestForm {
  std::string mnemonic, text; ///< "add.s32", and with its operands "add.s32 %d0, %a0, %a1;"
  std::vector<Place> sources, results;
  bool readsCarry = false, writesCarry = false;
  std::shared_ptr<ptx::Module> module; ///< with a kernel "k" of which the instruction is one
  const ptx::Function *function = nullptr;
  const ptx::Instr *instr = nullptr;
};

/// Rows of Ops.def that are arithmetic of each lane by itself.
std::vector<ptx::Op> arithmeticRows();

/// Every form of a row that is PTX: each combination of types and modifiers, with and without optional operands, and
/// with constants and wider registers where that makes a difference.
std::vector<TestForm> formsOf(ptx::Op op);

} // namespace heddle::jit::test
