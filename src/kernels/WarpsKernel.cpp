// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In this order: the code of all warps is laid over each other, what differs between them becomes arrays, these
// get a place, and all of it goes into templates/warps.cu.in.
#include "kernels/WarpsKernel.h"

#include "arch/Common.h"
#include "kernels/Template.h"
#include "kernels/WarpsText.h"
#include "model/Thresholds.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::kernels {

using partition::ConstantPlace;

namespace {

constexpr size_t lanes = 32;
using model::threshold::partition::constantBytes;
constexpr size_t constantsWidth = 110;

size_t paddedTo(size_t n, size_t step) { return (n + step - 1) / step * step; }

/// Arrays of all warps, one after the other, each padded to `length`.
template <class Number, class Text>
std::string arrayText(const std::vector<std::vector<Number>> &ofWarp, size_t length, Text text) {
  std::string out;
  for (size_t warp = 0; warp < ofWarp.size(); ++warp) {
    out += fmt::format("    // warp {}\n", warp);
    std::string line = "   ";
    for (size_t i = 0; i < length; ++i) {
      const std::string word = " " + text(i < ofWarp[warp].size() ? ofWarp[warp][i] : Number()) + ",";
      if (line.size() + word.size() > constantsWidth) {
        out += line + "\n";
        line = "   ";
      }
      line += word;
    }
    out += line + "\n";
  }
  return out;
}

/// How one of the two kinds of arrays is kept.
struct Kept {
  ConstantPlace place;
  size_t length = 0; ///< of a warp's array, padded
  size_t bytes = 0;  ///< of all warps

  Kept(ConstantPlace place, size_t needed, size_t elementBytes, size_t warps)
      : place(place), length(paddedTo(needed, place == ConstantPlace::Shuffle ? lanes : 16 / elementBytes)),
        bytes(warps * length * elementBytes) {}

  bool isThere() const { return length > 0; }
  bool isShared() const { return isThere() && place == ConstantPlace::Shared; }
  bool hasPointer() const { return isThere() && place != ConstantPlace::Shuffle; }

  /// Where registers hold it, an element for each lane.
  std::vector<Values> registers() const {
    std::vector<Values> all;
    if (place == ConstantPlace::Shuffle)
      for (size_t i = 0; i < length / lanes; ++i)
        all.push_back({{"i", i}, {"first", i * lanes}});
    return all;
  }
};

/// What the file is made of.
struct WarpLayout {
  partition::Overlaid overlaid;
  partition::Constants constants;
  partition::ConstantPlaces places;
  Kept numbers, indices;

