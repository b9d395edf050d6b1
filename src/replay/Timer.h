// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/Driver.h"

#include <atomic>
#include <functional>

namespace heddle::replay {

/// Times work on the device by events.
class Timer {
public:
  Timer(Driver &driver, cu::Stream stream);
  ~Timer();
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  /// Microseconds that the device needs for what `queue` puts on the stream. Waits for it. Throws.
  double time(const std::function<void()> &queue);
  /// Queues stores to more memory than the L2 cache holds, so that nothing of a kernel's data is in it.
  void flushL2();

private:
  static void waitAtGate(void *timer);

  Driver &driver;
  cu::Stream stream;
  cu::Event begin = nullptr, end = nullptr;
  cu::Pointer flushed = 0;
  size_t flushedBytes = 0;
  std::atomic<bool> isOpen{true};
};

} // namespace heddle::replay
