// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SAXPY in tiles, plain and specialized by hand: the text that `specialize` is to write. A block goes from
// tile to tile (an outer loop over rows around the tile loop, so that the ring is carried on from row to
// row).
#include "Combinations.h"

constexpr unsigned Threads = 64, Tile = 256;

__global__ void plain(float *out, const float *x, const float *y, float a, int rows, int count) {
  __shared__ float tileX[Tile];
  __shared__ float tileY[Tile];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int start = 0; start < count; start += Tile) {
      const size_t from = size_t(row) * count + start;
      for (unsigned i = threadIdx.x; i < Tile; i += Threads) {
        tileX[i] = start + i < count ? x[from + i] : 0.0f;
        tileY[i] = start + i < count ? y[from + i] : 0.0f;
      }
      __syncthreads();
      for (unsigned i = threadIdx.x; i < Tile; i += Threads)
        if (start + i < count)
          out[from + i] = a * tileX[i] + tileY[i];
      __syncthreads();
    }
  }
}

template <class Way>
__global__ void __launch_bounds__(Way::Roles::threads)
    specialized(float *out, const float *x, const float *y, float a, int rows, int count) {
  using Roles = typename Way::Roles;
  using Pipe = typename Way::Pipe;
  __shared__ alignas(16) float tileX[Pipe::stages][Tile];
  __shared__ alignas(16) float tileY[Pipe::stages][Tile];
  __shared__ typename Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    typename Pipe::Producer producer(barriers);
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
      for (int start = 0; start < count; start += Tile) {
        const size_t from = size_t(row) * count + start;
        const unsigned stage = producer.acquire();
        if constexpr (Way::copy == heddle::Copy::Bulk) {
          // One row of each array; the first producer warp copies. The last tile may be too short for that.
          const bool whole = start + int(Tile) <= count && heddle::suitsBulk(x + from, Tile) &&
                             heddle::suitsBulk(y + from, Tile);
          if (whole) {
            if (Roles::rank() < 32) {
              producer.copyRow(tileX[stage], x + from, Tile);
              producer.copyRow(tileY[stage], y + from, Tile);
            }
            producer.commit();
            continue;
          }
        }
        for (unsigned i = Roles::rank(); i < Tile; i += Roles::producers) {
          if constexpr (Way::copy == heddle::Copy::CpAsync) {
            heddle::copyAsync(&tileX[stage][i], &x[from + i], start + i < count);
            heddle::copyAsync(&tileY[stage][i], &y[from + i], start + i < count);
          } else {
            tileX[stage][i] = start + i < count ? x[from + i] : 0.0f;
            tileY[stage][i] = start + i < count ? y[from + i] : 0.0f;
          }
        }
        if constexpr (Way::copy == heddle::Copy::Bulk)
          producer.commitStored();
        else
          producer.commit();
      }
    }
    producer.finish();
    return;
  }

  typename Pipe::Consumer consumer(barriers);
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int start = 0; start < count; start += Tile) {
      const size_t from = size_t(row) * count + start;
      const unsigned stage = consumer.wait();
      // The work is a parallel loop over the tile, so several groups share its iterations.
      for (unsigned i = threadIdx.x; i < Tile; i += Roles::consumers)
        if (start + i < count)
          out[from + i] = a * tileX[stage][i] + tileY[stage][i];
      consumer.release();
    }
  }
}

int main() {
  bool fine = true;
  std::vector<float> last;
  // No tile, one that is not whole, one, a bit more, rows of which only some suit bulk copies, more rounds
  // than stages.
  for (int count : {0, 5, 256, 257, 518, 2500}) {
    const int rows = 5, blocks = 2;
    const size_t total = size_t(rows) * count;
    float *x = toDevice(floats(total, 1)), *y = toDevice(floats(total, 2)), *out = zeros<float>(total);
    plain<<<blocks, Threads>>>(out, x, y, 1.5f, rows, count);
    const std::vector<float> wanted = toHost(out, total);
    fine &= eachWay<Threads>([&](auto way) {
      using Way = decltype(way);
      CHECK(cudaMemset(out, 0, total * sizeof(float)));
      specialized<Way><<<blocks, Way::Roles::threads>>>(out, x, y, 1.5f, rows, count);
      return Way::report(sameBits(toHost(out, total), wanted), count);
    });
    last = wanted;
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(out));
  }
  return verdict("pipeline/saxpy", last, fine);
}
