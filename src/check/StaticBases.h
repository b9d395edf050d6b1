// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::vm {
class ParameterNames;
}

namespace heddle::check {

/// What a global address may have been computed from: a set of pointer parameters and __device__ variables.
using Bases = uint64_t;

/// For each register the pointers that it may have been computed from. An address stays in the memory of the
/// pointer that it was computed from, as C++ demands.
class PointerBases {
public:
  static constexpr Bases Unknown = Bases(1) << 63; ///< loaded from memory, passed to a function: anything

  explicit PointerBases(const vm::Kernel &kernel);

  /// Of the address that a load, a store or an atomic uses; 0 where it is none of global memory.
  Bases of(const vm::Code &code, const ptx::Instr &instr) const;
  /// Whether this generic address may be one of global memory; addresses that come from shared and local variables
  /// alone are not.
  bool reachesGlobal(const vm::Code &code, const ptx::Instr &instr) const;
  /// Of one address operand.
  Bases ofAddress(const vm::Code &code, const ptx::Operand &operand) const;
  /// What the kernel and all that it calls may write in global memory.
  Bases written() const { return stores; }
  /// Whether two accesses may touch the same memory; different pointers are taken to point to different
  /// memory.
  static bool mayAlias(Bases a, Bases b) { return a && b && ((a & b) || ((a | b) & Unknown)); }
  /// "parameter 'y'" or the variable's name, for messages.
  std::string describe(Bases bases, const vm::ParameterNames &parameters) const;

private:
  bool sweep(const vm::Code &code);
  Bases ofOperand(const vm::Code &code, const ptx::Operand &operand) const;
  Bases onlyPointers(Bases bases) const;
  Bases slotOf(const ptx::Variable &variable, uint64_t offset) const;
  Bases variableBit(uint32_t variable);
  void findPointers(const vm::Code &code);

  const vm::Kernel &kernel;
  std::unordered_map<const vm::Code *, std::vector<Bases>> registers;
  std::unordered_map<uint32_t, Bases> variables;
  Bases pointers = 0; ///< slots of parameters that are used as addresses: others are offsets
  Bases stores = 0;
};

} // namespace heddle::check
