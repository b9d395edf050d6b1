// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::vm {

/// Dimensions of a grid or block, or a position in it: x, y, z as in CUDA.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3 &) const = default;
};

/// The limits of the simulated device, as plain numbers: the caller takes them from an architecture table. The
/// defaults are those of sm_90.
struct Limits {
  unsigned computeCapability = 90;
  unsigned multiprocessors = 132;
  unsigned maxThreadsPerBlock = 1024;
  unsigned maxThreadsPerMultiprocessor = 2048;
  unsigned maxBlocksPerMultiprocessor = 32;
  Dim3 maxBlock = {1024, 1024, 64};
  Dim3 maxGrid = {2147483647u, 65535, 65535};
  /// Maximum static plus dynamic shared memory of a block whose kernel has opted in; without opt-in the CUDA
  /// runtime refuses more than 48 KiB.
  uint32_t maxSharedBytesPerBlock = 227 * 1024;
  uint64_t constantBytes = 64 * 1024;
  /// Stack of one thread: frames of `.local` variables and allocas. More is reported as a stack overflow.
  uint32_t stackBytesPerThread = 512 * 1024;
  /// Total bytes that `malloc` in device code may allocate.
  uint64_t deviceHeapBytes = uint64_t(8) << 20;
  /// Total bytes that allocate() may return.
  uint64_t memoryBytes = uint64_t(80) << 30;
  /// Host threads that execute blocks; 0: all cores of the host.
  unsigned cores = 0;
};

} // namespace heddle::vm
