// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/preload/Launch.h"

namespace heddle::trace {
namespace {

/// Declared since CUDA 12.4; an older runtime does not have it.
using ParamInfo = cudaError_t(const void *, size_t, size_t *, size_t *);

} // namespace

cudaError_t Launch::make() const {
  auto *kernel = static_cast<cudaKernel_t>(const_cast<void *>(function));
  switch (way) {
  case Way::Function: return REAL(cudaLaunchKernel)(function, grid, block, arguments, sharedBytes, stream);
  case Way::Kernel: return REAL(__cudaLaunchKernel)(kernel, grid, block, arguments, sharedBytes, stream);
  case Way::Cooperative:
    return REAL(cudaLaunchCooperativeKernel)(function, grid, block, arguments, sharedBytes, stream);
  case Way::Extended: break;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = sharedBytes;
  config.stream = stream;
  config.attrs = const_cast<cudaLaunchAttribute *>(attributes.data());
  config.numAttrs = unsigned(attributes.size());
  return REAL(cudaLaunchKernelExC)(&config, function, arguments);
}

std::optional<std::vector<ArgumentBytes>> argumentsOf(const Launch &launch) {
  auto *info = real<ParamInfo>("cudaFuncGetParamInfo");
  // Asking for one parameter too many leaves an error behind, which must not hide one of the program's.
  if (!info || REAL(cudaPeekAtLastError)() != cudaSuccess)
    return std::nullopt;
  std::vector<ArgumentBytes> arguments;
  size_t offset = 0, bytes = 0;
  while (launch.arguments && info(launch.function, arguments.size(), &offset, &bytes) == cudaSuccess)
    arguments.push_back({launch.arguments[arguments.size()], bytes});
  REAL(cudaGetLastError)();
  return arguments;
}

} // namespace heddle::trace
