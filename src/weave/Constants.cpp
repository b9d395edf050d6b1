// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weave/Constants.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <bit>
#include <map>

namespace heddle::weave {
namespace {

using model::threshold::partition::constantBytes, model::threshold::partition::mostConstantRegisters;
constexpr size_t lanes = 32;

/// Zeros of both signs are different constants.
bool isSame(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
bool isSame(unsigned a, unsigned b) { return a == b; }

template <class Number> auto keyOf(Number number) {
  if constexpr (sizeof(Number) == sizeof(uint64_t))
    return std::bit_cast<uint64_t>(number);
  else
    return number;
}

template <class Number> class Collecting {
public:
  /// `areTogether`: the constants of a piece are one after the other, or all of them in the text.
  Collecting(const Overlaid &overlaid, std::vector<Number> Piece::*member, bool areTogether = false)
      : overlaid(overlaid), member(member), areTogether(areTogether), next(overlaid.warps) {
    arrays.ofWarp.resize(overlaid.warps);
  }

  ConstantArrays<Number> run(const std::vector<WarpMask> &goThrough) {
    for (size_t i = 0; i < overlaid.instances.size(); ++i)
      arrays.uses.push_back(usesOf(overlaid.instances[i], goThrough[i]));
    const size_t length = *std::ranges::max_element(next);
    for (auto &array : arrays.ofWarp)
      array.resize(length);
    return std::move(arrays);
  }

private:
  const Overlaid &overlaid;
  std::vector<Number> Piece::*member;
  bool areTogether;
  std::vector<unsigned> next; ///< free slot of each warp
  ConstantArrays<Number> arrays;
  std::map<std::pair<WarpMask, std::vector<decltype(keyOf(Number()))>>, unsigned> known;

  /// Warps that only pass by read zeros from rows, and whatever the others have otherwise.
  Number forGuests(const Instance &instance, Number ofMembers) const {
    if constexpr (std::is_same_v<Number, unsigned>)
      if (instance.shape.kind == PieceKind::Get || instance.shape.kind == PieceKind::AddRow)
        return overlaid.rows - 1;
    return ofMembers;
  }

  std::vector<ConstantUse<Number>> usesOf(const Instance &instance, WarpMask through) {
    const unsigned first = unsigned(std::countr_zero(instance.warps));
    const std::vector<Number> &ofFirst = overlaid.pieceOf(instance, first).*member;
    std::vector<std::vector<Number>> columns;
    for (size_t k = 0; k < ofFirst.size(); ++k) {
      columns.emplace_back();
      for (unsigned warp = 0; warp < overlaid.warps; ++warp)
        if (instance.warps >> warp & 1)
          columns.back().push_back((overlaid.pieceOf(instance, warp).*member)[k]);
        else if (through >> warp & 1)
          columns.back().push_back(forGuests(instance, ofFirst[k]));
    }
    std::vector<ConstantUse<Number>> uses;
    const bool agree = std::ranges::all_of(columns, agrees);
    for (const std::vector<Number> &column : columns)
      uses.push_back(!areTogether ? useOf(column, through)
                     : agree      ? ConstantUse<Number>{column.front(), {}}
                                  : ConstantUse<Number>{{}, addColumn(column, through)});
    return uses;
  }

  static bool agrees(const std::vector<Number> &values) {
    return std::ranges::all_of(values, [&](Number each) { return isSame(each, values.front()); });
  }

  ConstantUse<Number> useOf(const std::vector<Number> &values, WarpMask warps) {
    if (agrees(values))
      return {values.front(), {}};
    std::vector<decltype(keyOf(Number()))> keys;
    for (Number value : values)
      keys.push_back(keyOf(value));
    auto [found, isNew] = known.try_emplace({warps, keys}, 0);
    if (isNew)
      found->second = addColumn(values, warps);
    return {{}, found->second};
  }

  unsigned addColumn(const std::vector<Number> &values, WarpMask warps) {
    unsigned slot = 0;
    for (unsigned warp = 0; warp < overlaid.warps; ++warp)
      if (warps >> warp & 1)
        slot = std::max(slot, next[warp]);
    size_t i = 0;
    for (unsigned warp = 0; warp < overlaid.warps; ++warp)
      if (warps >> warp & 1) {
        arrays.ofWarp[warp].resize(slot + 1);
        arrays.ofWarp[warp][slot] = values[i++];
        next[warp] = slot + 1;
      }
    return slot;
  }
};

std::vector<WarpMask> whoGoesThrough(const Overlaid &overlaid) {
  std::vector<WarpMask> masks(overlaid.instances.size());
  for (const Fork &fork : overlaid.forks)
    for (const Region &way : fork.ways)
      for (unsigned instance : way.instances)
        masks[instance] = way.warps;
  return masks;
}

} // namespace

Constants constantsOf(const Overlaid &overlaid) {
  const std::vector<WarpMask> goThrough = whoGoesThrough(overlaid);
  return {Collecting<double>(overlaid, &Piece::constants).run(goThrough),
          Collecting<double>(overlaid, &Piece::choices, true).run(goThrough),
          Collecting<unsigned>(overlaid, &Piece::indices).run(goThrough)};
}

ConstantPlaces choosePlaces(const Constants &constants, unsigned rows, size_t sharedBytes,
                            std::optional<ConstantPlace> forced) {
  if (forced)
    return {*forced, *forced};
  const size_t rowBytes = rows * lanes * sizeof(double), numberBytes = constants.numbers.bytes(),
               allIndexBytes = constants.indices.ofWarp.size() * constants.indices.length() * indexBytes;
  const bool fits = rowBytes + numberBytes + allIndexBytes <= sharedBytes;
  const size_t registers = 2 * ((constants.numbers.length() + lanes - 1) / lanes) +
                           (constants.indices.length() + lanes - 1) / lanes;
  if (fits)
    return {ConstantPlace::Shared, ConstantPlace::Shared};
  const ConstantPlace forIndices =
      rowBytes + allIndexBytes <= sharedBytes ? ConstantPlace::Shared : ConstantPlace::Compiler;
  if (numberBytes + allIndexBytes > constantBytes && registers <= mostConstantRegisters)
    return {ConstantPlace::Shuffle, ConstantPlace::Shuffle};
  return {ConstantPlace::Compiler, forIndices};
}

} // namespace heddle::weave
