// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::report {
namespace {

constexpr double Left = 72, Right = 18, Top = 26, Bottom = 46;

/// With more marks than this the keyboard stops at the prominent ones; the tables of the page have all.
constexpr size_t MostFocusable = 60;
/// What fits above a chart.
constexpr size_t LongestReadout = 104;

/// A range of values onto a range of the drawing.
struct Scale {
  double least = 0, most = 1, from = 0, to = 1;
  bool logarithmic = false;

  double at(double value) const {
    const double share =
        logarithmic ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
    return from + share * (to - from);
  }
};

/// The least and the most of some values, with a margin around them.
Scale scaleFor(const std::vector<double> &values, const std::optional<Chart::Range> &range,
               bool mayBeLogarithmic, bool isLogarithmic) {
  Scale scale;
  scale.logarithmic = isLogarithmic;
  if (range) {
    scale.least = range->least, scale.most = range->most;
    return scale;
  }
  if (values.empty()) {
    scale.logarithmic = false;
    return scale;
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  scale.least = *low, scale.most = *high;
  scale.logarithmic = isLogarithmic || (mayBeLogarithmic && *low > 0 && *high > 10 * *low);
  if (scale.logarithmic)
    scale.least /= 1.1, scale.most *= 1.1;
  else {
    const double margin = std::max((*high - *low) * 0.06, std::abs(*high) * 1e-3 + 1e-9);
    scale.least -= margin, scale.most += margin;
  }
  return scale;
}

bool hasWord(std::string_view kind, std::string_view word) {
  return kind.find(word) != std::string_view::npos;
}

std::string shapeHtml(std::string_view kind, double x, double y) {
  if (hasWord(kind, "baseline"))
    return fmt::format(R"(<rect class="shape" x="{:.1f}" y="{:.1f}" width="9" height="9"/>)", x - 4.5,
                       y - 4.5);
  if (hasWord(kind, "winner"))
    return fmt::format(R"(<path class="shape" d="M{:.1f} {:.1f}l6.5 6.5l-6.5 6.5l-6.5 -6.5z"/>)", x, y - 6.5);
  // A point fits into a hollow one, so that both are seen where their values are the same.
  const bool isSmall = hasWord(kind, "candidate") || hasWord(kind, "point");
  return fmt::format(R"(<circle class="shape" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", x, y, isSmall ? 4 : 6);
}

std::string shortened(const std::string &text) {
  if (text.size() <= LongestReadout)
    return text;
  size_t end = LongestReadout;
  while (end > 0 && (text[end] & 0xc0) == 0x80) // not in the middle of a letter of several bytes
    --end;
  return text.substr(0, end) + "...";
}

class Drawing {
public:
  explicit Drawing(const Chart &chart) : chart(chart) {
    std::vector<double> xs, ys;
    for (const auto *list : {&chart.points, &chart.steps})
      for (const Chart::Point &point : *list)
        xs.push_back(point.x), ys.push_back(point.y);
    for (const Chart::Line &line : chart.lines)
      for (const Chart::Line::At &at : line.at)
        xs.push_back(at.x), ys.push_back(at.y);
    x = scaleFor(xs, chart.xRange, false, chart.isLogLog),
    y = scaleFor(ys, chart.yRange, true, chart.isLogLog);
    x.from = Left, x.to = chart.width - Right;
    y.from = chart.height - Bottom, y.to = Top;
  }

  std::string text() {
    out = fmt::format(R"(<svg class="plot" viewBox="0 0 {} {}" role="group" aria-label="{} by {}">)",
                      chart.width, chart.height, escaped(chart.yName), escaped(chart.xName));
    axes();
    for (const Chart::Line &each : chart.lines)
      line(each);
    steps();
    for (const Chart::Point &point : chart.points)
      mark(point);
    return out + "</svg>\n";
  }

private:
  std::vector<double> ticksOnX() const {
    return chart.countsOnX ? integerTicks(x.least, x.most, 8) : ticks(x.least, x.most, 7, x.logarithmic);
  }

  void axes() {
    const double bottom = chart.height - Bottom, right = chart.width - Right;
    for (double tick : ticks(y.least, y.most, 5, y.logarithmic))
      out += fmt::format(
          R"(<path class="grid" d="M{0} {1:.1f}H{2}"/><text class="y" x="{3}" y="{1:.1f}">{4:g}</text>)",
          Left, y.at(tick), right, Left - 8, tick);
    for (double tick : ticksOnX())
      out += fmt::format(
          R"(<path class="axis" d="M{0:.1f} {1}v4"/><text class="x" x="{0:.1f}" y="{2}">{3:g}</text>)",
          x.at(tick), bottom, bottom + 18, tick);
    out += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)", Left, Top, bottom, right);
    out += fmt::format(R"(<text class="x name" x="{}" y="{}">{}</text>)", (Left + right) / 2,
                       chart.height - 7, escaped(chart.xName));
    out += fmt::format(R"svg(<text class="x name" transform="translate(14 {}) rotate(-90)">{}{}</text>)svg",
                       (Top + bottom) / 2, escaped(chart.yName),
                       y.logarithmic && !chart.isLogLog ? ", logarithmic" : "");
  }

  void line(const Chart::Line &each) {
    std::string path;
    for (const Chart::Line::At &at : each.at)
      path += path.empty()   ? fmt::format("M{:.1f} {:.1f}", x.at(at.x), y.at(at.y))
              : each.isSteps ? fmt::format("H{:.1f}V{:.1f}", x.at(at.x), y.at(at.y))
                             : fmt::format("L{:.1f} {:.1f}", x.at(at.x), y.at(at.y));
    if (path.empty())
      return;
    out += fmt::format(R"(<path class="{}" d="{}"/>)", escaped(each.kind), path);
    if (each.label.empty())
      return;
    const Chart::Line::At &at = each.labelAtEnd ? each.at.back() : each.at.front();
    out += fmt::format(R"(<text class="roof{}" x="{:.1f}" y="{:.1f}">{}</text>)",
                       each.labelAtEnd ? " end" : "", x.at(at.x) + (each.labelAtEnd ? -4 : 4),
                       y.at(at.y) + (each.labelBelow ? 15 : -7), escaped(each.label));
  }

  void steps() {
    Chart::Line made{{}, "steps", {}, true};
    for (const Chart::Point &point : chart.steps)
      made.at.push_back({point.x, point.y});
    line(made);
  }

  void mark(const Chart::Point &point) {
    const bool isFocusable = chart.points.size() <= MostFocusable || !hasWord(point.kind, "candidate");
    out += fmt::format(
        R"(<g class="mark {}" role="img" aria-label="{}"{}>{}<text class="readout" x="{}" y="14">{}</text></g>)",
        escaped(point.kind), escaped(point.title), isFocusable ? R"( tabindex="0")" : "",
        shapeHtml(point.kind, x.at(point.x), y.at(point.y)), Left, escaped(shortened(point.title)));
  }

  const Chart &chart;
  Scale x, y;
  std::string out;
};

/// 1, 2 or 5 times a power of ten, the first that is no less.
double roundUp(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= value * (1 - 1e-9))
      return factor * decade;
  return 10 * decade;
}

