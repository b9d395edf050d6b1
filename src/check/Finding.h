// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::check {

/// What a finding opens with.
enum class Class : uint8_t { Race, Deadlock, Barrier, Memory, Uninitialized, Async, Warp, Host };
std::string_view nameOf(Class cls);

enum class Rule : uint8_t {
#define HEDDLE_RULE(NAME, CLASS, ID, ABOUT) NAME,
#include "check/Rules.def"
};
constexpr unsigned Rules = 0
#define HEDDLE_RULE(NAME, CLASS, ID, ABOUT) +1
#include "check/Rules.def"
    ;

Class classOf(Rule rule);
std::string_view idOf(Rule rule);
std::string_view aboutOf(Rule rule);
std::optional<Rule> ruleOf(std::string_view id);
/// "tile.cu:14": what findings are grouped by.
std::string lineOf(const SourceLocation &location);

/// One defect, reported once however often it happens.
struct Finding {
  struct Note {
    SourceLocation location;
    std::string text;
  };

  Rule rule = Rule::RaceShared;
  std::string kernel; ///< as a person calls it; empty where no kernel is to blame
  SourceLocation location;
  std::string text; ///< what is wrong, with threads and memory named; one sentence without the location
  std::vector<Note> notes; ///< the other access, who waits for whom
  std::string hint;
  uint64_t times = 1; ///< how often it was seen
};

} // namespace heddle::check
