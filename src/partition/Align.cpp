// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alignment of two sequences with affine gaps (Gotoh), where a match is worth the instructions that it saves
// and a gap costs a branch when it begins. A place represents its shape: all pieces there have the same.
#include "partition/Align.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>

namespace heddle::partition {
namespace {

/// In halves of an instruction, so that what is worth little can still decide between equals.
constexpr int instructionWorth = 2;
constexpr int branchCost = model::threshold::partition::branchPrice * instructionWorth;
/// For each constant and index that agrees: it is in the text, and need not be fetched, nor an address be
/// computed with it.
constexpr int sameConstant = model::threshold::partition::sameConstant * instructionWorth,
              sameIndex = model::threshold::partition::sameIndex * instructionWorth;

enum Move : uint8_t { Together, OnlyPlace, OnlyPiece };
constexpr int moves = 3;

class Alignment {
public:
  Alignment(const std::vector<int> &placeShapes, const std::vector<int> &pieceShapes,
            const std::vector<int> &worth)
      : places(placeShapes), pieces(pieceShapes), worth(worth), width(pieceShapes.size() + 1) {}

  /// How to go from both ends to both beginnings.
  template <class Bonus> std::vector<Move> run(Bonus bonus) {
    const int lowest = std::numeric_limits<int>::min() / 2;
    using Scores = std::array<int, moves>;
    std::vector<Scores> row(width, {lowest, lowest, lowest}), above = row;
    from.assign((places.size() + 1) * width, {});
    for (size_t i = 0; i <= places.size(); ++i) {
      std::swap(row, above);
      for (size_t j = 0; j < width; ++j) {
        Scores here = {lowest, lowest, lowest};
        auto &back = from[i * width + j];
        if (i == 0 && j == 0)
          here[Together] = 0;
        if (i > 0 && j > 0 && places[i - 1] == pieces[j - 1])
          here[Together] =
              best(above[j - 1], Together, back[Together]) + worth[places[i - 1]] + bonus(i - 1, j - 1);
        if (i > 0)
          here[OnlyPlace] = best(above[j], OnlyPlace, back[OnlyPlace]);
        if (j > 0)
          here[OnlyPiece] = best(row[j - 1], OnlyPiece, back[OnlyPiece]);
        row[j] = here;
      }
    }
    return trace(row[width - 1]);
  }

private:
  const std::vector<int> &places, &pieces, &worth;
  size_t width;
  std::vector<std::array<Move, moves>> from; ///< the move before each move, to each pair of places

  static int best(const std::array<int, moves> &scores, Move next, Move &chosen) {
    int found = std::numeric_limits<int>::min();
    for (int before = 0; before < moves; ++before) {
      const bool begins = next != Together && before != next;
      const int score = scores[before] - (begins ? branchCost : 0);
      if (score > found) {
        found = score;
        chosen = Move(before);
      }
    }
    return found;
  }

  std::vector<Move> trace(const std::array<int, moves> &last) const {
    Move move = Move(std::max_element(last.begin(), last.end()) - last.begin());
    std::vector<Move> result;
    size_t i = places.size(), j = pieces.size();
    while (i > 0 || j > 0) {
      result.push_back(move);
      const Move before = from[i * width + j][move];
      i -= move != OnlyPiece;
      j -= move != OnlyPlace;
      move = before;
    }
    std::ranges::reverse(result);
    return result;
  }
};

/// Numbers for shapes, so that comparing is cheap.
class ShapeNumbers {
public:
  std::vector<int> worth; ///< what sharing a piece of each shape saves

  int of(const Shape &shape) {
    auto [found, isNew] = numbers.try_emplace(shape, int(numbers.size()));
    if (isNew)
      worth.push_back(instructionWorth * int(instructionsOf(shape)));
    return found->second;
  }

private:
  std::map<Shape, int> numbers;
};

int bonusOf(const Piece &a, const Piece &b) {
  int bonus = 0;
  for (size_t i = 0; i < a.constants.size(); ++i)
    bonus += a.constants[i] == b.constants[i] ? sameConstant : 0;
  for (size_t i = 0; i < a.indices.size(); ++i)
    bonus += a.indices[i] == b.indices[i] ? sameIndex : 0;
  return bonus;
}

} // namespace

std::vector<Place> align(const std::vector<PieceList> &warps) {
  ShapeNumbers numbers;
  std::vector<Place> places;
  std::vector<int> placeShapes;
  std::vector<const Piece *> first; // a piece of each place
  for (size_t warp = 0; warp < warps.size(); ++warp) {
    const std::vector<Piece> &pieces = warps[warp].pieces;
    std::vector<int> shapes;
    for (const Piece &piece : pieces)
      shapes.push_back(numbers.of(piece.shape));
    const std::vector<Move> way =
        Alignment(placeShapes, shapes, numbers.worth).run([&](size_t place, size_t piece) {
          return bonusOf(*first[place], pieces[piece]);
        });
    std::vector<Place> merged;
    std::vector<int> mergedShapes;
    std::vector<const Piece *> mergedFirst;
    size_t i = 0, j = 0;
    for (Move move : way) {
      merged.push_back(move == OnlyPiece ? Place{std::vector(warps.size(), Piece::none)} : places[i]);
      mergedShapes.push_back(move == OnlyPiece ? shapes[j] : placeShapes[i]);
      mergedFirst.push_back(move == OnlyPiece ? &pieces[j] : first[i]);
      if (move != OnlyPlace)
        merged.back().pieces[warp] = unsigned(j);
      i += move != OnlyPiece;
      j += move != OnlyPlace;
    }
    places = std::move(merged);
    placeShapes = std::move(mergedShapes);
    first = std::move(mergedFirst);
  }
  return places;
}

} // namespace heddle::partition
