// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// Which registers may hold a generic address of shared memory, or of the thread's own memory. An unknown generic
/// address in any other register is not one of that memory, since nothing but cvta makes such an address generic.
class GenericPointers {
public:
  enum class To : uint8_t { Shared, Local };
  GenericPointers(const vm::Kernel &kernel, To memory);

  /// `reg` may be none: an address without a register.
  bool mayHold(const vm::Code &code, uint32_t reg) const {
    return taken && reg != ptx::kNone && maybe.at(&code)[reg];
  }
  /// Whether such an address is made at all.
  bool anywhere() const { return taken; }

private:
  bool sweep(const vm::Code &code);
  bool isSource(const ptx::Instr &instr) const;
  bool isMade(const ptx::Instr &instr) const;

  const To memory;
  std::unordered_map<const vm::Code *, std::vector<bool>> maybe;
  bool taken = false;
  bool stored = false; ///< one was stored, so that any load may bring it back
};

} // namespace heddle::check
