// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and formulas of a work item's index. With B threads merged by F along an axis, item k of thread t is
//
//     map=interleaved   t + k * (B / F)      neighbouring threads stay neighbours: coalescing is kept
//     map=blocked       t * F + k            a thread gets neighbouring items: reuse in registers
//
// A grid that merged blocks do not fill (GridForm) has F * (merged grid) positions, of which the last ones are no block of the
// original. They come last in a work loop, so that it ends at the first one; and each merged block has a first item.
//
// A block written down (BlockForm) replaces blockDim too: linear forms number all threads of the block in a row and give x, y
// and z by division.
#include "transform/work/ItemIndices.h"

#include "analysis/CallEffects.h"
#include "source/TextEdits.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

using namespace clang;

namespace heddle::transform {

using analysis::ThreadBuiltin;

std::vector<NamedAxis> nameAxes(const std::vector<Axis> &axes, Names &names) {
  static const char *const counters[] = {"kx", "ky", "kz", "kb"};
  static const char *const indices[] = {"threadX", "threadY", "threadZ", "blockX"};
  std::vector<NamedAxis> named;
  for (const Axis &axis : axes)
    named.push_back({axis, names.fresh(counters[axis.dimension]), names.fresh(indices[axis.dimension])});
  return named;
}

std::string ItemIndices::component(ThreadBuiltin::Kind kind, unsigned dimension) const {
  return replacementFor({kind, dimension}).value_or(ThreadBuiltin{kind, dimension}.name());
}

std::optional<std::string> ItemIndices::replacementFor(const ThreadBuiltin &builtin) const {
  using Kind = ThreadBuiltin::Kind;
  auto isOf = [&](const NamedAxis &axis, unsigned dimension) {
    bool isGrid = builtin.kind == Kind::BlockIdx || builtin.kind == Kind::GridDim;
    return builtin.kind != Kind::WarpSize &&
           (isGrid ? dimension == 0 && axis.axis.dimension == Axis::grid : axis.axis.dimension == dimension);
  };
  bool isIndex = builtin.kind == Kind::ThreadIdx || builtin.kind == Kind::BlockIdx;
  if (builtin.dimension < 3) {
    if (form && builtin.kind == Kind::BlockDim)
      return form->extent[builtin.dimension];
    if (form && form->isLinear && builtin.kind == Kind::ThreadIdx)
      return linearIndex(builtin.dimension);
    for (const NamedAxis &axis : axes)
      if (isOf(axis, builtin.dimension))
        return isIndex ? axis.index
               : grid && builtin.kind == Kind::GridDim
                   ? grid->extent
                   : fmt::format("({} * {})", builtin.name(), axis.axis.factor);
    // Code that linearizes such blocks must not find their number here.
    if (form && builtin.kind == Kind::ThreadIdx && form->lanes[builtin.dimension] == 1)
      return "0u";
    return std::nullopt;
  }
  bool changes = false;
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    changes |= replacementFor({builtin.kind, dimension}).has_value();
  if (!changes)
    return std::nullopt;
  return fmt::format("{}({}, {}, {})", isIndex ? "make_uint3" : "dim3", component(builtin.kind, 0),
                     component(builtin.kind, 1), component(builtin.kind, 2));
}

/// Of the only number that a linear block's items have, x goes fastest.
std::optional<std::string> ItemIndices::linearIndex(unsigned dimension) const {
  const std::string thread = axes.empty() ? "threadIdx.x" : axes.front().index;
  const auto &[x, y, z] = form->extent;
  const bool isFlat = z == "1u", isRow = isFlat && y == "1u";
  switch (dimension) {
  case 0: return isRow ? thread : fmt::format("({} % {})", thread, x);
  case 1:
    return isRow    ? "0u"
           : isFlat ? fmt::format("({} / {})", thread, x)
                    : fmt::format("({} / {} % {})", thread, x, y);
  default: return isFlat ? "0u" : fmt::format("({} / ({} * {}))", thread, x, y);
  }
}

std::vector<ItemIndices::Passed> ItemIndices::passed() const {
  std::vector<Passed> all;
  for (size_t i = axes.size(); i-- > 0;) // x first
    all.push_back({axes[i].index, "const unsigned " + axes[i].index});
  if (form && !form->parameter.empty())
    all.push_back({form->parameter, form->parameterType + " " + form->parameter});
  if (grid && grid->isParameter)
    all.push_back({grid->extent, "const unsigned " + grid->extent});
  return all;
}

std::optional<std::string> ItemIndices::absence(const NamedAxis &axis) const {
  const bool isGrid = axis.axis.dimension == Axis::grid;
  if (isGrid ? !grid : !form || !form->hasGaps)
    return std::nullopt;
  return fmt::format("{} >= {}", axis.index, isGrid ? grid->extent : form->threads);
}

std::optional<std::string> ItemIndices::presence(unsigned item) const {
  if (axes.empty() || !form || !form->hasGaps)
    return std::nullopt;
  return fmt::format("threadIdx.x + {} < {}", item * form->lanes[0], form->threads);
}

std::string ItemIndices::definitionOf(const NamedAxis &axis) const {
  bool isGrid = axis.axis.dimension == Axis::grid;
  if (form && !isGrid)
    return fmt::format("threadIdx.{} + {} * {}", std::string(1, "xyz"[axis.axis.dimension]), axis.counter,
                       form->lanes[axis.axis.dimension]);
  std::string letter(1, "xyzx"[axis.axis.dimension]);
  std::string index = (isGrid ? "blockIdx." : "threadIdx.") + letter;
  std::string extent = (isGrid ? "gridDim." : "blockDim.") + letter;
  return map == Map::Interleaved ? fmt::format("{} + {} * {}", index, axis.counter, extent)
                                 : fmt::format("{} * {} + {}", index, axis.axis.factor, axis.counter);
}

std::string ItemIndices::subscripts() const {
  std::string text;
  for (const NamedAxis &axis : axes)
    text += "[" + axis.counter + "]";
  return text;
}

std::string ItemIndices::firstSubscripts() const {
  std::string text;
  for (size_t i = 0; i < axes.size(); ++i)
    text += "[0]";
  return text;
}

std::vector<std::string> ItemIndices::allSubscripts() const {
  std::vector<std::string> all = {""};
  for (const NamedAxis &axis : axes) {
    std::vector<std::string> longer;
    for (const std::string &each : all)
      for (unsigned k = 0; k < axis.axis.factor; ++k)
        longer.push_back(fmt::format("{}[{}]", each, k));
    all = std::move(longer);
  }
  return all;
}

std::string ItemIndices::extents() const {
  std::string text;
  for (const NamedAxis &axis : axes)
    text += fmt::format("[{}]", axis.axis.factor);
  return text;
}

unsigned ItemIndices::items() const {
  unsigned product = 1;
  for (const NamedAxis &axis : axes)
    product *= axis.axis.factor;
  return product;
}

std::string ItemIndices::itemsAlong(const NamedAxis &axis) const {
  if (axis.axis.dimension != Axis::grid)
    return fmt::format("({} + {} - threadIdx.x) / {}", form->threads, form->lanes[0] - 1, form->lanes[0]);
  if (map == Map::Interleaved)
    return fmt::format("({} + gridDim.x - 1 - blockIdx.x) / gridDim.x", grid->extent);
  return fmt::format("min({0}u, {1} - blockIdx.x * {0})", axis.axis.factor, grid->extent);
}

std::string ItemIndices::itemsOfThread() const {
  unsigned whole = 1;
  std::vector<std::string> parts;
  for (const NamedAxis &axis : axes) {
    if (absence(axis))
      parts.push_back(itemsAlong(axis));
    else
      whole *= axis.axis.factor;
  }
  if (parts.empty() || whole > 1)
    parts.push_back(std::to_string(whole));
  if (parts.size() == 1)
    return parts.front();
  return "(" + llvm::join(parts, ") * (") + ")";
}

bool mentionsWord(const std::string &text, const std::string &word) {
  auto isPart = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    bool begins = at == 0 || !isPart(text[at - 1]);
    bool ends = at + word.size() == text.size() || !isPart(text[at + word.size()]);
    if (begins && ends)
      return true;
  }
  return false;
}

std::vector<Replacement> replacementsIn(const Unit &unit, const Uses &uses, const ItemIndices &indices,
                                        const CallChanges &calls) {
  std::vector<Replacement> parts;
  for (const Uses::Builtin &builtin : uses.builtins)
    if (std::optional<std::string> text = indices.replacementFor(builtin.what))
      parts.push_back({builtin.range, *text});
  llvm::append_range(parts, changedCalls(unit, uses, calls));
  return parts;
}

} // namespace heddle::transform
