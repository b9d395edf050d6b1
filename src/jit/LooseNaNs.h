// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f64 operations of a run that need not return the right NaN.
//
// PTX defines the bits of a NaN that an f64 operation returns, and LLVM does not. To select them takes ten instructions for each fma.
// But which lanes have a NaN is always right, and a NaN stays one in sums and products. So the operations of a run return any NaN;
// where bits of such a value are used otherwise, or are needed behind the run, it is compared with itself; and if there is a NaN at
// all, which is rare, nothing of the run has happened, and the interpreter executes it.
#pragma once

#include "jit/Program.h"

namespace heddle::jit {

/// Instructions that follow each other, all of them operations.
class LooseNaNs {
public:
  /// `needed`: registers that are live behind the run.
  LooseNaNs(const Program &program, uint32_t first, uint32_t end, const llvm::BitVector &needed);

  /// Whether any NaN will do as a result.
  bool isLoose(uint32_t instr) const { return loose[instr - first]; }
  /// Registers that must have no such NaN before an instruction of the run; behind it for its end.
  const std::vector<uint32_t> &checkedAt(uint32_t instr) const { return checked[instr - first]; }
  /// Registers that the run writes, if it has such operations.
  const llvm::BitVector &changed() const { return written; }

private:
  const uint32_t first;
  std::vector<bool> loose;
  std::vector<std::vector<uint32_t>> checked;
  llvm::BitVector written;
};

/// Of instructions from `first` to before `end`, those whose f32 result may be any NaN: until it is replaced, only sums and products
/// of f32 read it, which return the canonical one for any. `needed`: registers that are live behind them.
llvm::BitVector looseFloats(const Program &program, uint32_t first, uint32_t end,
                            const llvm::BitVector &needed);

} // namespace heddle::jit
