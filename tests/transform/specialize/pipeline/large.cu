// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages that together are larger than 48 KB: dynamic shared memory, which the launch has to ask for. With
// more of them than the device can give a block (-DSTAGES=8) the program says so and ends.
#include "Combinations.h"

#ifndef STAGES
#define STAGES 3
#endif

using Roles = heddle::Roles<128, 1, 1>;
using Pipe = heddle::Pipeline<Roles, STAGES, heddle::Copy::Bulk, heddle::Barrier::Mbarrier>;

constexpr int Tile = 4096;
struct Tiles { // a stage
  float x[Tile], y[Tile];
};

__global__ void __launch_bounds__(Roles::threads) dot(float *out, const float *x, const float *y, int tiles) {
  extern __shared__ __align__(16) unsigned char shared[];
  Tiles *stages = reinterpret_cast<Tiles *>(shared);
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int tile = 0; tile < tiles; ++tile) {
      Tiles &to = stages[producer.acquire()];
      producer.copyRow(to.x, x + size_t(tile) * Tile, Tile);
      producer.copyRow(to.y, y + size_t(tile) * Tile, Tile);
      producer.commit();
    }
    producer.finish();
    return;
  }
  Pipe::Consumer consumer(barriers);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const Tiles &from = stages[consumer.wait()];
    for (int i = Roles::rank(); i < Tile; i += Roles::groupThreads)
      sum += from.x[i] * from.y[Tile - 1 - i];
    consumer.release();
  }
  out[Roles::rank()] = sum;
}

int main(int argc, char **argv) {
  const int tiles = sizeArgument(argc, argv, 1, 5);
  const std::vector<float> x = floats(size_t(tiles) * Tile, 1), y = floats(x.size(), 2);
  float *deviceX = toDevice(x), *deviceY = toDevice(y), *out = zeros<float>(128);
  dot<<<1, Roles::threads, heddle::sharedBytes(dot, Pipe::stages * sizeof(Tiles), "dot")>>>(out, deviceX,
                                                                                            deviceY, tiles);
  const std::vector<float> got = toHost(out, 128);
  const auto wanted = [&](size_t thread) {
    double sum = 0;
    for (size_t i = thread; i < x.size(); i += 128)
      sum += double(x[i]) * y[i / Tile * Tile + Tile - 1 - i % Tile];
    return sum;
  };
  return verdict("pipeline/large", got, agree(got, wanted, 1e-4));
}
