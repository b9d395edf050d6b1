// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil with a time loop, plain and specialized by hand: the text that `specialize` is to write. A block
// has a sheet of its own; what a step stores the next one loads, so producers and consumers meet between
// steps.
//
// Two consumer groups: each has half of a strip's rows.
#include "Combinations.h"

constexpr int Threads = 64, Strip = 4; // columns and rows of a strip

__global__ void plain(float *even, float *odd, int nx, int ny, int steps) {
  __shared__ float tile[Strip + 2][Threads];
  const int x = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    const float *from = (step % 2 ? odd : even) + size_t(blockIdx.x) * nx * ny;
    float *to = (step % 2 ? even : odd) + size_t(blockIdx.x) * nx * ny;
    for (int top = 0; top < ny; top += Strip) {
      for (int r = 0; r < Strip + 2; ++r) {
        const int y = top + r - 1;
        tile[r][x] = x < nx && y >= 0 && y < ny ? from[y * nx + x] : 0.0f;
      }
      __syncthreads();
      for (int r = 1; r <= Strip; ++r) {
        const float left = x > 0 ? tile[r][x - 1] : 0.0f, right = x + 1 < nx ? tile[r][x + 1] : 0.0f;
        if (x < nx && top + r - 1 < ny)
          to[(top + r - 1) * nx + x] =
              0.5f * tile[r][x] + 0.125f * (left + right + tile[r - 1][x] + tile[r + 1][x]);
      }
      __syncthreads();
    }
    __syncthreads();
  }
}

template <class Way>
__global__ void __launch_bounds__(Way::Roles::threads)
    specialized(float *even, float *odd, int nx, int ny, int steps) {
  using Roles = typename Way::Roles;
  using Pipe = typename Way::Pipe;
  __shared__ alignas(16) float tile[Pipe::stages][Strip + 2][Threads];
  __shared__ typename Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    typename Pipe::Producer producer(barriers);
    for (int step = 0; step < steps; ++step) {
      const float *from = (step % 2 ? odd : even) + size_t(blockIdx.x) * nx * ny;
      for (int top = 0; top < ny; top += Strip) {
        const unsigned stage = producer.acquire();
        if constexpr (Way::copy == heddle::Copy::Bulk) {
          const float *first = from + (top - 1) * nx;
          if (nx == Threads && top > 0 && top + Strip < ny && heddle::suitsBulk(first, nx)) {
            for (int r = Roles::rank() / 32; r < Strip + 2; r += Roles::producers / 32)
              producer.copyRow(tile[stage][r], first + r * nx, Threads);
            producer.commit();
            continue;
          }
        }
        for (int x = Roles::rank(); x < Threads; x += Roles::producers)
          for (int r = 0; r < Strip + 2; ++r) {
            const int y = top + r - 1;
            const bool there = x < nx && y >= 0 && y < ny;
            if constexpr (Way::copy == heddle::Copy::CpAsync)
              heddle::copyAsync(&tile[stage][r][x], there ? &from[y * nx + x] : from, there);
            else
              tile[stage][r][x] = there ? from[y * nx + x] : 0.0f;
          }
        if constexpr (Way::copy == heddle::Copy::Bulk)
          producer.commitStored();
        else
          producer.commit();
      }
      producer.meet();
    }
    producer.finish();
    return;
  }

  typename Pipe::Consumer consumer(barriers);
  const int x = Roles::rank(); // what threadIdx.x was
  constexpr int ownRows = Strip / int(Roles::groups);
  const int firstRow = Roles::group() * ownRows;
  for (int step = 0; step < steps; ++step) {
    float *to = (step % 2 ? even : odd) + size_t(blockIdx.x) * nx * ny;
    for (int top = 0; top < ny; top += Strip) {
      const unsigned stage = consumer.wait();
      for (int r = 1 + firstRow; r <= firstRow + ownRows; ++r) {
        const float left = x > 0 ? tile[stage][r][x - 1] : 0.0f;
        const float right = x + 1 < nx ? tile[stage][r][x + 1] : 0.0f;
        if (x < nx && top + r - 1 < ny)
          to[(top + r - 1) * nx + x] =
              0.5f * tile[stage][r][x] +
              0.125f * (left + right + tile[stage][r - 1][x] + tile[stage][r + 1][x]);
      }
      consumer.release();
    }
    consumer.meet();
  }
}

struct Sheet {
  int nx, ny, steps;
};

int main() {
  bool fine = true;
  std::vector<float> last;
  // No strip, no step, one of each, short strips, rows that suit bulk copies.
  for (const Sheet sheet :
       {Sheet{64, 0, 2}, Sheet{64, 8, 0}, Sheet{64, 4, 1}, Sheet{50, 13, 4}, Sheet{64, 26, 3}}) {
    const int blocks = 2;
    const std::vector<float> start = floats(size_t(sheet.nx) * sheet.ny * blocks, 1);
    const auto results = [&](auto launch) {
      float *even = toDevice(start), *odd = zeros<float>(start.size());
      launch(even, odd);
      const std::vector<float> got = toHost(sheet.steps % 2 ? odd : even, start.size());
      CHECK(cudaFree(even));
      CHECK(cudaFree(odd));
      return got;
    };
    last = results([&](float *even, float *odd) {
      plain<<<blocks, Threads>>>(even, odd, sheet.nx, sheet.ny, sheet.steps);
    });
    fine &= eachWay<Threads>([&](auto way) {
      using Way = decltype(way);
      const std::vector<float> got = results([&](float *even, float *odd) {
        specialized<Way><<<blocks, Way::Roles::threads>>>(even, odd, sheet.nx, sheet.ny, sheet.steps);
      });
      return Way::report(sameBits(got, last), sheet.ny);
    });
  }
  return verdict("pipeline/relax", last, fine);
}
