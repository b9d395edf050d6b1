// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/OccupancyChart.h"

#include "report/Svg.h"
#include "support/Text.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

constexpr double Width = 470, Height = 270;
/// Fewer registers than this no kernel has.
constexpr unsigned FewestRegisters = 16;

Chart chartOf(std::string xName, Chart::Range range) {
  Chart chart{std::move(xName), "occupancy, percent", {}, {}};
  chart.xRange = range;
  chart.yRange = Chart::Range{0, 104};
  chart.width = Width, chart.height = Height;
  return chart;
}

std::string limitsText(const arch::Occupancy &occupancy) {
  std::vector<std::string> names;
  for (arch::Resource resource : occupancy.limits)
    names.emplace_back(nameOf(resource));
  return names.empty() ? "" : ", limited by " + joinAnd(names);
}

void addPoint(Chart &chart, double x, const arch::Occupancy &here, const std::string &what) {
  chart.lines.push_back({{{x, 0}, {x, here.percent}}, "here", {}});
  chart.points.push_back(
      {x, here.percent, "point", fmt::format("{}: {:.0f} %{}", what, here.percent, limitsText(here))});
}

std::string byBlock(const arch::Arch &arch, const arch::KernelResources &kernel) {
  Chart chart = chartOf("threads per block", {0, double(arch.maxThreadsPerBlock) + arch.warpSize});
  Chart::Line curve{{}, "curve", {}};
  arch::KernelResources other = kernel;
  for (unsigned threads = arch.warpSize; threads <= arch.maxThreadsPerBlock; threads += arch.warpSize) {
    other.threadsPerBlock = threads;
    curve.at.push_back({double(threads), arch::occupancy(arch, other).percent});
  }
  chart.lines.push_back(std::move(curve));
  if (kernel.threadsPerBlock)
    addPoint(chart, kernel.threadsPerBlock, arch::occupancy(arch, kernel),
             fmt::format("{} threads per block", kernel.threadsPerBlock));
  return figureHtml(chart, {},
                    fmt::format("With {} registers per thread and {} bytes of shared memory per block.",
                                kernel.registersPerThread, kernel.sharedBytes()));
}

std::string byRegisters(const arch::Arch &arch, const arch::KernelResources &kernel) {
  Chart chart = chartOf("registers per thread", {0, double(arch.maxRegistersPerThread) + 8});
  Chart::Line curve{{}, "curve", {}, true};
  arch::KernelResources other = kernel;
  for (unsigned registers = FewestRegisters; registers <= arch.maxRegistersPerThread; ++registers) {
    other.registersPerThread = registers;
    curve.at.push_back({double(registers), arch::occupancy(arch, other).percent});
  }
  chart.lines.push_back(std::move(curve));
  addPoint(chart, kernel.registersPerThread, arch::occupancy(arch, kernel),
           fmt::format("{} registers per thread", kernel.registersPerThread));
  return figureHtml(chart, {},
                    fmt::format("With {} threads and {} bytes of shared memory per block.",
                                kernel.threadsPerBlock, kernel.sharedBytes()));
}

} // namespace

std::string occupancyHtml(const arch::Arch &arch, const arch::KernelResources &kernel) {
  return "<div class=\"pair\">\n" + byBlock(arch, kernel) +
         (kernel.threadsPerBlock && kernel.registersPerThread ? byRegisters(arch, kernel) : "") + "</div>\n";
}

} // namespace heddle::report
