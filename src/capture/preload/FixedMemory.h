// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/preload/DriverMemory.h"
#include "trace/preload/ProgramMemory.h"

#include <memory>

namespace heddle::capture {

/// The program's allocator while it is captured: device memory in one range of addresses, managed and pinned memory in
/// another, the same ranges in every process.
class FixedMemory {
public:
  /// Null where there is none; whyNot() says whether that is for good.
  void *allocate(size_t bytes, trace::MemoryKind kind);
  bool free(void *pointer);
  bool owns(const void *pointer) const;

  /// Why addresses cannot be had at all; empty where memory is just short.
  const std::string &whyNot() const { return error; }

private:
  Arena *deviceArena();

  DevicePages devicePages;
  HostPages hostPages;
  std::unique_ptr<Arena> device, managed, pinned;
  std::string error;
};

} // namespace heddle::capture