  size_t sharedBytes() const {
    return std::max(1u, overlaid.rows) * lanes * sizeof(double) + (numbers.isShared() ? numbers.bytes : 0) +
           (indices.isShared() ? indices.bytes : 0);
  }
};

WarpLayout layoutOf(const WarpsKernel &kernel) {
  partition::Overlaid overlaid = partition::overlay(kernel.program, kernel.partitioned, kernel.overlay);
  partition::Constants constants = partition::constantsOf(overlaid);
  // What a block may ask for is what the blocks of a multiprocessor have together, but for what the system keeps.
  const size_t sharedBytes = arch::defaultArch().maxSharedBytesPerBlockOptIn / std::max(1u, kernel.ctas);
  const partition::ConstantPlaces places =
      partition::choosePlaces(constants, overlaid.rows, sharedBytes, kernel.constants);
  const Kept numbers(places.numbers, constants.numbers.length(), sizeof(double), overlaid.warps);
  const Kept indices(places.indices, constants.indices.length(), partition::indexBytes, overlaid.warps);
  return {std::move(overlaid), std::move(constants), places, numbers, indices};
}

Values dataOf(const WarpLayout &layout, const Real &real) {
  const auto number = [&](double value) { return real.literal(value); };
  const auto index = [](unsigned value) { return std::to_string(value); };
  const partition::Constants &all = layout.constants;
  const Kept &numbers = layout.numbers, &indices = layout.indices;
  return {{"hasNumbers", numbers.isThere()},
          {"numberCount", numbers.length},
          {"numbersAreConstant", numbers.place == ConstantPlace::Compiler && numbers.bytes <= constantBytes},
          {"numberData", arrayText(all.numbers.ofWarp, numbers.length, number)},
          {"hasChoices", all.choices.length() > 0},
          {"selectCount", all.choices.length()},
          {"selectData", arrayText(all.choices.ofWarp, all.choices.length(), number)},
          {"hasIndices", indices.isThere()},
          {"indexCount", indices.length},
          {"indexData", arrayText(all.indices.ofWarp, indices.length, index)}};
}

bool needsMask(const partition::Overlaid &overlaid) {
  return std::ranges::any_of(overlaid.forks, [&](const partition::Fork &fork) {
    return fork.ways.size() > 1 || fork.ways.front().warps != overlaid.all();
  });
}

Values memoryOf(const WarpLayout &layout) {
  const bool sharesNumbers = layout.numbers.isShared(), sharesIndices = layout.indices.isShared();
  return {{"isDynamic", layout.sharedBytes() > arch::commonLimits().staticSharedBytes},
          {"sharedBytes", layout.sharedBytes()},
          {"sharesNumbers", sharesNumbers},
          {"sharesIndices", sharesIndices},
          {"numberRegisters", layout.numbers.registers()},
          {"indexRegisters", layout.indices.registers()},
          {"pointsToNumbers", layout.numbers.hasPointer()},
          {"pointsToIndices", layout.indices.hasPointer()},
          {"hasZeroRow", layout.overlaid.hasZeroRow},
          {"fillsShared", layout.overlaid.hasZeroRow || sharesNumbers || sharesIndices}};
}

/// Kernels take the fields that they read; the C function takes all.
Values fieldsOf(const flow::Program &program, const WarpsBody &body, const Real &real) {
  std::vector<Values> fields, used, unused;
  for (size_t i = 0; i < program.fields.size(); ++i) {
    const flow::Field &field = program.fields[i];
    const std::string type =
        field.isUniform ? fmt::format("{} ", real.type) : fmt::format("const {} *", real.type);
    const Values each = {{"name", field.name},
                         {"type", type},
                         {"restrict", field.isUniform ? "" : "__restrict__ "},
                         {"isUniform", field.isUniform}};
    fields.push_back(each);
    (body.usesField[i] ? used : unused).push_back(each);
  }
  return {{"fields", fields}, {"used", used}, {"unused", unused}};
}

WarpsFigures figuresOf(const WarpLayout &layout) {
  const partition::Overlaid &overlaid = layout.overlaid;
  WarpsFigures all;
  all.warps = overlaid.warps;
  all.rows = overlaid.rows;
  all.sharedBytes = layout.sharedBytes();
  std::vector<unsigned> ofWarp(overlaid.warps);
  for (const partition::Fork &fork : overlaid.forks) {
    all.branches += unsigned(fork.ways.size()) - (fork.ways.front().warps == overlaid.all());
    for (const partition::Region &way : fork.ways) {
      all.instructions += way.instructions;
      for (unsigned warp = 0; warp < overlaid.warps; ++warp)
        ofWarp[warp] += way.warps >> warp & 1 ? way.instructions : 0;
      for (unsigned instance : way.instances)
        all.waits += overlaid.instances[instance].shape.kind == partition::PieceKind::Wait;
    }
  }
  all.longestWarp = *std::ranges::max_element(ofWarp);
  for (const partition::PieceList &list : overlaid.lists)
    for (const partition::Piece &piece : list.pieces)
      all.instructionsOfAllWarps += instructionsOf(piece.shape);
  return all;
}

} // namespace

WarpsFile warpsFile(const WarpsKernel &kernel) {
  const Real &real = realOf(kernel.precision);
  const WarpLayout layout = layoutOf(kernel);
  const WarpsBody body = warpsBody(kernel.program, layout.overlaid, layout.constants, layout.places, real);
  Values values = {{"name", kernel.name},
                   {"real", real.type},
                   {"warps", layout.overlaid.warps},
                   {"ctas", kernel.ctas},
                   {"rows", std::max(1u, layout.overlaid.rows)},
                   {"needsMask", needsMask(layout.overlaid)},
                   {"body", body.text}};
  for (Values each : {dataOf(layout, real), memoryOf(layout), fieldsOf(kernel.program, body, real)})
    values = joined(std::move(values), std::move(each));
  return {kernel.title + fillTemplate("warps.cu.in", values), figuresOf(layout)};
}

SourceFile warpsHeader() { return {"heddle_warps.h", std::string(templateText("heddle_warps.h"))}; }

} // namespace heddle::kernels
