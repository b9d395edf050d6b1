// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of warps that execute the same code.
//
// Warps of a partitioned program share instructions and differ in the constants that they use. A constant on
// which all warps that pass through a piece agree is written into the code; the others become columns of a
// table, one row for each warp:
//
//     warp 0:  x * 2.5      warp 1:  x * 7.0        =>       x * table[warp][slot]
//
// 1. For each instance of a piece the values of all warps that pass through are collected. Warps that only
//    pass by (their result is not used) get any value, except that rows which they would read must be the one
//    of zeros.
// 2. Columns that are equal for the same set of warps share a slot. A new one gets the first slot that is
//    free in all of its warps.
// 3. Constants that belong together (the values between which a temperature selects) are adjacent, or all in
//    the code.
// 4. `choosePlaces` decides where tables are: shared memory if it has room; registers, read by shuffle, if
//    the constant bank would be too small and the table is short; else constant memory. Thresholds are rows
//    of model/Thresholds.def.
//
// Zeros of both signs are different constants. Slots are assigned greedily in program order; no attempt is
// made to find the shortest table. Cost: linear in the constants, times the warps.
#include "partition/Constants.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <bit>
#include <map>

namespace heddle::partition {
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

} // namespace heddle::partition
