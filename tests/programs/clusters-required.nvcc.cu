// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that brings its cluster size along, launched as any other; and what does not fit it.
// with the toolkit: nvcc only (Clang sees no cluster groups in NVIDIA's header)
#include "Check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) exchange(int *out) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
  mine = blockIdx.x * 10;
  cluster.sync();
  *(out + blockIdx.x) = *cluster.map_shared_rank(&mine, 3 - cluster.block_rank()) + cluster.num_blocks();
  cluster.sync();
}

int main() {
  DeviceArray<int> out(8);
  exchange<<<8, 1>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int block = 0; block < 8; ++block)
    CHECK(got[block] == (block / 4 * 4 + 3 - block % 4) * 10 + 4);

  cudaFuncAttributes attributes;
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, exchange));
  CHECK(attributes.requiredClusterWidth == 4 && attributes.requiredClusterHeight == 1);
  exchange<<<6, 1>>>(out); // not an integer number of clusters
  CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
  return pass();
}
