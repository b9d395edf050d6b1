// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Case.h"

namespace heddle::bench {
namespace {

constexpr uint32_t Rows = 16384, LongestRow = 64;

void native(const Arrays &at, uint32_t begin, uint32_t end) {
  float *y = at.as<float>(0);
  const uint32_t *first = at.as<uint32_t>(1), *column = at.as<uint32_t>(2);
  const float *value = at.as<float>(3), *x = at.as<float>(4);
  for (uint32_t row = begin; row < end; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = first[row]; i < first[row + 1]; ++i)
      sum += value[i] * x[column[i]];
    y[row] = sum;
  }
}

/// Where rows of pseudo-random lengths begin.
Argument rowStarts() {
  std::vector<uint32_t> first{0};
  Random next(8);
  for (uint32_t row = 0; row < Rows; ++row)
    first.push_back(first.back() + next() % LongestRow);
  return given(first);
}

} // namespace

Case spmvCase() {
  Argument first = rowStarts();
  const uint32_t elements = Rows * LongestRow; // more than there are
  std::vector<uint32_t> column(elements);
  Random next(9);
  for (uint32_t &each : column)
    each = next() % Rows;
  return {.name = "spmv",
          .grid = {Rows / 128},
          .block = {128},
          .arguments = {result<float>(Rows, 1e-5), std::move(first), given(column),
                        random<float>(elements, 10), random<float>(Rows, 11), Rows},
          .native = native,
          .rows = Rows};
}

} // namespace heddle::bench
