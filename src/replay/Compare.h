// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/Driver.h"

#include <vector>

namespace heddle::replay {

/// Compares memory on the device: bytes that differ are counted, and the first of them is found.
class Comparer {
public:
  struct Pair {
    cu::Pointer a = 0, b = 0;
    uint64_t bytes = 0;
  };
  struct Result {
    uint64_t differing = 0;
    uint64_t first = 0; ///< offset of the first byte that differs
  };

  /// Without a kernel, and where the driver cannot load one, memory is compared on the host.
  explicit Comparer(Driver &driver, bool hasKernel = true);
  ~Comparer();
  Comparer(const Comparer &) = delete;
  Comparer &operator=(const Comparer &) = delete;

  /// One result for each pair. Waits for everything that was queued on the stream.
  std::vector<Result> compare(const std::vector<Pair> &pairs, cu::Stream stream);

private:
  void makeSpace(size_t pairs);
  std::vector<Result> compareOnHost(const std::vector<Pair> &pairs, cu::Stream stream);

  Driver &driver;
  cu::Module module = nullptr;
  cu::Function function = nullptr; ///< null: this driver cannot compile PTX
  cu::Pointer table = 0;           ///< pairs, then counts, then offsets
  size_t capacity = 0;             ///< in pairs
};

} // namespace heddle::replay
