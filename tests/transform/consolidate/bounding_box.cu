// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box around all bodies, as a tree code needs it first: blocks of 1024 threads find theirs, and the block
// that finishes last, by an atomic counter, finds the box around these.
//
// For consolidation: 32 warps in one, the most there is. Four arrays of 1024 would be 128 registers per lane:
// legal, but not wise. Blocks are distinguished by who is last, not waited for, so that persistent warps may
// take them in any order; 'last' is a shared scalar that one thread writes for all.
#include "Harness.h"

#define THREADS 1024

struct Box {
  float minX, minY, maxX, maxY;
};

__global__ void boundingBox(Box *result, Box *parts, unsigned *finished, const float2 *bodies, int count) {
  __shared__ float minX[THREADS], minY[THREADS], maxX[THREADS], maxY[THREADS];
  __shared__ bool last;
  const int tid = threadIdx.x;

  Box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int i = blockIdx.x * THREADS + tid; i < count; i += gridDim.x * THREADS) {
    const float2 body = bodies[i];
    box = {fminf(box.minX, body.x), fminf(box.minY, body.y), fmaxf(box.maxX, body.x),
           fmaxf(box.maxY, body.y)};
  }
  minX[tid] = box.minX, minY[tid] = box.minY, maxX[tid] = box.maxX, maxY[tid] = box.maxY;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (tid < half) {
      minX[tid] = fminf(minX[tid], minX[tid + half]);
      minY[tid] = fminf(minY[tid], minY[tid + half]);
      maxX[tid] = fmaxf(maxX[tid], maxX[tid + half]);
      maxY[tid] = fmaxf(maxY[tid], maxY[tid + half]);
    }
  }

  if (tid == 0) {
    parts[blockIdx.x] = {minX[0], minY[0], maxX[0], maxY[0]};
    __threadfence();
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && tid == 0) {
    Box all = parts[0];
    for (unsigned i = 1; i < gridDim.x; ++i)
      all = {fminf(all.minX, parts[i].minX), fminf(all.minY, parts[i].minY), fmaxf(all.maxX, parts[i].maxX),
             fmaxf(all.maxY, parts[i].maxY)};
    *result = all;
  }
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 20000), blocks = argument(argc, argv, 2, 5);
  const std::vector<float> bodies = floats(2 * size_t(count), 39, -100, 100);
  float *deviceBodies = toDevice(bodies), *result = zeros<float>(4),
        *parts = zeros<float>(4 * size_t(blocks));
  boundingBox<<<blocks, THREADS>>>((Box *)result, (Box *)parts, zeros<unsigned>(1),
                                   (const float2 *)deviceBodies, count);
  const std::vector<float> got = toHost(result, 4);

  Box box = {bodies[0], bodies[1], bodies[0], bodies[1]};
  for (size_t i = 0; i < bodies.size(); i += 2)
    box = {std::fmin(box.minX, bodies[i]), std::fmin(box.minY, bodies[i + 1]), std::fmax(box.maxX, bodies[i]),
           std::fmax(box.maxY, bodies[i + 1])};
  const float wanted[] = {box.minX, box.minY, box.maxX, box.maxY};
  return verdict("bounding_box", got, agree(got, [&](size_t i) { return wanted[i]; }, 0));
}
