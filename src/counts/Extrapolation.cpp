// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a further block would touch that none has touched yet is estimated by what only one of the counted blocks touched, divided by their
// number (Good and Turing): nothing of a table that all blocks read, everything of data that each block has for itself. In between, as with
// matrices whose rows are read by every fiftieth block, this is too much; but no allocation has more sectors than it has.
#include "counts/Extrapolation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace heddle::counts {
namespace {

constexpr uint64_t SectorBytes = 32;

struct Found {
  uint64_t seen = 0, once = 0;
};

} // namespace

uint64_t Extrapolation::sectors(const SampledSectors &sampled) const {
  if (counted >= all || counted == 0)
    return sampled.seen.count();
  const auto placeOf = [&](uint64_t sector) {
    const auto after = std::upper_bound(allocations.begin(), allocations.end(), sector * SectorBytes,
                                        [](uint64_t at, const vm::Allocation &a) { return at < a.address; });
    return size_t(after - allocations.begin()); // 0: in none of them
  };
  std::map<size_t, Found> found;
  sampled.seen.eachPiece([&](uint64_t first, uint64_t bits) {
    Found &here = found[placeOf(first + unsigned(std::countr_zero(bits)))];
    here.seen += uint64_t(std::popcount(bits)), here.once += uint64_t(std::popcount(bits));
  });
  sampled.again.eachPiece([&](uint64_t first, uint64_t bits) {
    found[placeOf(first + unsigned(std::countr_zero(bits)))].once -= uint64_t(std::popcount(bits));
  });
  double sum = 0;
  for (const auto &[place, here] : found) {
    const double more = double(all - counted) * double(here.once) / double(counted);
    const double most =
        place ? double(allocations[place - 1].bytes + SectorBytes - 1) / SectorBytes : INFINITY;
    sum += std::max(double(here.seen), std::min(std::floor(most), double(here.seen) + more));
  }
  return uint64_t(std::llround(sum));
}

} // namespace heddle::counts
