// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N-body: forces of all bodies on all, one body a thread; the block brings 256 bodies at a time into shared
// memory.
//
// For consolidation: every load of the tile is one element for all, a broadcast from a lane and register that
// the loop counter gives; the loop over 256 bodies is fixed, so that after splitting it by 32 the register is
// fixed too. The elements are float4: four shuffles each, and eight times four registers per lane.
#include "Harness.h"

constexpr int Threads = 256;
constexpr float Softening = 0.01f;

__device__ float3 pull(float3 sum, float4 on, float4 from) {
  const float dx = from.x - on.x, dy = from.y - on.y, dz = from.z - on.z;
  const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + Softening);
  const float strength = from.w * (inverse * inverse * inverse);
  sum.x += dx * strength;
  sum.y += dy * strength;
  sum.z += dz * strength;
  return sum;
}

__global__ void __launch_bounds__(Threads) nbody(float4 *forces, const float4 *bodies, int count) {
  __shared__ float4 tile[Threads];
  const int body = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = body < count ? bodies[body] : make_float4(0, 0, 0, 0);

  float3 force = make_float3(0, 0, 0);
  for (int start = 0; start < count; start += Threads) {
    const int other = start + threadIdx.x;
    tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0); // no mass, no pull
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < Threads; ++i)
      force = pull(force, own, tile[i]);
    __syncthreads();
  }
  if (body < count)
    forces[body] = make_float4(force.x, force.y, force.z, 0);
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 600);
  std::vector<float> bodies = floats(size_t(count) * 4, 13, 0, 1); // x, y, z and mass
  for (int i = 0; i < count; ++i)
    bodies[4 * size_t(i) + 3] /= count; // all together about the same at any size
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
