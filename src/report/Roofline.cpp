// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Roofline.h"

#include "model/Rates.h"
#include "report/Svg.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace heddle::report {
namespace {

/// A limit of a device: GFLOP/s of arithmetic, or GB/s of a memory.
struct Roof {
  std::string name;
  double rate = 0;
};

/// Of all multiprocessors, each fused multiply-add two operations. Nothing where nobody measured this generation: units of
/// one are half or twice as wide as those of the next.
std::optional<double> peakGigaflops(const arch::Arch &arch, const char *cls, double operations) {
  const std::optional<model::ClassRate> rate = model::rateOf(cls, arch);
  if (!rate || !arch::throughputOf(arch.latencies, cls) || !arch.deviceSms || !arch.deviceClockMhz)
    return std::nullopt;
  return rate->perCycle * operations * arch.deviceSms * arch.deviceClockMhz / 1e3;
}

std::string rateText(double giga, const char *unit) {
  return giga >= 1000 ? fmt::format("{:.3g} T{}", giga / 1000, unit) : fmt::format("{:.3g} G{}", giga, unit);
}

std::string shareText(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0); }

class Roofline {
public:
  Roofline(const arch::Arch &arch, const RooflineWork &work) : arch(arch), work(work) {
    addPeak("f64", "fma.f64", 2, work.operations.fp64);
    addPeak("f32", "fma.f32", 2, work.operations.single);
    addPeak("f16", "fma.f16x2", 4, work.operations.half);
    if (arch.deviceDramGigabytesPerSecond)
      memories.push_back({"DRAM", double(arch.deviceDramGigabytesPerSecond)});
    else
      missing.emplace_back("the bandwidth of DRAM");
    if (arch.deviceL2BytesPerCycle)
      memories.push_back({"L2", double(arch.deviceL2BytesPerCycle) * arch.deviceClockMhz / 1e3});
    else
      missing.emplace_back("the bandwidth of L2");
  }

  std::string html() {
    if (work.operations.all() <= 0 || work.micros <= 0)
      return paragraphHtml(
          "The kernel executes no floating-point arithmetic, so that it has no place in a roofline.");
    gigaflops = work.operations.all() / work.micros / 1e3;
    std::string caption;
    addPoint("DRAM", work.dramBytes, "point", caption);
    addPoint("L2", work.l2Bytes, "hollow", caption);
    if (chart.points.empty())
      return paragraphHtml(
          "The kernel reads and writes no global memory, so that it has no place in a roofline.");
    chart.xName = "arithmetic intensity, FLOP per byte";
    chart.yName = "GFLOP/s";
    chart.isLogLog = true;
    chart.height = 360;
    frame();
    roofs();
    if (work.operations.calls > 0)
      caption += " The kernel calls functions; operations inside library functions are not counted.";
    if (!missing.empty())
      caption += fmt::format(" The table of {} does not have {}: not drawn.", arch.name, joinAnd(missing));
    return figureHtml(chart, legend, caption);
  }

private:
  void addPeak(const char *name, const char *cls, double operations, double executed) {
    if (executed <= 0)
      return;
    if (const std::optional<double> peak = peakGigaflops(arch, cls, operations))
      peaks.push_back({name, *peak});
    else
      missing.push_back(fmt::format("the throughput of {}", name));
  }

  const Roof *memory(std::string_view name) const {
    const auto found = std::ranges::find(memories, name, &Roof::name);
    return found == memories.end() ? nullptr : &*found;
  }

  void addPoint(const char *level, double bytes, const char *kind, std::string &caption) {
    if (bytes <= 0)
      return;
    const double intensity = work.operations.all() / bytes, gigabytes = bytes / work.micros / 1e3;
    std::string text = fmt::format("{}: {:.3g} FLOP per byte, {} and {}", level, intensity,
                                   rateText(gigaflops, "FLOP/s"), rateText(gigabytes, "B/s"));
    if (const Roof *roof = memory(level))
      text += fmt::format(" ({} of its bandwidth)", shareText(gigabytes / roof->rate));
    chart.points.push_back({intensity, gigaflops, kind, text});
    legend.push_back(
        {kind, fmt::format("{}, by bytes of {}", work.isPredicted ? "predicted" : "measured", level)});
    caption += (caption.empty() ? "" : " ") + text + ".";
  }

  void frame() {
    double left = 1e300, right = 0, high = gigaflops;
    for (const Chart::Point &point : chart.points)
      left = std::min(left, point.x), right = std::max(right, point.x);
    for (const Roof &peak : peaks) {
      high = std::max(high, peak.rate);
      for (const Roof &memory : memories)
        right = std::max(right, peak.rate / memory.rate);
    }
    chart.xRange = Chart::Range{left / 6, right * 6};
    chart.yRange = Chart::Range{gigaflops / 20, high * 3};
  }

  void roofs() {
    double highest = chart.yRange->most / 1.5, widest = 0;
    for (const Roof &memory : memories)
      widest = std::max(widest, memory.rate);
    if (!peaks.empty())
      highest = std::ranges::max(peaks, {}, &Roof::rate).rate;
    for (const Roof &memory : memories) {
      const double from = std::max(chart.xRange->least, chart.yRange->least / memory.rate),
                   to = highest / memory.rate;
      if (to > from)
        chart.lines.push_back({{{from, from * memory.rate}, {to, highest}}, "roofline", {}});
      // The faster memory's line is above the other's, and so is its name.
      const bool isBelow = memory.rate < widest;
      const double middle = std::sqrt(from * to);
      chart.lines.push_back({{{middle, middle * memory.rate}},
                             "roofline",
                             fmt::format("{} {}", memory.name, rateText(memory.rate, "B/s")),
                             false,
                             !isBelow,
                             isBelow});
    }
    for (const Roof &peak : peaks) {
      const double from = widest > 0 ? peak.rate / widest : chart.xRange->least;
      chart.lines.push_back(
          {{{std::max(from, chart.xRange->least), peak.rate}, {chart.xRange->most, peak.rate}},
           "roofline",
           fmt::format("{} {}", peak.name, rateText(peak.rate, "FLOP/s")),
           false,
           true});
    }
    legend.push_back(
        {"roofline", fmt::format("limits of {}", arch.deviceName.empty() ? arch.name : arch.deviceName)});
  }

  const arch::Arch &arch;
  const RooflineWork &work;
  std::vector<Roof> peaks, memories;
  std::vector<std::string> missing;
  double gigaflops = 0;
  Chart chart;
  std::vector<LegendEntry> legend;
};

} // namespace

std::string rooflineHtml(const arch::Arch &arch, const RooflineWork &work) {
  return Roofline(arch, work).html();
}

} // namespace heddle::report
