// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Emitter.h"

namespace heddle::jit {

/// One access while it is emitted.
struct Access {
  const vm::Inst &in;
  Shape address;
  std::vector<ptx::Operand> values; ///< registers that are loaded or stored
  uint32_t reg = ptx::kNone;        ///< of the address
  bool isStore = false, isSigned = false;
  bool isPartial = false;            ///< some lanes may be off
  uint32_t all = 0;                  ///< bytes of all elements of a lane
  int64_t lowest = 0;                ///< from the first lane to the lowest address that is checked with it
  uint64_t between = 0;              ///< from there to the highest
  llvm::IntegerType *type = nullptr; ///< of addresses
  llvm::Value *begin = nullptr, *last = nullptr; ///< addresses that are valid; begin is nullptr for 0
  llvm::Value *base = nullptr;
};

} // namespace heddle::jit
