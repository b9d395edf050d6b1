// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/CopyRecorder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::trace {

enum class MemoryKind { Device, Managed, Pinned };

struct Allocation {
  uint64_t number = 0; ///< counts from 1 in the order of allocation
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
};

/// A __device__ or __constant__ variable, which a kernel reaches without an argument.
struct DeviceVariable {
  const void *symbol = nullptr; ///< what the host's code has in its place
  size_t bytes = 0;
  std::string name;
  bool isConstant = false;
};

/// A __managed__ variable; its address is known when the program's module is loaded.
struct ManagedVariable {
  void *const *place = nullptr;
  size_t bytes = 0;
  std::string name;
};

/// What the program has allocated and declared on the device.
struct ProgramMemory {
  void allocated(void *pointer, size_t bytes, MemoryKind kind);
  void freed(void *pointer);

  /// The allocation that begins at the pointer; null where there is none.
  const Allocation *beginningAt(const void *pointer) const;
  /// The allocation that the address is in.
  std::optional<Piece> find(uint64_t address) const;
  /// The variable of that symbol, as if it were at the symbol's address.
  std::optional<Piece> variableOf(const void *symbol) const;
  /// Managed and pinned memory, and managed variables whose address is known.
  std::vector<Piece> readableByHost() const;

  std::map<uintptr_t, Allocation> allocations; ///< by address
  std::vector<DeviceVariable> variables;
  std::vector<ManagedVariable> managedVariables;

private:
  uint64_t lastNumber = 0;
};

} // namespace heddle::trace
