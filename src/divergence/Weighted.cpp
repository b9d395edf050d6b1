// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Weighted.h"

#include <map>

namespace heddle::divergence {
namespace {

std::vector<uint32_t> columnOf(const BlockVectors &vectors, uint32_t block) {
  std::vector<uint32_t> column(vectors.distinct());
  for (uint32_t r = 0; r < column.size(); ++r)
    column[r] = vectors.row(r)[block];
  return column;
}

bool isConstant(const std::vector<uint32_t> &column) {
  for (uint32_t value : column)
    if (value != column.front())
      return false;
  return true;
}

} // namespace

WeightedVectors::WeightedVectors(const BlockVectors &vectors, Latencies latencies)
    : count(vectors.distinct()) {
  std::map<std::vector<uint32_t>, double>
      columnsAndLatencies; // a map, so that columns come in a stable order
  for (uint32_t block = 0; block < vectors.blocks() && count; ++block)
    if (std::vector<uint32_t> column = columnOf(vectors, block); latencies[block] > 0 && !isConstant(column))
      columnsAndLatencies[std::move(column)] += latencies[block];
  width = uint32_t(columnsAndLatencies.size());
  values.resize(size_t(count) * width);
  sums.resize(count);
  uint32_t at = 0;
  for (const auto &[column, latency] : columnsAndLatencies) {
    for (uint32_t r = 0; r < count; ++r) {
      values[size_t(r) * width + at] = latency * column[r];
      sums[r] += latency * column[r];
    }
    ++at;
  }
}

} // namespace heddle::divergence
