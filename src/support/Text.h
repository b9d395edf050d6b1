// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Levenshtein distance: insertions, deletions and substitutions that turn `a` into `b`.
unsigned editDistance(std::string_view a, std::string_view b);

/// `names` ordered nearest to `wanted` first; ties keep their given order.
std::vector<std::string> nearestFirst(std::string_view wanted, std::vector<std::string> names);

/// "a, b and c"
std::string joinAnd(const std::vector<std::string> &words);

/// "1 barrier", "2 barriers"; a plural other than +s is given as the third argument.
std::string counted(size_t n, std::string_view singular, std::string_view plural = {});

/// A count as a person reads it: "4096", "1.2 million".
std::string inWords(uint64_t count);

} // namespace heddle
