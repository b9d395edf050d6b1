// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source text in a page, with what is known of its lines.
#pragma once

#include "report/Html.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::report {

/// Something that is known of a line; shown under it.
struct LineRemark {
  unsigned line = 0;
  Tone tone = Tone::Info;
  std::string label; ///< "divergent if", "race/shared"
  std::string text;
  bool isHit = false; ///< the line itself gets the colour
};

/// A number beside a line; `heat` from 0 to 1 is how strongly its cell is coloured.
struct LineNumber {
  std::string text;
  double heat = 0;
};

struct Listing {
  std::string title; ///< above it; mostly the file
  std::vector<std::string> lines;
  /// First and last lines that are shown whatever is known of them. Others are shown near remarks.
  std::vector<std::pair<unsigned, unsigned>> shown;
  std::vector<LineRemark> remarks;
  std::vector<std::string> columns;                    ///< names of the numbers beside lines
  std::map<unsigned, std::vector<LineNumber>> numbers; ///< by line, one for each column
  unsigned context = 3;                                ///< lines around a remark or number
};
std::string listingHtml(const Listing &listing);

/// What turns one text into another, line by line. `nothing` is shown where both are the same.
std::string diffHtml(std::string_view before, std::string_view after, std::string_view title,
                     std::string_view nothing);

/// The lines of a file; none where it cannot be read.
std::vector<std::string> linesOfFile(const std::string &file);
std::vector<std::string> linesOfText(std::string_view text);

} // namespace heddle::report
