// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/CopyRecorder.h"
#include "trace/preload/Real.h"

#include <optional>
#include <vector>

/// What nvcc's host stubs call since CUDA 13; no header declares it.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                          size_t sharedBytes, cudaStream_t stream);

namespace heddle::trace {

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

/// The arguments with their sizes; nothing where neither the runtime nor the driver knows the sizes. An error that the
/// program has not asked for yet stays what cudaGetLastError() will return.
std::optional<std::vector<ArgumentBytes>> argumentsOf(const Launch &launch);

} // namespace heddle::trace
