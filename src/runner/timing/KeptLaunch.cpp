// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KeptLaunch.h"

namespace heddle::timing {

KeptLaunch::KeptLaunch(const Launch &original) : launch(original) {
  REAL(cudaGetDevice)(&device);
  const auto arguments = trace::argumentsOf(original);
  if (!arguments)
    return;
  for (const trace::ArgumentBytes &argument : *arguments) {
    const char *value = static_cast<const char *>(argument.data);
    values.emplace_back(value, value + argument.bytes);
  }
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
