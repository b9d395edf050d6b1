// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Roofline.h"

#include "model/Rates.h"
#include "report/Svg.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Of all multiprocessors, each fused multiply-add two operations. Nothing for a generation that was not measured: units of
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
  Roofline(const arch::Arch &arch, const std::vector<RooflineVariant> &variants)
      : arch(arch), variants(variants) {
    counts::FloatOperations sum;
    for (const RooflineVariant &variant : variants) {
      sum.fp64 += variant.work.operations.fp64;
      sum.single += variant.work.operations.single;
      sum.half += variant.work.operations.half;
      sum.calls += variant.work.operations.calls;
    }
    hasCalls = sum.calls > 0;
    addPeak("f64", "fma.f64", 2, sum.fp64);
    addPeak("f32", "fma.f32", 2, sum.single);
    addPeak("f16", "fma.f16x2", 4, sum.half);
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
    const auto computes = [](const RooflineVariant &variant) {
      return variant.work.operations.all() > 0 && variant.work.micros > 0;
    };
    if (std::ranges::none_of(variants, computes))
      return paragraphHtml(
          "The kernel executes no floating-point arithmetic, so that a roofline cannot show it.");
    for (const RooflineVariant &variant : variants)
      if (computes(variant))
        addPoints(variant);
    if (chart.points.empty())
      return paragraphHtml(
          "The kernel reads and writes no global memory, so that a roofline cannot show it.");
    chart.xName = "arithmetic intensity, FLOP per byte";
    chart.yName = "GFLOP/s";
    chart.isLogLog = true;
    chart.height = 360;
    frame();
    roofs();
    if (hasCalls)
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

  /// Both memories of a single program; of several, one memory that all of them use, the baseline hollow.
  void addPoints(const RooflineVariant &variant) {
    const RooflineWork &work = variant.work;
    if (variants.size() == 1) {
      addPoint(variant, "DRAM", work.dramBytes, "point");
      addPoint(variant, "L2", work.l2Bytes, "hollow");
      return;
    }
    const char *kind = &variant == &variants.front() ? "hollow" : "point";
    if (std::ranges::all_of(variants, [](const RooflineVariant &each) { return each.work.dramBytes > 0; }))
      addPoint(variant, "DRAM", work.dramBytes, kind);
    else
      addPoint(variant, "L2", work.l2Bytes, kind);
  }

  void addPoint(const RooflineVariant &variant, const char *level, double bytes, const char *kind) {
    if (bytes <= 0)
      return;
    const RooflineWork &work = variant.work;
    const double gigaflops = work.operations.all() / work.micros / 1e3;
    const double intensity = work.operations.all() / bytes, gigabytes = bytes / work.micros / 1e3;
    const std::string of = variants.size() > 1 ? variant.program + ", " : "";
    std::string text = fmt::format("{}{}: {:.3g} FLOP per byte, {} and {}", of, level, intensity,
                                   rateText(gigaflops, "FLOP/s"), rateText(gigabytes, "B/s"));
    if (const Roof *roof = memory(level))
      text += fmt::format(" ({} of its bandwidth)", shareText(gigabytes / roof->rate));
    chart.points.push_back({intensity, gigaflops, kind, text});
    legend.push_back(
        {kind, fmt::format("{}{}, by bytes of {}", of, work.isPredicted ? "predicted" : "measured", level)});
    caption += (caption.empty() ? "" : " ") + text + ".";
  }

  void frame() {
    double left = 1e300, right = 0, low = 1e300, high = 0;
    for (const Chart::Point &point : chart.points) {
      left = std::min(left, point.x), right = std::max(right, point.x);
      low = std::min(low, point.y), high = std::max(high, point.y);
    }
    for (const Roof &peak : peaks) {
      high = std::max(high, peak.rate);
      for (const Roof &memory : memories)
        right = std::max(right, peak.rate / memory.rate);
    }
    chart.xRange = Chart::Range{left / 6, right * 6};
    chart.yRange = Chart::Range{low / 20, high * 3};
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
  const std::vector<RooflineVariant> &variants;
  std::vector<Roof> peaks, memories;
  std::vector<std::string> missing;
  bool hasCalls = false;
  std::string caption;
  Chart chart;
  std::vector<LegendEntry> legend;
};

} // namespace

namespace {

/// Of the kind of numbers that most operations are of.
std::string computedText(const arch::Arch &arch, const RooflineWork &work) {
  struct Kind {
    double operations;
    const char *name, *cls;
    double each;
  };
  const counts::FloatOperations &all = work.operations;
  const Kind kinds[] = {
      {all.single, "f32", "fma.f32", 2}, {all.fp64, "f64", "fma.f64", 2}, {all.half, "f16", "fma.f16x2", 4}};
  const Kind &most = *std::ranges::max_element(kinds, {}, &Kind::operations);
  std::string text = rateText(all.all() / work.micros / 1e3, "FLOP/s");
  if (const std::optional<double> peak = peakGigaflops(arch, most.cls, most.each))
    text +=
        fmt::format(" ({} of the limit of {})", shareText(all.all() / work.micros / 1e3 / *peak), most.name);
  return text;
}

std::string transportedText(const char *memory, double bytes, double micros, double limit) {
  const double rate = bytes / micros / 1e3;
  std::string text = fmt::format("{} of {}", rateText(rate, "B/s"), memory);
  return limit > 0 ? text + fmt::format(" ({})", shareText(rate / limit)) : text;
}

} // namespace

std::string rooflineText(const arch::Arch &arch, const RooflineWork &work) {
  if (work.micros <= 0)
    return "";
  std::vector<std::string> parts;
  if (work.operations.all() > 0)
    parts.push_back(computedText(arch, work));
  if (work.dramBytes > 0)
    parts.push_back(transportedText("DRAM", work.dramBytes, work.micros, arch.deviceDramGigabytesPerSecond));
  if (work.l2Bytes > 0)
    parts.push_back(transportedText("L2", work.l2Bytes, work.micros,
                                    double(arch.deviceL2BytesPerCycle) * arch.deviceClockMhz / 1e3));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string rooflineHtml(const arch::Arch &arch, const RooflineWork &work) {
  return rooflineHtml(arch, std::vector<RooflineVariant>{{"", work}});
}

std::string rooflineHtml(const arch::Arch &arch, const std::vector<RooflineVariant> &variants) {
  return Roofline(arch, variants).html();
}

} // namespace heddle::report
