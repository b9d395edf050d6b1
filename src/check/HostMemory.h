// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What host code and the streams do to global memory.
#pragma once

#include "check/GlobalNames.h"
#include "check/Reporter.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::check {

/// Which global memory holds something that no kernel wrote.
class HostWrites {
public:
  explicit HostWrites(const vm::Memory *deviceMemory) : memory(deviceMemory) {}

  void wrote(uint64_t address, uint64_t bytes);
  void freed(uint64_t address, uint64_t bytes);
  /// Whether some byte of the range holds something. Only what cudaMalloc and device-side malloc give is empty:
  /// variables start as zeros, and host code may write managed and mapped memory without anybody seeing it.
  bool startsWritten(uint64_t address, uint64_t bytes) const;
  /// Whether the host wrote all of it.
  bool isOneRange(uint64_t address, uint64_t bytes) const;

private:
  const vm::Memory *memory;
  std::map<uint64_t, uint64_t> ranges; ///< begin to end
};

/// A copy or fill in a stream.
struct HostCopy {
  uint64_t begin = 0, end = 0;
  bool write = false;
  std::string what;
};

/// The newest copies that had an order.
class HostWork {
public:
  void add(const WorkOrder &order, HostCopy copy);
  std::vector<HostCopy> unorderedWith(const WorkOrder &launch) const;

private:
  std::deque<std::pair<WorkOrder, HostCopy>> work;
};

/// Copies of other streams that nothing orders with a launch. They may begin while it runs.
class LooseCopies {
public:
  void add(HostCopy copy);
  bool empty() const { return !any; }
  /// Reports what an access meets.
  void check(const Where &at, const vm::AccessEvent &event, bool write, const GlobalNames &names,
             Reporter &reporter) const;

private:
  std::atomic<bool> any{false};
  mutable std::mutex guard; ///< of what follows
  std::vector<HostCopy> copies;
};

} // namespace heddle::check
