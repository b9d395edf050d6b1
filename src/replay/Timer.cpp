// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the first event and the kernel the device must not wait for the host. Both events and the launch are therefore
// queued after a gate, a host function that ends when all three are in the queue.
#include "replay/Timer.h"

#include <chrono>

namespace heddle::replay {
namespace {

/// The host needs some microseconds for three calls; a gate that stays closed must not hang the device.
constexpr auto kLongestGate = std::chrono::microseconds(500);

} // namespace

Timer::Timer(Driver &driver, cu::Stream stream) : driver(driver), stream(stream) {
  driver.check(driver.eventCreate(&begin, 0), "events cannot be created");
  driver.check(driver.eventCreate(&end, 0), "events cannot be created");
}

Timer::~Timer() {
  driver.eventDestroy(begin);
  driver.eventDestroy(end);
  if (flushed)
    driver.memFree(flushed);
}

void Timer::waitAtGate(void *timer) {
  const auto began = std::chrono::steady_clock::now();
  while (!static_cast<Timer *>(timer)->isOpen && std::chrono::steady_clock::now() - began < kLongestGate)
    ;
}

double Timer::time(const std::function<void()> &queue) {
  isOpen = false;
  try {
    driver.check(driver.launchHostFunc(stream, waitAtGate, this), "timing");
    driver.check(driver.eventRecord(begin, stream), "timing");
    queue();
    driver.check(driver.eventRecord(end, stream), "timing");
  } catch (...) {
    isOpen = true;
    driver.streamSynchronize(stream);
    throw;
  }
  isOpen = true;
  driver.check(driver.streamSynchronize(stream), "the kernel failed while it was timed");
  float milliseconds = 0;
  driver.check(driver.eventElapsedTime(&milliseconds, begin, end), "timing");
  return double(milliseconds) * 1000;
}

void Timer::flushL2() {
  if (!flushed) {
    flushedBytes = 2 * size_t(driver.attribute(cu::L2Bytes));
    if (flushedBytes == 0)
      return;
    driver.check(driver.memAlloc(&flushed, flushedBytes), "memory for flushing L2");
  }
  driver.check(driver.fillBytes(flushed, 0, flushedBytes, stream), "flushing L2");
}

} // namespace heddle::replay
