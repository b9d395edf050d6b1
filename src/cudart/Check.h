// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Checker.h"

#include <memory>
#include <string>

namespace heddle::cudart {

/// The checker inside a program's runtime (HEDDLE_CHECK): sees launches, copies and allocations, and writes
/// what it found to a file whenever there may be something new, since the program may end in any way.
class ProgramCheck {
public:
  ProgramCheck(std::string resultFile, const vm::Memory &memory);

  vm::Observer *observer() { return &checker; }
  /// Called on the thread of a stream before its work.
  void beforeWork();
  void launchEnded() { write(false); }
  void wrote(const void *address, size_t bytes, const char *what);
  void read(const void *address, size_t bytes, const char *what);
  void allocated(const void *address);
  /// Called while the memory is still known.
  void freeing(const void *address);
  void write(bool complete);

private:
  const std::string file;
  const vm::Memory &memory;
  check::FindingList findings;
  check::Checker checker;
  std::mutex guard;
};

} // namespace heddle::cudart
