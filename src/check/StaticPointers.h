// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// Which registers may hold a generic address of shared memory. An unknown generic address in any other
/// register is one of global memory, since nothing but cvta makes an address of shared memory generic.
class SharedPointers {
public:
  explicit SharedPointers(const vm::Kernel &kernel);

  bool mayHold(const vm::Code &code, uint32_t reg) const { return taken && maybe.at(&code)[reg]; }
  /// Whether a generic address of shared memory is made at all.
  bool anywhere() const { return taken; }
  /// The same for the thread's own memory.
  bool localAnywhere() const { return takenLocal; }

private:
  bool sweep(const vm::Code &code);
  bool isSource(const ptx::Instr &instr) const;

  std::unordered_map<const vm::Code *, std::vector<bool>> maybe;
  bool taken = false, takenLocal = false;
  bool stored = false; ///< one was stored, so that any load may bring it back
};

} // namespace heddle::check
