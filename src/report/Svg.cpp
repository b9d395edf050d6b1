// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Svg.h"

#include "support/Utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::report {
namespace {

constexpr double Width = 760, Height = 320, Left = 76, Right = 16, Top = 14, Bottom = 46;

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

/// The least and the most of some values, with room around them.
Scale scaleFor(const std::vector<double> &values, bool mayBeLogarithmic) {
  Scale scale;
  if (values.empty())
    return scale;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  scale.least = *low, scale.most = *high;
  scale.logarithmic = mayBeLogarithmic && *low > 0 && *high > 10 * *low;
  if (scale.logarithmic)
    scale.least /= 1.1, scale.most *= 1.1;
  else {
    const double room = std::max((*high - *low) * 0.06, std::abs(*high) * 1e-3 + 1e-9);
    scale.least -= room, scale.most += room;
  }
  return scale;
}

class Drawing {
public:
  explicit Drawing(const Chart &chart) : chart(chart) {
    std::vector<double> xs, ys;
    for (const auto *list : {&chart.points, &chart.steps})
      for (const Chart::Point &point : *list)
        xs.push_back(point.x), ys.push_back(point.y);
    x = scaleFor(xs, false), y = scaleFor(ys, true);
    x.from = Left, x.to = Width - Right;
    y.from = Height - Bottom, y.to = Top;
  }

  std::string text() {
    out = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{} by {}">)", Width, Height,
                      escaped(chart.yName), escaped(chart.xName));
    axes();
    steps();
    for (const Chart::Point &point : chart.points)
      out += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>)",
                         escaped(point.kind), x.at(point.x), y.at(point.y), escaped(point.title));
    return out + "</svg>\n";
  }

private:
  void axes() {
    for (double tick : ticks(y.least, y.most, 5, y.logarithmic))
      out += fmt::format(
          R"(<path class="grid" d="M{0} {1:.1f}H{2}"/><text class="y" x="{3}" y="{1:.1f}">{4:g}</text>)",
          Left, y.at(tick), Width - Right, Left - 8, tick);
    for (double tick : ticks(x.least, x.most, 7, false))
      out += fmt::format(R"(<text class="x" x="{:.1f}" y="{}">{:g}</text>)", x.at(tick), Height - Bottom + 18,
                         tick);
    out += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)", Left, Top, Height - Bottom,
                       Width - Right);
    out += fmt::format(R"(<text class="x name" x="{}" y="{}">{}</text>)", (Left + Width - Right) / 2,
                       Height - 8, escaped(chart.xName));
    out +=
        fmt::format(R"svg(<text class="x name" transform="translate(14 {}) rotate(-90)">{}{}</text>)svg",
                    (Top + Height - Bottom) / 2, escaped(chart.yName), y.logarithmic ? ", logarithmic" : "");
  }

  void steps() {
    std::string path;
    for (const Chart::Point &point : chart.steps)
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x.at(point.x), y.at(point.y))
                           : fmt::format("H{:.1f}V{:.1f}", x.at(point.x), y.at(point.y));
    if (!path.empty())
      out += fmt::format(R"(<path class="steps" d="{}"/>)", path);
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

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char letter : asUtf8(text))
    switch (letter) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += letter;
    }
  return out;
}

std::vector<double> ticks(double least, double most, unsigned count, bool logarithmic) {
  std::vector<double> found;
  if (!(most > least) || !count)
    return found;
  if (logarithmic) {
    for (double tick = roundUp(least); tick <= most; tick = roundUp(tick * 1.5))
      found.push_back(tick);
    return found;
  }
  const double step = roundUp((most - least) / count);
  for (double i = std::ceil(least / step); i * step <= most; ++i)
    found.push_back(i * step);
  return found;
}

std::string svg(const Chart &chart) { return Drawing(chart).text(); }

} // namespace heddle::report
