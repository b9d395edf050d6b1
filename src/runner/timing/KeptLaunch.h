// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/preload/Launch.h"

#include <vector>

namespace heddle::timing {

using trace::Launch;

/// A launch that can be made when the program's arguments are gone.
class KeptLaunch {
public:
  /// `launch` with its arguments copied; canBeMade() is false where the runtime does not know their sizes.
  explicit KeptLaunch(const Launch &launch);

  bool canBeMade() const { return known; }
  /// On the default stream, where memory is restored too.
  cudaError_t make();
  const Launch &original() const { return launch; }

private:
  Launch launch;
  std::vector<std::vector<char>> values;
  int device = 0;
  bool known = false;
};

/// What a compiled kernel takes.
struct Needs {
  int registers = 0;
  size_t localBytes = 0, sharedBytes = 0;
  double occupancy = 0; ///< percent of the multiprocessor's warps
};
Needs needsOf(const Launch &launch);

/// Two events around something on a stream.
class EventPair {
public:
  EventPair();
  ~EventPair();
  EventPair(const EventPair &) = delete;
  EventPair &operator=(const EventPair &) = delete;
  void begin(cudaStream_t stream) { REAL(cudaEventRecord)(first, stream); }
  void end(cudaStream_t stream) { REAL(cudaEventRecord)(last, stream); }
  void wait() { REAL(cudaEventSynchronize)(last); }
  /// Negative where it is unknown.
  double micros() const;

private:
  cudaEvent_t first = nullptr, last = nullptr;
};

} // namespace heddle::timing
