// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity between all pairs of bodies: a block loads a tile of bodies into shared memory, and each thread
// adds up what the tile does to its own body. All threads read the same element at the same time, which is
// the reuse that coarsening moves into registers; a barrier is on either side inside the loop over tiles.
#include "check.h"

constexpr int Threads = 256;
constexpr float Softening = 0.01f;

__host__ __device__ inline void addPull(float3 &sum, float4 me, float4 other) {
  float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  float distance2 = dx * dx + dy * dy + dz * dz + Softening;
  float inverse = 1.0f / sqrtf(distance2);
  float pull = other.w * inverse * inverse * inverse;
  sum.x += dx * pull;
  sum.y += dy * pull;
  sum.z += dz * pull;
}

__global__ void gravity(float3 *pulls, const float4 *bodies, int count) {
  __shared__ float4 tile[Threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < count ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int first = 0; first < count; first += Threads) {
    int mine = first + threadIdx.x;
    tile[threadIdx.x] = mine < count ? bodies[mine] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();

    for (int j = 0; j < Threads; ++j) // bodies beyond the last have no mass
      addPull(sum, me, tile[j]);
    __syncthreads();
  }
  if (i < count)
    pulls[i] = sum;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 300);
  std::vector<float4> bodies(count);
  for (int i = 0; i < count; ++i)
    bodies[i] = make_float4(float((i * 37) % 101) / 50.0f, float((i * 53) % 97) / 50.0f,
                            float((i * 71) % 89) / 50.0f, 1.0f + float(i % 3));
  std::vector<float3> pulls(count);

  float4 *deviceBodies = toDevice(bodies);
  float3 *devicePulls = toDevice(pulls);
  gravity<<<(count + Threads - 1) / Threads, Threads>>>(devicePulls, deviceBodies, count);
  CHECK(cudaGetLastError());
  toHost(pulls, devicePulls);

  std::vector<float> got, wanted;
  for (int i = 0; i < count; ++i) {
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (const float4 &other : bodies)
      addPull(sum, bodies[i], other);
    got.insert(got.end(), {pulls[i].x, pulls[i].y, pulls[i].z});
    wanted.insert(wanted.end(), {sum.x, sum.y, sum.z});
  }
  // Pulls of up to 1e3 cancel each other; a thousandth of what is left is far above their rounding.
  const bool passed = allClose(got, wanted, 1e-3);
  CHECK(cudaFree(deviceBodies));
  CHECK(cudaFree(devicePulls));
  return verdict("nbody", passed);
}
