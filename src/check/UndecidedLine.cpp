// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/UndecidedLine.h"

#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::check {

std::string undecidedLine(const StaticResult &result) {
  struct Group {
    std::string why;
    std::vector<std::string> names;
  };
  std::vector<Group> groups; // in the order of their first properties
  for (const PropertyVerdict &each : result.properties) {
    if (each.decision != Decision::Undecided)
      continue;
    auto same = std::ranges::find(groups, each.why, &Group::why);
    if (same == groups.end())
      same = groups.insert(same, {each.why, {}});
    same->names.emplace_back(nameOf(each.property));
  }
  std::vector<std::string> parts;
  for (const Group &group : groups)
    parts.push_back(fmt::format("{} ({})",
                                group.names.size() == Properties
                                    ? fmt::format("all {} properties", Properties)
                                    : joinAnd(group.names),
                                group.why));
  return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace heddle::check
