// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed memory is registered host memory while a program is captured, which the runtime's functions for managed memory
// do not accept. What they do is advice: for such memory the answer is success.
//
// Their parameters differ between CUDA 12 and 13 (a device, or a location of 8 bytes and flags). All are passed in
// registers, and six of them are passed on, whatever they mean. The names are given to the assembler, since CUDA's
// headers declare them one way or the other.
#include "capture/preload/CaptureRecorder.h"

namespace {

using Word = unsigned long long;
using Advice = cudaError_t(const void *, Word, Word, Word, Word, Word);

cudaError_t advise(const char *name, const void *pointer, Word a, Word b, Word c, Word d, Word e) {
  if (heddle::capture::CaptureRecorder::instance().owns(pointer))
    return cudaSuccess;
  auto *function = heddle::trace::real<Advice>(name);
  return function ? function(pointer, a, b, c, d, e) : cudaErrorInvalidValue;
}

} // namespace

#define HEDDLE_ADVICE(function, name)                                                                        \
  extern "C" Advice function __asm__(name);                                                                  \
  cudaError_t function(const void *pointer, Word a, Word b, Word c, Word d, Word e) {                        \
    return advise(name, pointer, a, b, c, d, e);                                                             \
  }

HEDDLE_ADVICE(heddleMemAdvise, "cudaMemAdvise")
HEDDLE_ADVICE(heddleMemAdviseV2, "cudaMemAdvise_v2")
HEDDLE_ADVICE(heddleMemPrefetch, "cudaMemPrefetchAsync")
HEDDLE_ADVICE(heddleMemPrefetchPerThread, "cudaMemPrefetchAsync_ptsz")
HEDDLE_ADVICE(heddleMemPrefetchV2, "cudaMemPrefetchAsync_v2")
HEDDLE_ADVICE(heddleMemPrefetchV2PerThread, "cudaMemPrefetchAsync_v2_ptsz")
