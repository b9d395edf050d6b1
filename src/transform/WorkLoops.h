// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "source/Render.h"
#include "transform/Names.h"
#include "transform/WorkPlan.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::transform {

/// How merged threads share out the items: t, t + B/F, t + 2B/F... or F neighbours.
using analysis::Map;

/// An axis with the names that emitted code uses.
struct NamedAxis {
  Axis axis;
  std::string counter; ///< of the work loop: "kx"
  std::string index;   ///< of the item, instead of threadIdx.x: "threadX"
};
std::vector<NamedAxis> nameAxes(const std::vector<Axis> &axes, Names &names);

/// What stands instead of CUDA's built-in variables in coarsened code.
class ItemIndices {
public:
  ItemIndices(std::vector<NamedAxis> axes, Map map) : axes(std::move(axes)), map(map) {}

  const std::vector<NamedAxis> &all() const { return axes; }
  /// The replacement for a use of a built-in; nothing where it stays as it is.
  std::optional<std::string> replacementFor(const analysis::ThreadBuiltin &builtin) const;
  /// "threadIdx.x + kx * blockDim.x"
  std::string definitionOf(const NamedAxis &axis) const;
  /// "[ky][kx]"
  std::string subscripts() const;
  /// "[0][0]"
  std::string firstSubscripts() const;
  /// "[0][0]", "[0][1]"...
  std::vector<std::string> allSubscripts() const;
  /// "[2][4]"
  std::string extents() const;
  unsigned items() const;

private:
  std::string component(analysis::ThreadBuiltin::Kind kind, unsigned dimension) const;
  std::vector<NamedAxis> axes; ///< outermost loop first
  Map map;
};

/// Calls that are to go to another function, with further arguments in front.
struct CallChange {
  std::string name;      ///< of the function to call instead
  std::string arguments; ///< put in front of the others: "threadX, threadY"; empty for none
};
using CallChanges = std::map<const clang::FunctionDecl *, CallChange>;

/// The kernel's body as the plan has it: text for everything between and including its braces.
source::Rendered writeWorkLoops(const source::Kernel &kernel, const WorkPlan &plan,
                                const ItemIndices &indices, const CallChanges &calls, Names &names);

/// The replacements of built-ins and calls in code that is not cut: a device function's.
std::vector<source::Replacement> replacementsIn(const source::Unit &unit, const Uses &uses,
                                                const ItemIndices &indices, const CallChanges &calls);

/// The replacement that puts `text` in front of what a parenthesis right behind `callee` holds.
std::optional<source::Replacement> inFrontOfArguments(const source::Unit &unit, clang::SourceRange callee,
                                                      const std::string &text);

} // namespace heddle::transform
