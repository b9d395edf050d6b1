// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// The stacks of a block's threads: which bytes they have written.
class LocalMemory {
public:
  void begin(unsigned warps) { written.assign(warps, {}); }
  void write(unsigned warp, const vm::AccessEvent &event);
  /// Reports reads of bytes of which none has been written.
  void read(const Where &at, const vm::AccessEvent &event, Reporter &reporter);

private:
  std::vector<uint32_t> &bytesFor(unsigned warp, const vm::AccessEvent &event);
  std::vector<std::vector<uint32_t>> written; ///< of each warp, for each byte the lanes that wrote it
};

} // namespace heddle::check
