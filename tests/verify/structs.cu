// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of integers and floats: no tolerance is applied to them, since their members are not known.
struct Particle {
  int id;
  float x;
};

__global__ void fill(Particle *all) {
  int i = threadIdx.x;
  all[i].id = i;
  all[i].x = 1.5f * i + 1;
}

int main() {
  Particle *all, host[64];
  cudaMalloc(&all, sizeof host);
  fill<<<1, 64>>>(all);
  cudaMemcpy(host, all, sizeof host, cudaMemcpyDeviceToHost);
}
