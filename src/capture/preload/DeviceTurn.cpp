// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/DeviceTurn.h"

#include "trace/preload/Real.h"

#include <algorithm>

namespace heddle::capture {
namespace {

/// Programs that launch in a loop do something on the host in between. Shorter pauses would interrupt the other process often; longer
/// ones would delay its begin.
constexpr auto kPauseOfRest = std::chrono::milliseconds(300);

} // namespace

void DeviceTurn::take() {
  latest = std::chrono::steady_clock::now();
  if (isHeld || !isShared())
    return;
  file.lock();
  isHeld = true;
}

void DeviceTurn::launched(cudaStream_t stream) {
  if (!isShared())
    return;
  latest = std::chrono::steady_clock::now();
  const auto [event, isNew] = last.try_emplace(Stream(stream, std::this_thread::get_id()), nullptr);
  if (isNew && REAL(cudaEventCreateWithFlags)(&event->second, cudaEventDisableTiming) != cudaSuccess)
    isUnseen = true;
  if (isUnseen || REAL(cudaEventRecord)(event->second, stream) != cudaSuccess) {
    REAL(cudaGetLastError)();
    isUnseen = true;
  }
}

bool DeviceTurn::isAtRest() const {
  return isHeld && !isUnseen && std::chrono::steady_clock::now() - latest >= kPauseOfRest &&
         std::all_of(last.begin(), last.end(),
                     [](const auto &each) { return REAL(cudaEventQuery)(each.second) == cudaSuccess; });
}

void DeviceTurn::release() {
  if (isHeld)
    file.unlock();
  isHeld = false;
}

} // namespace heddle::capture
