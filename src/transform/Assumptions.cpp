// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Assumptions.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::transform {

const std::vector<Assumption> &knownAssumptions() {
  static const std::vector<Assumption> all = {
      {"whole-program", "no other file launches a kernel of this one or calls its functions",
       &Options::isWholeProgram},
      {"no-overlap", "memory that a kernel is given by different pointers does not overlap",
       &Options::pointersDoNotOverlap},
  };
  return all;
}

std::vector<std::string> namesOfAssumptions() {
  std::vector<std::string> names;
  for (const Assumption &each : knownAssumptions())
    names.push_back(each.name);
  return names;
}

void assume(const std::vector<std::string> &names, Options &options) {
  for (const Assumption &each : knownAssumptions())
    if (std::ranges::find(names, each.name) != names.end())
      options.*each.option = true;
}

void warnOfAssumptions(const std::vector<std::string> &names, const std::string &file,
                       Diagnostics &diagnostics) {
  for (const Assumption &each : knownAssumptions())
    if (std::ranges::find(names, each.name) != names.end())
      diagnostics.warning({file}, fmt::format("assumed: {} [--assume {}]", each.meaning, each.name));
}

} // namespace heddle::transform
