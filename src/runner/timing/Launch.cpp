// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.h"

#include <algorithm>

namespace heddle::timing {
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

KeptLaunch::KeptLaunch(const Launch &original) : launch(original) {
  REAL(cudaGetDevice)(&device);
  auto *info = real<ParamInfo>("cudaFuncGetParamInfo");
  // Asking for one parameter too many leaves an error behind, which must not hide one of the program's.
  if (!info || REAL(cudaPeekAtLastError)() != cudaSuccess)
    return;
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; info(launch.function, i, &offset, &bytes) == cudaSuccess; ++i) {
    const char *value = static_cast<const char *>(launch.arguments[i]);
    values.emplace_back(value, value + bytes);
  }
  REAL(cudaGetLastError)();
  known = true;
}

cudaError_t KeptLaunch::make() {
  std::vector<void *> arguments;
  for (std::vector<char> &value : values)
    arguments.push_back(value.data());
  REAL(cudaSetDevice)(device);
  Launch again = launch;
  again.arguments = arguments.data();
  again.stream = nullptr;
  return again.make();
}

Needs needsOf(const Launch &launch) {
  Needs needs;
  cudaFuncAttributes attributes = {};
  if (REAL(cudaFuncGetAttributes)(&attributes, launch.function) == cudaSuccess) {
    needs.registers = attributes.numRegs;
    needs.localBytes = attributes.localSizeBytes;
    needs.sharedBytes = attributes.sharedSizeBytes + launch.sharedBytes;
  }
  const int threads = int(launch.block.x * launch.block.y * launch.block.z);
  int blocks = 0, most = 0, device = 0;
  REAL(cudaGetDevice)(&device);
  if (REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, launch.function, threads,
                                                          launch.sharedBytes) == cudaSuccess &&
      REAL(cudaDeviceGetAttribute)(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device) == cudaSuccess &&
      most)
    needs.occupancy = 100.0 * blocks * ((threads + 31) / 32 * 32) / most;
  return needs;
}

EventPair::EventPair() {
  REAL(cudaEventCreate)(&first);
  REAL(cudaEventCreate)(&last);
}

EventPair::~EventPair() {
  REAL(cudaEventDestroy)(first);
  REAL(cudaEventDestroy)(last);
}

double EventPair::micros() const {
  float millis = 0;
  return REAL(cudaEventElapsedTime)(&millis, first, last) == cudaSuccess ? 1000.0 * double(millis) : -1;
}

} // namespace heddle::timing
