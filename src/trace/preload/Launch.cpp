// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways lead to the sizes of arguments. The runtime is asked for one argument too many, which it answers by an error.
// That error takes the place of the program's last one: where the program has one that it has not asked for yet, the
// driver is asked, which leaves the runtime's errors alone.
#include "trace/preload/Launch.h"

#include "trace/preload/Driver.h"

namespace heddle::trace {
namespace {

/// Of an argument by its index; false where there is none.
template <class Info> std::vector<ArgumentBytes> argumentsBy(const Launch &launch, Info info) {
  std::vector<ArgumentBytes> arguments;
  size_t offset = 0, bytes = 0;
  while (launch.arguments && info(arguments.size(), &offset, &bytes))
    arguments.push_back({launch.arguments[arguments.size()], bytes, offset});
  return arguments;
}

std::optional<std::vector<ArgumentBytes>> argumentsByRuntime(const Launch &launch) {
  // Declared since CUDA 12.4; an older runtime does not have it.
  static auto *info = real<cudaError_t(const void *, size_t, size_t *, size_t *)>("cudaFuncGetParamInfo");
  if (!info)
    return std::nullopt;
  auto arguments = argumentsBy(launch, [&](size_t index, size_t *offset, size_t *bytes) {
    return info(launch.function, index, offset, bytes) == cudaSuccess;
  });
  REAL(cudaGetLastError)();
  return arguments;
}

std::optional<std::vector<ArgumentBytes>> argumentsByDriver(const Launch &launch) {
  static auto *kernelOf = real<cudaError_t(void **, const void *)>("cudaGetKernel");
  auto *initialize = DRIVER(cuInit, unsigned);
  auto *info = DRIVER(cuKernelGetParamInfo, void *, size_t, size_t *, size_t *);
  void *kernel = const_cast<void *>(launch.function);
  if (!initialize || !info || initialize(0) != 0)
    return std::nullopt;
  if (launch.way != Way::Kernel && (!kernelOf || kernelOf(&kernel, launch.function) != cudaSuccess))
    return std::nullopt;
  return argumentsBy(launch, [&](size_t index, size_t *offset, size_t *bytes) {
    return info(kernel, index, offset, bytes) == 0;
  });
}

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
  return REAL(cudaPeekAtLastError)() == cudaSuccess ? argumentsByRuntime(launch) : argumentsByDriver(launch);
}

} // namespace heddle::trace
