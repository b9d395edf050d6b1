// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// What a kernel can no longer find out by itself after its launches changed, and gets as a parameter in front of the others.
struct LaunchParameter {
  std::string of; ///< of which part of the launch: "block", "grid"
  std::string type, name;
  std::string hint; ///< for launches that cannot pass it
};

/// Gives the parameter to every declaration of the target. False, with a refusal, where one cannot be given it.
bool addParameter(Context &context, const LaunchParameter &parameter);

/// Makes a launch pass it. False, with a refusal, where the launch passes its arguments by address.
bool addLaunchArgument(Context &context, const source::Launch &launch, const LaunchParameter &parameter,
                       const std::string &argument);

/// The text that a launch's shape was written as, for use in a second place; nothing, with a refusal, where it may not mean the
/// same there.
std::optional<std::string> repeatedShape(Context &context, const source::Launch &launch,
                                         const source::LaunchShape &shape);

} // namespace heddle::transform
