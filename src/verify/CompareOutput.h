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
  /// It varies between runs of one program, or its unit is of nothing but speed (GB/s). Otherwise it may be a result: 13.5 ms is an ignition
  /// delay in some programs.
  bool isExplained = false;
};

struct OutputComparison {
  std::optional<LineDifference> difference;
  std::vector<IgnoredNumber> ignored; ///< up to the difference
};

/// What the two programs printed in another run, where there was one.
struct OtherRuns {
  std::optional<std::string_view> a, b;
};

/// Compares what two programs printed, line by line, numbers within the tolerance. Numbers that differ between runs of the first program do not
/// count. Neither do times and rates, since no two runs print the same, unless other runs of both programs did. Words always count.
OutputComparison compareOutput(std::string_view a, std::string_view b, const Tolerance &tolerance,
                               const OtherRuns &others = {});

/// Where two runs of one program differ in more than numbers.
std::optional<LineDifference> differenceInWords(std::string_view once, std::string_view again);

} // namespace heddle::verify
