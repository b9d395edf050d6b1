// differs: differ at device-to-host copy 1.*63 of 64 elements
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All numbers but the last are others.
struct Particle {
  int id;
  float x;
};

__global__ void fill(Particle *all) {
  int i = threadIdx.x;
  all[i].id = i == 63 ? 63 : 1000 - i;
  all[i].x = 1.5f * i + 1;
}

int main() {
  Particle *all, host[64];
  cudaMalloc(&all, sizeof host);
  fill<<<1, 64>>>(all);
  cudaMemcpy(host, all, sizeof host, cudaMemcpyDeviceToHost);
}
