// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that exist a second time, for programs compiled with --default-stream per-thread: the same calls with
// the thread's own stream in the place of the default one.
#include "Launch.h"

namespace {

cudaStream_t own(cudaStream_t stream) { return stream ? stream : cudaStreamPerThread; }

/// What a copy of a thread's own stream does where the other one would wait.
cudaError_t waited(cudaError_t error) {
  return error == cudaSuccess ? REAL(cudaStreamSynchronize)(cudaStreamPerThread) : error;
}

} // namespace

extern "C" {

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t sharedBytes, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, arguments, sharedBytes, own(stream));
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t sharedBytes, cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, own(stream));
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                             size_t sharedBytes, cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, sharedBytes, own(stream));
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments) {
  cudaLaunchConfig_t changed = *config;
  changed.stream = own(config->stream);
  return cudaLaunchKernelExC(&changed, function, arguments);
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graph, cudaStream_t stream) {
  return cudaGraphLaunch(graph, own(stream));
}
cudaError_t cudaMallocAsync_ptsz(void **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, own(stream));
}
cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream) {
  return cudaFreeAsync(pointer, own(stream));
}
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, own(stream));
}
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return waited(cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                   size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, own(stream));
}
cudaError_t cudaMemcpy2D_ptds(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind) {
  return waited(cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind) {
  return waited(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, cudaStreamPerThread));
}
}
