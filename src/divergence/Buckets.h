// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/BlockVectors.h"

#include <cstdint>
#include <numeric>

namespace heddle::divergence {

/// Threads by vector, each bucket in rising order.
class Buckets {
public:
  explicit Buckets(const BlockVectors &vectors) : begins(vectors.distinct() + 1) {
    for (uint32_t t = 0; t < vectors.threads(); ++t)
      ++begins[vectors.rowOfThread(t) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    threads.resize(vectors.threads());
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    for (uint32_t t = 0; t < vectors.threads(); ++t)
      threads[next[vectors.rowOfThread(t)]++] = t;
  }

  uint32_t size() const { return uint32_t(begins.size() - 1); }
  std::span<const uint32_t> of(uint32_t row) const {
    return {threads.data() + begins[row], begins[row + 1] - begins[row]};
  }

private:
  std::vector<uint32_t> begins, threads;
};

} // namespace heddle::divergence
