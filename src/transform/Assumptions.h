// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <string>
#include <vector>

namespace heddle::transform {

/// What a user vouches for with `--assume`, where the file does not show it.
struct Assumption {
  const char *name; ///< "no-overlap"
  const char *meaning;
  bool Options::*option;
};

/// All that there are.
const std::vector<Assumption> &knownAssumptions();
std::vector<std::string> namesOfAssumptions();

/// Sets the options of those that are named.
void assume(const std::vector<std::string> &names, Options &options);
/// A warning for each of them, which everybody sees: "assumed: ... [--assume no-overlap]".
void warnOfAssumptions(const std::vector<std::string> &names, const std::string &file,
                       Diagnostics &diagnostics);

} // namespace heddle::transform
