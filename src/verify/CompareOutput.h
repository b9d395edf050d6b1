// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "verify/Compare.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::verify {

/// A number in what two programs printed that differs and does not count.
struct IgnoredNumber {
  enum class Why {
    IsTime, ///< a time or a rate by its unit: 12.3 ms, 80 GB/s, 2.1x, "(ms): 12.3"
    Varies, ///< differs between two runs of the original as well
  };
  size_t line = 0; ///< from 1
  std::string a, b;
  Why why = Why::IsTime;
};

struct OutputComparison {
  std::optional<LineDifference> difference;
  std::vector<IgnoredNumber> ignored; ///< up to the difference
};

/// Compares what two programs printed, line by line, numbers within the tolerance. Numbers that are times or
/// rates do not count, since no two runs print the same; and where `again` is there, which is what the first
/// program printed in another run, neither do numbers that differ between its runs. Words always count.
OutputComparison compareOutput(std::string_view a, std::string_view b, const Tolerance &tolerance,
                               std::optional<std::string_view> again = std::nullopt);

/// Where two runs of one program differ in more than numbers.
std::optional<LineDifference> differenceInWords(std::string_view once, std::string_view again);

} // namespace heddle::verify