/// Powers of ten alone, where 1, 2, 5 would be too many.
std::vector<double> decades(double least, double most, unsigned count) {
  std::vector<double> found;
  const double first = std::ceil(std::log10(least) - 1e-9), last = std::floor(std::log10(most) + 1e-9);
  const double step = std::max(1.0, std::ceil((last - first) / std::max(1u, count)));
  for (double i = first; i <= last; i += step)
    found.push_back(std::pow(10, i));
  return found;
}

} // namespace

std::vector<double> ticks(double least, double most, unsigned count, bool logarithmic) {
  std::vector<double> found;
  if (!(most > least) || !count)
    return found;
  if (logarithmic) {
    if (std::log10(most / least) > count / 2.0)
      return decades(least, most, count);
    for (double tick = roundUp(least); tick <= most; tick = roundUp(tick * 1.5))
      found.push_back(tick);
    return found;
  }
  const double step = roundUp((most - least) / count);
  for (double i = std::ceil(least / step); i * step <= most; ++i)
    found.push_back(i * step);
  return found;
}

std::vector<double> integerTicks(double least, double most, unsigned count) {
  std::vector<double> found;
  if (!(most > least) || !count)
    return found;
  const double step = std::max(1.0, roundUp((most - least) / count));
  for (double i = std::ceil(least / step); i * step <= most; ++i)
    found.push_back(i * step);
  return found;
}

std::string svg(const Chart &chart) { return Drawing(chart).text(); }

std::string legendHtml(const std::vector<LegendEntry> &entries) {
  std::string out;
  for (const LegendEntry &entry : entries) {
    const bool isLine =
        entry.kind == "steps" || entry.kind == "curve" || entry.kind == "roofline" || entry.kind == "here";
    out +=
        fmt::format(R"(<li><svg viewBox="0 0 22 14" aria-hidden="true">{}</svg>{}</li>)",
                    isLine ? fmt::format(R"(<path class="{}" d="M1 7H21"/>)", entry.kind)
                           : fmt::format(R"(<g class="{}">{}</g>)", entry.kind, shapeHtml(entry.kind, 11, 7)),
                    escaped(entry.text));
  }
  return "<ul class=\"legend\">" + out + "</ul>\n";
}

std::string figureHtml(const Chart &chart, const std::vector<LegendEntry> &legend, std::string_view caption) {
  return "<figure class=\"chart\">\n" + svg(chart) + (legend.empty() ? "" : legendHtml(legend)) +
         (caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", escaped(caption))) +
         "</figure>\n";
}

} // namespace heddle::report
