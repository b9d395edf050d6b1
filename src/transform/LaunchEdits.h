// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/LaunchParameter.h"

#include <array>
#include <functional>
#include <string_view>

namespace clang {
class Expr;
}

namespace heddle::transform {

/// By how much the blocks and the grid of a kernel's launches shrink.
struct LaunchDivision {
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned grid = 1;         ///< along x
  bool roundsGridUp = false; ///< the kernel skips blocks that the original grid does not have
  /// How it gets the number of blocks along x of the original grid; nothing where it does not need it.
  std::optional<LaunchParameter> gridParameter;
};

/// Rewrites every launch of the target in the file. A shape that is known is divided on the spot; one known
/// only at run time by a helper of runtime/heddle/launch.cuh, which also checks that a block divides. False, with
/// a refusal, where a launch's block does not divide, cannot be reached, or may happen elsewhere. `launches`
/// gets their number.
bool divideLaunches(Context &context, const LaunchDivision &division, unsigned &launches);

/// Shows every launch of the target in the file, and counts the places. False, with a refusal, where `change`
/// gives false or a launch may happen elsewhere.
bool changeLaunches(Context &context, const std::function<bool(const source::Launch &)> &change,
                    unsigned &launches);

/// A kernel whose threads are regrouped cannot be changed by directives that change its launches; false, with a refusal, for one.
bool comesBeforeRegroup(Context &context);

/// Some launch of the target is in the file.
bool isLaunched(Context &context);

/// "; 2 launches rewritten", for the report; or how to launch the kernel where the file does not.
std::string launchesText(unsigned launches, std::string_view otherwise);

/// A launch's shape without the implicit conversion to dim3, and its text.
const clang::Expr *writtenPart(const clang::Expr *shape);
std::string writtenShape(const Context &context, const source::LaunchShape &shape);

/// The text of a shape that is known, divided; empty where it has to be computed at run time.
std::string dividedShape(const Context &context, const source::LaunchShape &shape,
                         const std::array<unsigned, 3> &by);

/// Puts `#include <heddle/...>` after the last one of the file, where it is not there yet.
void includeHelper(Context &context, const std::string &header);

} // namespace heddle::transform
