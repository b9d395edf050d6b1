// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../nbody.cu with two buffers and cp.async of 16 bytes.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128;
constexpr float Softening = 0.01f;

__device__ float3 pull(float3 sum, float4 on, float4 from) {
  const float dx = from.x - on.x, dy = from.y - on.y, dz = from.z - on.z;
  const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + Softening);
  const float strength = from.w * (inverse * inverse * inverse);
  return make_float3(sum.x + dx * strength, sum.y + dy * strength, sum.z + dz * strength);
}

__global__ void nbody(float4 *forces, const float4 *bodies, int count) {
  __shared__ float4 tile[2][Threads];
  const int body = blockIdx.x * Threads + threadIdx.x;
  const float4 own = body < count ? bodies[body] : make_float4(0, 0, 0, 0);

  const auto copy = [&](int start, int buffer) {
    const int other = start + threadIdx.x;
    if (start < count)
      __pipeline_memcpy_async(&tile[buffer][threadIdx.x], other < count ? &bodies[other] : bodies, 16,
                              other < count ? 0 : 16);
    __pipeline_commit();
  };

  float3 force = make_float3(0, 0, 0);
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < count; start += Threads, buffer ^= 1) {
    copy(start + Threads, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < Threads; ++i)
      force = pull(force, own, tile[buffer][i]);
    __syncthreads();
  }
  if (body < count)
    forces[body] = make_float4(force.x, force.y, force.z, 0);
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 300);
  std::vector<float> bodies = floats(size_t(count) * 4, 13, 0, 1); // x, y, z and mass
  for (int i = 0; i < count; ++i)
    bodies[4 * size_t(i) + 3] /= count;
  float *deviceBodies = toDevice(bodies), *forces = zeros<float>(bodies.size());

  nbody<<<blocksFor(count, Threads), Threads>>>((float4 *)forces, (const float4 *)deviceBodies, count);
  const std::vector<float> got = toHost(forces, bodies.size());

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int i = 0; i < count && at % 4 < 3; ++i) {
      double distance[3], square = Softening;
      for (int axis = 0; axis < 3; ++axis) {
        distance[axis] = double(bodies[4 * i + axis]) - bodies[at / 4 * 4 + axis];
        square += distance[axis] * distance[axis];
      }
      sum += bodies[4 * i + 3] * distance[at % 4] / (square * std::sqrt(square));
    }
    return sum;
  };
  return verdict("nbody", got, agree(got, wanted, 1e-4, 4000));
}
