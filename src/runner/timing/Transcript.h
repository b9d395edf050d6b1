// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CopyLog.h"
#include "Launch.h"
#include "Memory.h"

#include <cstdint>
#include <map>

namespace heddle::timing {

/// Everything that the program brings back from the device, byte for byte, in a file (HEDDLE_TIMING_LOG): a
/// hash tells only that bits differ, not by how much. Each copy is written with the kernel and the parameter
/// that its memory was given to last, whose type tells what the bytes are.
class Transcript {
public:
  /// Without that variable nothing is written.
  Transcript();

  bool isOn() const { return log.isOpen(); }
  void launched(const std::string &kernel, const Launch &launch, const Memory &memory);
  /// `from` is an address on the device; null where it has none.
  void broughtBack(const void *from, const Memory &memory, std::vector<uint8_t> bytes, size_t rowBytes);

private:
  struct Use {
    std::string kernel;
    uint64_t launch;
    int parameter;
  };
  trace::CopyLogWriter log;
  std::map<uint64_t, Use> uses; ///< the newest, by the allocation's number
  uint64_t launches = 0, copies = 0;
};

} // namespace heddle::timing
