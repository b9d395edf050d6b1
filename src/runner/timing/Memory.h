// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heddle::timing {

enum class Kind { Device, Managed, Pinned };

/// A copy of what the program's memory held at one moment, in memory of our own on the device.
struct Snapshot {
  struct Piece {
    char *place;
    size_t bytes, offset;
    uint64_t allocation; ///< its number; 0: a variable
  };
  std::vector<Piece> pieces;
  char *copy = nullptr;
  size_t bytes = 0;
  bool taken = false; ///< false: there was no room
};

/// Where an address lies.
struct Place {
  uint64_t allocation = 0; ///< its number; 0: in none that is known
  size_t bytes = 0;        ///< of the allocation
  size_t offset = 0;       ///< in it
};

/// The program's memory on the device. What it frees stays, as long as there is room: launches that are made
/// again need it.
class Memory {
public:
  void allocated(void *pointer, size_t bytes, Kind kind);
  /// True where the pointer is known and is freed later: the program need not know.
  bool freed(void *pointer);
  /// A __device__ or __constant__ variable, which a kernel reaches without an argument.
  void variable(const void *symbol, size_t bytes);
  /// A __managed__ one; its place is known when the program's module is loaded.
  void managedVariable(void *const *place, size_t bytes);
  /// Memory is short: gives back what the program has freed, and all snapshots. False where there was
  /// nothing.
  bool giveBack();

  Snapshot take();
  /// Queued on the default stream. False where some of that memory is gone.
  bool restore(const Snapshot &snapshot) const;

  /// Managed variables, then managed memory in the order of its allocation: the host may read it without any
  /// copy that could be seen.
  std::vector<std::pair<char *, size_t>> managed() const;
  /// The bytes of managed memory that begin there; 0 where it is none.
  size_t managedBytes(const void *pointer) const;
  Place placeOf(const void *address) const;

private:
  struct Allocation {
    size_t bytes;
    Kind kind;
    bool freed;
    uint64_t number;
  };
  std::vector<Snapshot::Piece> pieces() const;
  bool holds(const Snapshot::Piece &piece) const;
  size_t roomFor() const;
  bool freeDeferred();

  std::map<uintptr_t, Allocation> allocations;
  std::vector<std::pair<const void *, size_t>> symbols;
  std::vector<std::pair<void *const *, size_t>> managedVariables;
  std::vector<char *> copies;
  size_t deferredBytes = 0;
  uint64_t lastNumber = 0;
};

} // namespace heddle::timing
