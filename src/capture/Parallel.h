// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace heddle::capture {

/// Calls `work(i)` for every i below `count`, on up to `threads` threads. Returns when all are done.
template <class Work> void forEachIndex(size_t count, unsigned threads, const Work &work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min<size_t>(count, std::max(threads, 1u)); ++i)
    others.emplace_back(run);
  run();
  for (std::thread &other : others)
    other.join();
}

} // namespace heddle::capture
