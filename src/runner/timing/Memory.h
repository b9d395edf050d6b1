// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/preload/ProgramMemory.h"

#include <set>
#include <utility>

namespace heddle::timing {

using trace::MemoryKind;

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

/// What making launches again needs of the program's memory on the device: copies of it, and memory that the program
/// has freed, which is given back later, as long as there is room.
class Memory {
public:
  explicit Memory(trace::ProgramMemory &program) : program(program) {}

  /// True where the pointer is known and is freed later: the program need not know.
  bool freed(void *pointer);
  /// The driver has given this address out: whatever was to be freed there is gone (a program may free twice).
  void givenOut(void *pointer);
  /// Memory is short: gives back what the program has freed, and all snapshots. False where there was
  /// nothing.
  bool giveBack();

  Snapshot take();
  /// Queued on the default stream. False where some of that memory is gone.
  bool restore(const Snapshot &snapshot) const;

  /// Managed variables, then managed memory in the order of its allocation: the host may read it without any
  /// copy that could be seen.
  std::vector<trace::Piece> managed() const;

private:
  std::vector<Snapshot::Piece> pieces() const;
  bool holds(const Snapshot::Piece &piece) const;
  size_t freeBytes() const;
  bool freeDeferred();

  trace::ProgramMemory &program;
  std::set<uintptr_t> deferred; ///< what the program has freed
  std::vector<char *> copies;
  size_t deferredBytes = 0;
};

} // namespace heddle::timing
