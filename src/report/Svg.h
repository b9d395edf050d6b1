// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// Text as it may stand in HTML and SVG, attributes included.
std::string escaped(std::string_view text);

/// A chart with two axes, drawn as SVG: no script, no network, colours by the page's style sheet.
struct Chart {
  struct Point {
    double x = 0, y = 0;
    std::string kind;  ///< class of the style sheet
    std::string title; ///< shown where the pointer rests
  };
  std::string xName, yName;
  std::vector<Point> points;
  /// A line that keeps its height until the next of these.
  std::vector<Point> steps;
};

/// Where values spread over more than a decade the height is logarithmic, and the axis says so.
std::string svg(const Chart &chart);

/// Round numbers from `least` to `most`, about `count` of them: 0, 20, 40...; logarithmic: 1, 2, 5, 10...
std::vector<double> ticks(double least, double most, unsigned count, bool logarithmic);

} // namespace heddle::report
