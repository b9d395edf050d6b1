// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace heddle::vm {

/// What a piece of global memory was allocated for. The kinds differ only in that kernels may not write Constant,
/// and that host code may access Managed, Pinned and Registered memory while a kernel runs.
enum class AllocationKind : uint8_t { Device, Managed, Pinned, Registered, Global, Constant, DeviceHeap };

const char *nameOf(AllocationKind kind);

/// What kernels and copies may do with an allocation. Mapped memory has no access at first.
enum class MemoryAccess : uint8_t { None, Read, ReadWrite };

struct Allocation {
  uint64_t id = 0; ///< counts from 1 in order of allocation
  uint64_t address = 0;
  uint64_t bytes = 0;
  AllocationKind kind = AllocationKind::Device;
  bool live = false;
  std::string name;          ///< of a module's variable; else empty
  bool isSimulators = false; ///< allocated by the simulator for its own use, not by the program
  bool isMapped = false;     ///< mapped to an address that the program reserved (cuMemMap)
  MemoryAccess access = MemoryAccess::ReadWrite;

  uint64_t end() const { return address + bytes; }
  bool contains(uint64_t a) const { return a >= address && a < end(); }
  /// "allocation 3 (device, 4096 bytes at 0x...)" or "variable 'table' (constant, ...)".
  std::string str() const;
};

enum class FreeResult { Freed, NotAnAllocation, InsideAnAllocation, AlreadyFreed, IsMapped };

/// Global memory of the simulator. A device address is a host address: host code may read and write through it,
/// so managed and pinned memory need no special handling, and a copy is a memcpy.
///
/// Addresses come from one reserved range and are not reused until the range is used up; the pages of a freed
/// piece are returned to the system, and it is remembered as freed, so that a use after free is reported as such.
/// A gap follows each piece, so that an access beyond its end is not in the next piece.
class Memory {
public:
  explicit Memory(uint64_t capacityBytes);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// nullptr when the capacity is exhausted. Zero bytes: a distinct address that may not be accessed.
  /// `alignment` is a power of two.
  void *allocate(uint64_t bytes, AllocationKind kind, std::string name = {}, uint64_t alignment = 512);
  /// The same for the simulator's own use: messages do not name it as the nearest allocation.
  void *allocateForSimulator(uint64_t bytes, AllocationKind kind, std::string name);
  FreeResult free(void *address);
  /// Makes host memory of the program accessible to kernels.
  bool registerHost(void *address, uint64_t bytes);
  bool unregisterHost(void *address);

  /// For VirtualMemory: pages at an address outside of our range become an allocation without access.
  void addMapped(uint64_t address, uint64_t bytes);
  void removeMapped(uint64_t address);
  void setAccess(uint64_t address, MemoryAccess access);
  /// Freed memory in the range is forgotten: its addresses may be reused for something else.
  void forget(uint64_t address, uint64_t bytes);
  /// Counts memory without an address as used; false if there is not enough.
  bool take(uint64_t bytes);
  void giveBack(uint64_t bytes) { used.fetch_sub(bytes, std::memory_order_relaxed); }

  /// The live allocation that contains `address` and may be accessed.
  std::optional<Allocation> find(uint64_t address) const;
  /// Whether these bytes may be accessed: they are in one allocation, or in adjacent mappings.
  bool isAccessible(uint64_t address, uint64_t bytes, MemoryAccess least = MemoryAccess::Read) const;
  /// The allocation, live or freed, that contains `address` or is nearest to it; of two equally near, the live one.
  std::optional<Allocation> nearest(uint64_t address) const;
  std::vector<Allocation> live() const;

  /// Whether device addresses are those of every other run.
  bool isAtFixedBase() const;

  uint64_t capacityBytes() const { return capacity; }
  uint64_t usedBytes() const { return used.load(std::memory_order_relaxed); }
  uint64_t freeBytes() const { return capacity - usedBytes(); }

  /// Changes whenever something is freed, so that stored ranges can be recognized as outdated.
  uint64_t epoch() const { return changes.load(std::memory_order_acquire); }
  /// True while host code may change what a waiting kernel polls.
  bool hasHostVisible() const { return hostVisible.load(std::memory_order_relaxed) != 0; }

private:
  struct Reservation {
    uint64_t base = 0, bytes = 0;
  };
  using Pieces = std::map<uint64_t, Allocation>;

  uint64_t place(uint64_t bytes, uint64_t alignment);
  void forgetFreedIn(uint64_t address, uint64_t end);
  const Allocation *accessible(uint64_t address) const;
  void countHostVisible(AllocationKind kind, int by);

  const uint64_t capacity;
  Reservation reserved;
  uint64_t cursor = 0;
  bool wrapped = false;
  uint64_t nextId = 1;
  uint64_t freed = 0; ///< freed pieces that are still remembered, or more
  mutable std::shared_mutex guard;
  Pieces pieces; ///< by address; freed ones stay until their addresses are needed again
  std::atomic<uint64_t> used{0};
  std::atomic<uint64_t> changes{1};
  std::atomic<int> hostVisible{0};
};

} // namespace heddle::vm
