// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/Html.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// A chart with two axes, drawn as SVG: no script, no network, colours by the page's style sheet. What a mark represents is
/// shown above the chart while the pointer or the keyboard's focus is on it.
struct Chart {
  struct Point {
    double x = 0, y = 0;
    std::string kind;  ///< "winner" is a diamond, "baseline" a square, all others are discs
    std::string title; ///< what the mark represents
  };
  struct Line {
    struct At {
      double x = 0, y = 0;
    };
    std::vector<At> at;
    std::string kind;     ///< class of the style sheet
    std::string label;    ///< written at its first point, or at its last where `labelAtEnd`
    bool isSteps = false; ///< keeps its height until the next point
    bool labelAtEnd = false;
    bool labelBelow = false;
  };
  struct Range {
    double least = 0, most = 1;
  };

  std::string xName, yName;
  std::vector<Point> points;
  /// A line that keeps its height until the next of these.
  std::vector<Point> steps;
  std::vector<Line> lines;
  bool countsOnX = false;              ///< the axis counts things: ticks are integers
  bool isLogLog = false;               ///< both axes are logarithmic whatever the values
  std::optional<Range> xRange, yRange; ///< where not given: what the values need, and a margin
  double width = 760, height = 320;
};

/// Where values spread over more than a decade the height is logarithmic, and the axis says so.
std::string svg(const Chart &chart);

/// An entry of a legend: the mark as the chart draws it (kind "steps": the line), and what it means.
struct LegendEntry {
  std::string kind, text;
};
std::string legendHtml(const std::vector<LegendEntry> &entries);

/// A chart with its legend and a sentence below it.
std::string figureHtml(const Chart &chart, const std::vector<LegendEntry> &legend, std::string_view caption);

/// Round numbers from `least` to `most`, about `count` of them: 0, 20, 40...; logarithmic: 1, 2, 5, 10...
std::vector<double> ticks(double least, double most, unsigned count, bool logarithmic);
/// Integers from `least` to `most`, about `count` of them.
std::vector<double> integerTicks(double least, double most, unsigned count);

} // namespace heddle::report
