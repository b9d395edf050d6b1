// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 2 of section V: a group begins with the longest thread that is left and takes, until it is full,
// a thread with the vector of one of its own, or else the one that gains most. Groups therefore come longest
// first, and so do the thread blocks that are made of them.
//
// Buckets are in the order of their latency, longest first. No thread of latency l can gain more than 2 l -
// high with a group whose sum of most is `high`, so the search for the best ends where that is less than what
// was found.
#include "divergence/Grouping.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::divergence {
namespace {

class Filling {
public:
  Filling(const GroupingInput &given, std::vector<Piece> allPieces)
      : input(given), columns(given.vectors.columns()), pieces(std::move(allPieces)), least(columns),
        most(columns) {
    std::sort(pieces.begin(), pieces.end(), [&](const Piece &a, const Piece &b) {
      const double la = input.vectors.sum(a.row), lb = input.vectors.sum(b.row);
      return la != lb ? la > lb : input.firstThread[a.row] < input.firstThread[b.row];
    });
    next.resize(pieces.size() + 1);
    for (uint32_t i = 0; i <= pieces.size(); ++i)
      next[i] = i;
  }

  std::vector<Group> run() {
    std::vector<Group> groups;
    while (first(0) < pieces.size())
      groups.push_back(fill());
    return groups;
  }

private:
  Group fill() {
    Group group;
    high = 0;
    std::fill(least.begin(), least.end(), std::numeric_limits<double>::infinity());
    std::fill(most.begin(), most.end(), 0.0);
    uint32_t piece = first(0);
    while (piece < pieces.size() && group.size < input.groupSize) {
      take(group, piece);
      if (group.size < input.groupSize)
        piece = bestFor();
    }
    return group;
  }

  /// As many of the piece as there is room for: all have the same vector.
  void take(Group &group, uint32_t index) {
    Piece &piece = pieces[index];
    const uint32_t count = std::min(piece.count, input.groupSize - group.size);
    group.add({piece.row, piece.first, count});
    piece.first += count, piece.count -= count;
    if (!piece.count)
      next[index] = index + 1;
    const double *row = input.vectors.row(piece.row);
    high = 0;
    for (uint32_t c = 0; c < columns; ++c) {
      least[c] = std::min(least[c], row[c]), most[c] = std::max(most[c], row[c]);
      high += most[c];
    }
  }

  uint32_t bestFor() {
    uint32_t best = uint32_t(pieces.size());
    double bestGain = -std::numeric_limits<double>::infinity();
    uint32_t looked = 0;
    for (uint32_t i = first(0); i < pieces.size() && looked < input.window; i = first(i + 1), ++looked) {
      if (2 * input.vectors.sum(pieces[i].row) - high < bestGain)
        break;
      const double *row = input.vectors.row(pieces[i].row);
      const double gain = gainOf(least.data(), most.data(), row, row, columns);
      if (gain > bestGain || (gain == bestGain && comesBefore(i, best)))
        bestGain = gain, best = i;
    }
    return best;
  }
  bool comesBefore(uint32_t a, uint32_t b) const {
    return input.firstThread[pieces[a].row] < input.firstThread[pieces[b].row];
  }

  /// The first piece from `i` on that is not used up; ways are shortened as they are gone.
  uint32_t first(uint32_t i) {
    uint32_t end = i;
    while (next[end] != end)
      end = next[end];
    while (next[i] != end && i != end)
      i = std::exchange(next[i], end);
    return end;
  }

  const GroupingInput &input;
  const uint32_t columns;
  std::vector<Piece> pieces;
  std::vector<uint32_t> next; ///< by piece: itself, or where to look on
  std::vector<double> least, most;
  double high = 0;
};

} // namespace

std::vector<Group> greedyMax(const GroupingInput &input, std::vector<Piece> pieces) {
  return Filling(input, std::move(pieces)).run();
}

} // namespace heddle::divergence
