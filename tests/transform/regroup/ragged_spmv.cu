// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ragged sparse matrix times vector: a thread for each row of a matrix in rows of very different length, as
// graphs have them: most rows have a few entries, some have hundreds.
//
// For regrouping: by=rowBegin[row+1]-rowBegin[row]. Little is computed for each entry that is read: a program
// in which the order of memory counts as much as that of work.
#include "Harness.h"

constexpr int Threads = 256;

__global__ void multiply(float *y, const int *rowBegin, const int *columns, const float *values,
                         const float *x, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int entry = rowBegin[row]; entry < rowBegin[row + 1]; ++entry)
    sum = fmaf(values[entry], x[columns[entry]], sum);
  y[row] = sum;
}

struct Matrix {
  std::vector<int> rowBegin, columns;
  std::vector<float> values;
};

static Matrix makeMatrix(int rows, int longest) {
  Numbers numbers(81);
  std::vector<int> lengths(rows);
  for (int &length : lengths)
    length = numbers.below(32) ? numbers.below(6) : unevenLength(numbers, 8, longest);
  Matrix matrix{beginnings(lengths), {}, {}};
  const size_t entries = matrix.rowBegin.back() + 1; // never empty
  matrix.columns = integers(entries, 82, rows);
  matrix.values = floats(entries, 83);
  return matrix;
}

int main(int argc, char **argv) {
  const int rows = argument(argc, argv, 1, 3000), longest = argument(argc, argv, 2, 400);
  const int launches = argument(argc, argv, 3, 2);
  const Matrix matrix = makeMatrix(rows, longest);
  const std::vector<float> vector = floats(rows, 84);
  float *y = zeros<float>(rows), *values = toDevice(matrix.values), *x = toDevice(vector);
  int *rowBegin = toDevice(matrix.rowBegin), *columns = toDevice(matrix.columns);
  for (int i = 0; i < launches; ++i)
    multiply<<<blocksFor(rows, Threads), Threads>>>(y, rowBegin, columns, values, x, rows);
  const std::vector<float> got = toHost(y, rows);
  const auto wanted = [&](size_t row) {
    double sum = 0;
    for (int entry = matrix.rowBegin[row]; entry < matrix.rowBegin[row + 1]; ++entry)
      sum += double(matrix.values[entry]) * vector[matrix.columns[entry]];
    return sum;
  };
  return verdict("ragged_spmv", got, agree(got, wanted, 1e-4, 100000));
}
