// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Finding.h"

#include <fmt/format.h>

#include <array>

namespace heddle::check {
namespace {

struct RuleRow {
  Class cls;
  std::string_view id, about;
};

constexpr std::array<RuleRow, Rules> ruleRows = {{
#define HEDDLE_RULE(NAME, CLASS, ID, ABOUT) {Class::CLASS, ID, ABOUT},
#include "check/Rules.def"
}};

} // namespace

std::string_view nameOf(Class cls) {
  constexpr std::string_view names[] = {"race",          "deadlock", "barrier", "memory",
                                        "uninitialized", "async",    "warp",    "host"};
  return names[unsigned(cls)];
}

Class classOf(Rule rule) { return ruleRows[unsigned(rule)].cls; }
std::string_view idOf(Rule rule) { return ruleRows[unsigned(rule)].id; }
std::string_view aboutOf(Rule rule) { return ruleRows[unsigned(rule)].about; }

std::optional<Rule> ruleOf(std::string_view id) {
  for (unsigned i = 0; i < Rules; ++i)
    if (ruleRows[i].id == id)
      return Rule(i);
  return std::nullopt;
}

std::string lineOf(const SourceLocation &location) {
  return location.isKnown() ? fmt::format("{}:{}", location.file, location.line) : std::string();
}

} // namespace heddle::check
