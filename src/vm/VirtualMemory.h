// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Memory.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace heddle::vm {

/// Addresses and memory apart, as the driver API's virtual memory management has them: ranges of addresses are
/// reserved, physical memory is created, and the one is mapped to the other. Memory that is mapped becomes an
/// allocation of `Memory`, so that kernels, copies and checks know it like any other.
///
/// Functions that can refuse return what is wrong with their arguments; an empty text means success.
class VirtualMemory {
public:
  /// Addresses of mappings and all sizes are multiples of this, as on a GPU.
  static constexpr uint64_t Granularity = uint64_t(2) << 20;

  explicit VirtualMemory(Memory &memory) : memory(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory &) = delete;
  VirtualMemory &operator=(const VirtualMemory &) = delete;

  /// The beginning of a range of addresses that nothing else has, at `wanted` if that can be had; 0 where there are
  /// none left. `alignment` is 0 or a power of two.
  uint64_t reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted);
  std::string release(uint64_t address, uint64_t bytes);

  /// Physical memory. 0 if the device has no more. It exists while somebody holds its handle or it is mapped.
  uint64_t create(uint64_t bytes);
  std::string retain(uint64_t handle);
  std::string drop(uint64_t handle);
  bool isHandle(uint64_t handle) const;
  /// The memory that is mapped at `address`.
  std::optional<uint64_t> handleAt(uint64_t address) const;

  /// `mayHoldData` on return: the memory was mapped before, and something may have been written to it.
  std::string map(uint64_t address, uint64_t bytes, uint64_t handle, bool &mayHoldData);
  /// The range is one or several mappings, each as a whole.
  std::string unmap(uint64_t address, uint64_t bytes);
  std::string setAccess(uint64_t address, uint64_t bytes, MemoryAccess access);

private:
  struct Physical {
    uint64_t offset = 0, bytes = 0; ///< in the file
    unsigned holders = 1, mappings = 0;
    bool wasMapped = false;
  };
  struct Mapping {
    uint64_t bytes = 0, handle = 0;
  };

  bool openFile();
  void freeIfUnused(uint64_t handle);
  std::string cover(uint64_t address, uint64_t bytes, std::map<uint64_t, uint64_t> &bytesByAddress) const;

  Memory &memory;
  mutable std::mutex guard;
  int file = -1;        ///< all physical memory, without a name in any folder
  uint64_t fileEnd = 0; ///< offsets are not used again: what is freed is a hole
  uint64_t nextHandle = 1, nextAddress = 0;
  std::map<uint64_t, uint64_t> reservations; ///< bytes by address
  std::map<uint64_t, Physical> physical;     ///< by handle
  std::map<uint64_t, Mapping> mappings;      ///< by address
};

} // namespace heddle::vm
