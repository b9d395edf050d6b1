// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product in tiles, plain and specialized by hand: the text that `specialize` is to write. Blocks of
// 32x4 threads, of which each computes eight rows of a column; persistent blocks, which take one tile of the
// result after another, so that the ring is carried on from one product to the next.
//
// Two consumer groups: a group has as many threads as the block had, and half of each thread's rows.
#include "Combinations.h"

constexpr int Rows = 32, Columns = 32, Depth = 16; // the tile of the result, and how deep a step goes
constexpr int ThreadsX = 32, ThreadsY = 4, Threads = ThreadsX * ThreadsY;

__global__ void plain(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float tileA[Rows][Depth];
  __shared__ float tileB[Depth][Columns];
  const int tilesX = (n + Columns - 1) / Columns, tilesY = (m + Rows - 1) / Rows;
  for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
    const int top = tile / tilesX * Rows, left = tile % tilesX * Columns;
    float sum[Rows / ThreadsY] = {};
    for (int start = 0; start < k; start += Depth) {
      for (int i = threadIdx.y * ThreadsX + threadIdx.x; i < Rows * Depth; i += Threads) {
        const int row = top + i / Depth, column = start + i % Depth;
        tileA[i / Depth][i % Depth] = row < m && column < k ? a[size_t(row) * k + column] : 0.0f;
      }
      for (int i = threadIdx.y * ThreadsX + threadIdx.x; i < Depth * Columns; i += Threads) {
        const int row = start + i / Columns, column = left + i % Columns;
        tileB[i / Columns][i % Columns] = row < k && column < n ? b[size_t(row) * n + column] : 0.0f;
      }
      __syncthreads();
      for (int r = 0; r < Rows / ThreadsY; ++r)
        for (int d = 0; d < Depth; ++d)
          sum[r] += tileA[r * ThreadsY + threadIdx.y][d] * tileB[d][threadIdx.x];
      __syncthreads();
    }
    for (int r = 0; r < Rows / ThreadsY; ++r) {
      const int row = top + r * ThreadsY + threadIdx.y, column = left + threadIdx.x;
      if (row < m && column < n)
        c[size_t(row) * n + column] = sum[r];
    }
  }
}

template <class Way>
__global__ void __launch_bounds__(Way::Roles::threads)
    specialized(float *c, const float *a, const float *b, int m, int n, int k) {
  using Roles = typename Way::Roles;
  using Pipe = typename Way::Pipe;
  __shared__ alignas(16) float tileA[Pipe::stages][Rows][Depth];
  __shared__ alignas(16) float tileB[Pipe::stages][Depth][Columns];
  __shared__ typename Pipe::Barriers barriers;
  Pipe::setUp(barriers);
  const int tilesX = (n + Columns - 1) / Columns, tilesY = (m + Rows - 1) / Rows;

  if (Roles::isProducer()) {
    typename Pipe::Producer producer(barriers);
    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
      const int top = tile / tilesX * Rows, left = tile % tilesX * Columns;
      for (int start = 0; start < k; start += Depth) {
        const unsigned stage = producer.acquire();
        if constexpr (Way::copy == heddle::Copy::Bulk) {
          // Rows are distributed among the producer warps. At an edge, or where rows are not aligned, as with
          // ld.
          const float *fromA = a + size_t(top) * k + start, *fromB = b + size_t(start) * n + left;
          const bool whole = top + Rows <= m && left + Columns <= n && start + Depth <= k &&
                             heddle::suitsBulk(fromA, k) && heddle::suitsBulk(fromB, n);
          if (whole) {
            for (int row = Roles::rank() / 32; row < Rows; row += Roles::producers / 32)
              producer.copyRow(tileA[stage][row], fromA + size_t(row) * k, Depth);
            for (int row = Roles::rank() / 32; row < Depth; row += Roles::producers / 32)
              producer.copyRow(tileB[stage][row], fromB + size_t(row) * n, Columns);
            producer.commit();
            continue;
          }
        }
        for (int i = Roles::rank(); i < Rows * Depth; i += Roles::producers) {
          const int row = top + i / Depth, column = start + i % Depth;
          if constexpr (Way::copy == heddle::Copy::CpAsync)
            heddle::copyAsync(&tileA[stage][i / Depth][i % Depth], &a[size_t(row) * k + column],
                              row < m && column < k);
          else
            tileA[stage][i / Depth][i % Depth] = row < m && column < k ? a[size_t(row) * k + column] : 0.0f;
        }
        for (int i = Roles::rank(); i < Depth * Columns; i += Roles::producers) {
          const int row = start + i / Columns, column = left + i % Columns;
          if constexpr (Way::copy == heddle::Copy::CpAsync)
            heddle::copyAsync(&tileB[stage][i / Columns][i % Columns], &b[size_t(row) * n + column],
                              row < k && column < n);
          else
            tileB[stage][i / Columns][i % Columns] =
                row < k && column < n ? b[size_t(row) * n + column] : 0.0f;
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
  const int tx = Roles::rank() % ThreadsX, ty = Roles::rank() / ThreadsX; // what threadIdx was
  constexpr int ownRows = Rows / ThreadsY / int(Roles::groups);
  const int firstRow = Roles::group() * ownRows;
  for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
    const int top = tile / tilesX * Rows, left = tile % tilesX * Columns;
    float sum[ownRows] = {};
    for (int start = 0; start < k; start += Depth) {
      const unsigned stage = consumer.wait();
      for (int r = 0; r < ownRows; ++r)
        for (int d = 0; d < Depth; ++d)
          sum[r] += tileA[stage][(firstRow + r) * ThreadsY + ty][d] * tileB[stage][d][tx];
      consumer.release();
    }
    for (int r = 0; r < ownRows; ++r) {
      const int row = top + (firstRow + r) * ThreadsY + ty, column = left + tx;
      if (row < m && column < n)
        c[size_t(row) * n + column] = sum[r];
    }
  }
}

struct Shape {
  int m, n, k;
};

int main() {
  bool fine = true;
  std::vector<float> last;
  // No step at all, one, some; rows that suit bulk copies and rows that do not; no tile of the result.
  for (const Shape size : {Shape{33, 40, 0}, Shape{32, 32, 16}, Shape{70, 45, 37}, Shape{64, 64, 80},
                           Shape{64, 66, 80}, Shape{0, 0, 16}}) {
    const int blocks = 2;
    const size_t total = size_t(size.m) * size.n;
    float *a = toDevice(floats(size_t(size.m) * size.k, 1)),
          *b = toDevice(floats(size_t(size.k) * size.n, 2));
    float *c = zeros<float>(total);
    plain<<<blocks, dim3(ThreadsX, ThreadsY)>>>(c, a, b, size.m, size.n, size.k);
    const std::vector<float> wanted = toHost(c, total);
    fine &= eachWay<Threads>([&](auto way) {
      using Way = decltype(way);
      CHECK(cudaMemset(c, 255, total * sizeof(float)));
      specialized<Way><<<blocks, Way::Roles::threads>>>(c, a, b, size.m, size.n, size.k);
      return Way::report(sameBits(toHost(c, total), wanted), size.k);
    });
    if (!wanted.empty())
      last = wanted;
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
  }
  return verdict("pipeline/matmul", last, fine);
}
