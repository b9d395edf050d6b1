// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Render.h"
#include "transform/FunctionCopies.h"
#include "transform/Names.h"
#include "transform/work/WorkPlan.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// How merged threads distribute the items: t, t + B/F, t + 2B/F... or F neighbours.
using analysis::Map;

/// An axis with the names that emitted code uses.
struct NamedAxis {
  Axis axis;
  std::string counter; ///< of the work loop: "kx"
  std::string index;   ///< of the item, instead of threadIdx.x: "threadX"
};
std::vector<NamedAxis> nameAxes(const std::vector<Axis> &axes, Names &names);

/// A block that no longer is what is launched, written down: blockDim is not asked for any more.
///
/// Linear: the items of lane t are the threads t, t + 32, t + 64... in the order of warps, whatever their
/// shape, and threads beyond the block's number do not exist.
struct BlockForm {
  std::array<std::string, 3> extent; ///< of the block as it was: "16u", "blockShape.y"
  std::array<unsigned, 3> lanes;     ///< of the one that is launched
  bool isLinear = false;
  std::string threads;       ///< linear: how many there are, "48" or a variable
  bool hasGaps = false;      ///< linear: the last warp may be a part of one
  std::string parameterType; ///< where the launch must pass it; else empty
  std::string parameter;     ///< its name
  std::string prologue;      ///< what must precede all else in the kernel, a line; empty for nothing
};

/// A grid that merged blocks need not fill: blocks beyond the one that was launched do not exist.
struct GridForm {
  std::string extent;       ///< of the grid along x as it was: "gridX", "5u"
  bool isParameter = false; ///< the launch must pass it
};

/// What is instead of CUDA's built-in variables in coarsened code.
class ItemIndices {
public:
  ItemIndices(std::vector<NamedAxis> axes, Map map, std::optional<BlockForm> form = std::nullopt,
              std::optional<GridForm> grid = std::nullopt)
      : axes(std::move(axes)), map(map), form(std::move(form)), grid(std::move(grid)) {}

  const std::vector<NamedAxis> &all() const { return axes; }
  const std::optional<BlockForm> &block() const { return form; }
  /// What a function that mentions them must be given: "threadX" and "const unsigned threadX".
  struct Passed {
    std::string name, declaration;
  };
  std::vector<Passed> passed() const;
  /// The replacement for a use of a built-in; nothing where it is not changed.
  std::optional<std::string> replacementFor(const analysis::ThreadBuiltin &builtin) const;
  /// "threadIdx.x + kx * blockDim.x"
  std::string definitionOf(const NamedAxis &axis) const;
  /// "threadX >= 48", which states that there is no such item along the axis, nor after it; nothing where all exist.
  std::optional<std::string> absence(const NamedAxis &axis) const;
  /// "threadIdx.x + 32 < 48", the contrary for the item with this number; nothing where it does.
  std::optional<std::string> presence(unsigned item) const;
  /// "[ky][kx]"
  std::string subscripts() const;
  /// "[0][0]"
  std::string firstSubscripts() const;
  /// "[0][0]", "[0][1]"...
  std::vector<std::string> allSubscripts() const;
  /// "[2][4]"
  std::string extents() const;
  unsigned items() const;
  /// How many of them a thread has: "4", or an expression where some do not exist.
  std::string itemsOfThread() const;

private:
  std::string component(analysis::ThreadBuiltin::Kind kind, unsigned dimension) const;
  std::optional<std::string> linearIndex(unsigned dimension) const;
  std::string itemsAlong(const NamedAxis &axis) const; ///< for one along which some do not exist
  std::vector<NamedAxis> axes;                         ///< outermost loop first
  Map map;
  std::optional<BlockForm> form;
  std::optional<GridForm> grid;
};

bool mentionsWord(const std::string &text, const std::string &word);

/// The replacements of built-ins and calls in code that is not cut: a device function's.
std::vector<Replacement> replacementsIn(const Unit &unit, const Uses &uses, const ItemIndices &indices,
                                        const CallChanges &calls);

} // namespace heddle::transform
