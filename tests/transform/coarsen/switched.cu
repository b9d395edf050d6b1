// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The preprocessor switches parts of the kernel, and the block is spoken of as a group.
#include "Harness.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define REVERSE 1

__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[128];
  cg::thread_block cta = cg::this_thread_block();
  int i = blockIdx.x * cta.size() + cta.thread_rank();
#ifdef NEVER_DEFINED
  out[i] = 0.0f;
#endif
  tile[cta.thread_rank()] = i < n ? in[i] : 0.0f;
  cta.sync();
#if REVERSE
  // from the other end
  float found = tile[cta.size() - 1 - cta.thread_rank()];
#else
  float found = tile[cta.thread_rank()];
#endif
  if (i < n)
    out[i] = found;
}

int main() {
  const int n = 1000;
  float *out = zeros<float>(n);
  turn<<<(n + 127) / 128, 128>>>(out, input<float>(n), n);
  bring("turn", out, n);
}
