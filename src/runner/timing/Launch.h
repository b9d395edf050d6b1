// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Real.h"

#include <string>
#include <vector>

/// What nvcc's host stubs call since CUDA 13; no header declares it.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                          size_t sharedBytes, cudaStream_t stream);

namespace heddle::timing {

/// By which call of the runtime.
enum class Way { Function, Kernel, Cooperative, Extended };

/// A launch as the program asked for it; the arguments are the program's own.
struct Launch {
  Way way = Way::Function;
  const void *function = nullptr; ///< the host's stub, or a cudaKernel_t: the runtime takes both
  dim3 grid = {1, 1, 1}, block = {1, 1, 1};
  void **arguments = nullptr;
  size_t sharedBytes = 0;
  cudaStream_t stream = nullptr;
  std::vector<cudaLaunchAttribute> attributes; ///< of an extended one: clusters and so on

  cudaError_t make() const;
};

/// A launch that can be made when the program's arguments are gone.
class KeptLaunch {
public:
  /// `launch` with its arguments copied; canBeMade() is false where the runtime cannot tell their sizes.
  explicit KeptLaunch(const Launch &launch);

  bool canBeMade() const { return known; }
  /// On the default stream, where memory is restored too.
  cudaError_t make();
  const Launch &original() const { return launch; }
  /// Their bytes; none where it cannot be made.
  const std::vector<std::vector<char>> &arguments() const { return values; }

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
  /// Negative where it cannot be told.
  double micros() const;

private:
  cudaEvent_t first = nullptr, last = nullptr;
};

} // namespace heddle::timing
