// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::vm {

/// A grid, block or thread position; the three numbers CUDA gives in x, y, z.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3 &) const = default;
};

/// What the simulator pretends to be, as plain numbers: the caller takes them from an architecture table. The
/// defaults are those of an sm_90 part.
struct Limits {
  unsigned computeCapability = 90;
  unsigned multiprocessors = 132;
  unsigned maxThreadsPerBlock = 1024;
  unsigned maxThreadsPerMultiprocessor = 2048;
  unsigned maxBlocksPerMultiprocessor = 32;
  Dim3 maxBlock = {1024, 1024, 64};
  Dim3 maxGrid = {2147483647u, 65535, 65535};
  /// Static plus dynamic shared memory a block may have once the kernel opted in; without opting in the
  /// runtime above refuses what exceeds 48 KiB.
  uint32_t maxSharedBytesPerBlock = 227 * 1024;
  uint64_t constantBytes = 64 * 1024;
  /// Stack of one thread: frames of `.local` variables and allocas. More is reported as a stack overflow.
  uint32_t stackBytesPerThread = 512 * 1024;
  /// What `malloc` in device code may take in all.
  uint64_t deviceHeapBytes = uint64_t(8) << 20;
  /// All that allocate() hands out together.
  uint64_t memoryBytes = uint64_t(80) << 30;
  /// Host threads that execute blocks; 0 means all cores of this machine.
  unsigned cores = 0;
};

} // namespace heddle::vm
