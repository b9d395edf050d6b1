// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From vectors to an order of threads. Everything goes by buckets of equal vectors (Buckets.h); threads come
// in only at the end, when groups are written out.
//
// With very many distinct vectors, pairs of all of them are too many. Then
//  - Greedy puts similar vectors into piles (Piles.h) and groups each pile by itself; threads that fill no
//  group, and the
//    groups that wait most, go on to the next pile, which is a similar one;
//  - Greedy-Max looks, for each place in a group, only at the longest vectors that are left, as many as the
//  window says.
// Tests hold both to 2 % of the exact algorithms' sum of warp latencies.
#include "divergence/RegroupAlgorithms.h"

#include "divergence/Buckets.h"
#include "divergence/Grouping.h"
#include "divergence/Piles.h"
#include "model/Thresholds.h"

#include <algorithm>
#include <limits>

namespace heddle::divergence {
namespace {

struct AlgorithmName {
  Algorithm algorithm;
  std::string_view name;
};
constexpr AlgorithmName names[] = {
    {Algorithm::Sorting, "sorting"}, {Algorithm::Greedy, "greedy"}, {Algorithm::GreedyMax, "greedy-max"}};

std::vector<uint32_t> sorted(const BlockVectors &vectors, const Buckets &buckets) {
  std::vector<uint32_t> rows(vectors.distinct()), order;
  std::iota(rows.begin(), rows.end(), 0u);
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(vectors.row(a), vectors.row(b));
  });
  order.reserve(vectors.threads());
  for (uint32_t row : rows)
    order.insert(order.end(), buckets.of(row).begin(), buckets.of(row).end());
  return order;
}

std::vector<Group> grouped(Algorithm algorithm, const GroupingInput &input, std::vector<Piece> pieces) {
  return algorithm == Algorithm::Greedy ? greedy(input, std::move(pieces))
                                        : greedyMax(input, std::move(pieces));
}

/// (9) over a whole group: what its threads wait for each other.
double waiting(const WeightedVectors &vectors, const Group &group) {
  double sum = 0;
  for (uint32_t c = 0; c < vectors.columns(); ++c) {
    double least = vectors.row(group.pieces.front().row)[c], most = least;
    for (const Piece &piece : group.pieces) {
      least = std::min(least, vectors.row(piece.row)[c]);
      most = std::max(most, vectors.row(piece.row)[c]);
    }
    sum += most - least;
  }
  return sum;
}

/// Groups of a pile that are not full hand their threads on, and so do those that wait most: vectors at the
/// edge of a pile, whose like are in another.
std::vector<Piece> takeUnfinished(const GroupingInput &input, std::vector<Group> &groups) {
  std::vector<std::pair<double, size_t>> worst;
  for (size_t g = 0; g < groups.size(); ++g) {
    const bool full = groups[g].size == input.groupSize;
    worst.emplace_back(full ? -waiting(input.vectors, groups[g]) : -std::numeric_limits<double>::infinity(),
                       g);
  }
  std::sort(worst.begin(), worst.end());
  std::vector<Piece> left;
  for (size_t i = 0; i < worst.size(); ++i)
    if (Group &group = groups[worst[i].second];
        i < worst.size() / model::threshold::divergence::handedOn || group.size < input.groupSize)
      left.insert(left.end(), group.pieces.begin(), group.pieces.end()), group = {};
  std::erase_if(groups, [](const Group &group) { return group.size == 0; });
  return left;
}

std::vector<Group> greedyByPiles(const GroupingInput &input, const Buckets &buckets, uint32_t pileSize) {
  std::vector<uint32_t> rows(buckets.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<Group> all;
  std::vector<Piece> left;
  const auto piles = pilesOf(input.vectors, std::move(rows), pileSize);
  for (size_t pile = 0; pile < piles.size(); ++pile) {
    std::vector<Piece> pieces = std::move(left);
    for (uint32_t row : piles[pile])
      pieces.push_back({row, 0, uint32_t(buckets.of(row).size())});
    std::vector<Group> groups = greedy(input, std::move(pieces));
    left = pile + 1 < piles.size() ? takeUnfinished(input, groups) : std::vector<Piece>();
    std::move(groups.begin(), groups.end(), std::back_inserter(all));
  }
  return all;
}

} // namespace

std::string_view nameOf(Algorithm algorithm) { return names[unsigned(algorithm)].name; }

std::optional<Algorithm> algorithmNamed(std::string_view name) {
  for (const AlgorithmName &known : names)
    if (known.name == name)
      return known.algorithm;
  return std::nullopt;
}

Regrouping regroup(const BlockVectors &vectors, Latencies latencies, Algorithm algorithm,
                   const RegroupOptions &options) {
  const Buckets buckets(vectors);
  Regrouping result;
  if (algorithm == Algorithm::Sorting) {
    result.order = sorted(vectors, buckets);
    return result;
  }
  const WeightedVectors weighted(vectors, latencies);
  std::vector<uint32_t> firstThread(buckets.size());
  std::vector<Piece> pieces;
  for (uint32_t row = 0; row < buckets.size(); ++row) {
    firstThread[row] = buckets.of(row).empty() ? 0 : buckets.of(row).front();
    pieces.push_back({row, 0, uint32_t(buckets.of(row).size())});
  }
  std::erase_if(pieces, [](const Piece &piece) { return piece.count == 0; });
  result.exact = pieces.size() <= options.exactUpTo;
  const GroupingInput input{weighted, firstThread, options.groupSize, result.exact ? ~0u : options.window};
  const bool byPiles = !result.exact && algorithm == Algorithm::Greedy;
  const std::vector<Group> groups =
      byPiles ? greedyByPiles(input, buckets, options.pile) : grouped(algorithm, input, std::move(pieces));
  result.order.reserve(vectors.threads());
  for (const Group &group : groups)
    for (const Piece &piece : group.pieces)
      for (uint32_t thread : buckets.of(piece.row).subspan(piece.first, piece.count))
        result.order.push_back(thread);
  return result;
}

} // namespace heddle::divergence
