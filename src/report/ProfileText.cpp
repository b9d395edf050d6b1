// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Thresholds.h"
#include "report/Page.h"
#include "report/PredictionText.h"
#include "report/ProfileReport.h"
#include "report/Roofline.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using namespace divergence;

/// Lines that cost less than this are left to the JSON form.
using model::threshold::report::leastShare;

std::string ofAll(uint64_t part, uint64_t all) {
  return fmt::format("{} of {} ({})", part, all, percentText(all ? double(part) / double(all) : 0));
}
std::string sizes(const uint32_t (&size)[3]) {
  if (size[1] == 1 && size[2] == 1)
    return fmt::format("{}", size[0]);
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}
/// Four digits: cycles are for comparison.
std::string cycles(double count) {
  if (count < 1e5)
    return fmt::format("{:.0f} cycles", count);
  return count < 1e8 ? fmt::format("{:.4g} million cycles", count / 1e6)
                     : fmt::format("{:.4g} billion cycles", count / 1e9);
}

std::string launchText(const KernelSummary &kernel) {
  const bool isOne = kernel.grid[0] * kernel.grid[1] * kernel.grid[2] == 1;
  std::string text = fmt::format("{}, {} {} of {} threads", counted(kernel.launches, "launch", "launches"),
                                 sizes(kernel.grid), isOne ? "block" : "blocks", sizes(kernel.block));
  if (kernel.skippedLaunches)
    text += fmt::format(" (and {} more that were not profiled)", kernel.skippedLaunches);
  return text;
}

/// Estimated from the PTX, but where a GPU counts by ptxas.
std::string occupancyText(const ProfileOfProgram &profile, const KernelSummary &kernel) {
  return fmt::format("{} per SM, {:.0f} % of its warps, with {}{} registers per thread",
                     counted(kernel.occupancy.blocksPerSm, "block"), kernel.occupancy.percent,
                     profile.origin.isMeasured() ? "" : "about ", kernel.registers);
}

std::string measuredText(const ProfileOfProgram &profile, const KernelSummary &kernel) {
  std::string text = "on " + profile.origin.device;
  if (auto sampled = profile.origin.sampled.find(kernel.kernel); sampled != profile.origin.sampled.end())
    text += fmt::format(", in one of {} thread blocks", sampled->second);
  return text + ": vectors, branches, warps, slots; cycles are the model's";
}

/// A GPU may leave lanes apart longer than they have to be, or bring them together earlier than the control flow says.
std::string slotsText(const ProfileOfProgram &profile, const KernelSummary &kernel) {
  std::string text = fmt::format("{} of all lane slots lost", percentText(kernel.lostShare));
  if (profile.origin.isMeasured())
    text += fmt::format(", {} by the model of the vectors", percentText(kernel.lostShareByModel));
  return text;
}

std::string locationText(const SourceLocation &location) {
  if (!location.isKnown())
    return "(no source line)";
  return location.line ? fmt::format("{}:{}", location.file, location.line)
                       : location.file; // compilers write 0 for "of no line"
}

void addLines(Page &page, const KernelSummary &kernel) {
  std::vector<std::vector<std::string>> rows;
  for (const LineLoss &line : kernel.lines)
    if (line.share >= leastShare)
      rows.push_back({percentText(line.share), locationText(line.location),
                      fmt::format("diverged {}", ofAll(line.divergent, line.executions))});
  if (kernel.absentShare >= leastShare)
    rows.push_back({percentText(kernel.absentShare), "(warps with fewer than 32 threads)", ""});
  if (!rows.empty())
    page.table("lost at", rows);
}

std::string ratio(double before, double after) {
  return after > 0 ? fmt::format("{:.2f} x", before / after) : "-";
}

void addRegroupings(Page &page, const KernelSummary &kernel) {
  if (kernel.lostShare < leastShare || kernel.scheduled <= 0)
    return;
  std::vector<std::vector<std::string>> rows = {
      {"by", "scheduled", "weighted", "slots lost", "divergent warps"}};
  auto add = [&](const std::string &by, const RegroupEstimate &estimate) {
    rows.push_back({by, ratio(kernel.scheduled, estimate.scheduled),
                    ratio(kernel.weighted, estimate.weighted), percentText(estimate.lostShare),
                    fmt::format("{}", estimate.divergentWarps)});
  };
  for (const RegroupEstimate &estimate : kernel.regrouped)
    add(std::string(nameOf(estimate.algorithm)), estimate);
  add("  as predicted", kernel.byPrediction);
  page.table("regrouped", rows);
}

std::string inputText(const Input &input) {
  switch (input.kind) {
  case Input::Kind::ThreadIndex:
  case Input::Kind::Parameter: return input.name;
  case Input::Kind::Element: return fmt::format("the element loaded at {}", locationText(input.location));
  case Input::Kind::Combination: return fmt::format("what {} compares", locationText(input.location));
  case Input::Kind::Varying: break;
  }
  return input.location.isKnown() ? fmt::format("{} at {}", input.name, locationText(input.location))
                                  : input.name;
}

void addPrediction(Page &page, const Prediction &prediction) {
  const size_t varying = prediction.blocks.size() - prediction.count(Key::Constant);
  if (varying == 0)
    return;
  page.line("predicted",
            fmt::format(
                "of {} with varying counts: {} by a linear model, {} by an input value, {} only by profiling",
                counted(varying, "basic block"), prediction.count(Key::Linear), prediction.count(Key::Inputs),
                prediction.count(Key::Profile)));
  page.more(fmt::format("mean square error of the linear models {:.4g}, fitted to thread block {}",
                        prediction.meanSquareError, prediction.trainingBlock));
  std::vector<bool> decides(prediction.inputs.size());
  for (const BlockPrediction &block : prediction.blocks)
    if (block.key != Key::Constant)
      for (uint32_t input : block.inputs)
        decides[input] = true;
  std::vector<std::string> said;
  for (size_t i = 0; i < decides.size(); ++i)
    if (decides[i] && std::find(said.begin(), said.end(), inputText(prediction.inputs[i])) == said.end())
      said.push_back(inputText(prediction.inputs[i]));
  if (!said.empty())
    page.more("their counts depend on " + joinAnd(said));
}

std::string latencyText(const ProfileOfProgram &profile, const KernelSummary &kernel) {
  if (!profile.arch.latencies)
    return fmt::format("{} has no latencies yet: each instruction counts one cycle", profile.arch.name);
  std::string text = fmt::format(
      "{} of {} instructions from the table of {}", kernel.latenciesKnown,
      kernel.latenciesKnown + kernel.latenciesSubstituted + kernel.latenciesCounted, profile.arch.name);
  if (kernel.latenciesSubstituted)
    text += fmt::format(", {} from a similar instruction", kernel.latenciesSubstituted);
  if (kernel.latenciesCounted)
    text += fmt::format(", {} counted as one cycle", kernel.latenciesCounted);
  return text;
}

/// Few blocks hide what regrouping saves: the longest of them has a multiprocessor to itself.
std::string scheduledText(const ProfileOfProgram &profile, const KernelSummary &kernel) {
  const uint64_t blocks = uint64_t(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
  std::string text = cycles(kernel.scheduled);
  if (blocks < profile.arch.deviceSms)
    text += fmt::format(": {} {} some of {} SMs idle, and the longest block determines the time",
                        counted(blocks, "block"), blocks == 1 ? "leaves" : "leave", profile.arch.deviceSms);
  return text;
}

/// The metrics do not see memory: this line says how much there is to see.
std::string memoryText(const KernelSummary &kernel) {
  return fmt::format("{:.1f} sectors of 32 bytes per global request, {:.1f} bytes per warp instruction",
                     double(kernel.globalSectors) / double(kernel.globalRequests),
                     32.0 * double(kernel.globalSectors) /
                         double(std::max<uint64_t>(1, kernel.warpInstructions)));
}

void addPredictedTime(Page &page, const arch::Arch &arch, const counts::KernelEstimate &estimate) {
  page.line("bound by", predictionText(estimate.sum));
  if (const std::string text = rooflineText(
          arch, {estimate.operations, estimate.sum.dramBytes, estimate.sum.l2Bytes, estimate.sum.micros});
      !text.empty())
    page.line("roofline", text);
}

void addKernel(Page &page, const ProfileOfProgram &profile, size_t index) {
  const KernelSummary &kernel = profile.kernels[index];
  page.title(profile.names[index]);
  page.line("launched", launchText(kernel));
  if (profile.origin.isMeasured())
    page.line("measured", measuredText(profile, kernel));
  page.line("occupancy", occupancyText(profile, kernel));
  page.line("vectors", fmt::format("{} distinct ({}, {} {})", inWords(kernel.distinctVectors),
                                   counted(kernel.basicBlocks, "basic block"), inWords(kernel.threads),
                                   kernel.threads == 1 ? "thread" : "threads"));
  page.line("branches", "diverged " + ofAll(kernel.divergentBranches, kernel.branches));
  page.line("warps", "diverged " + ofAll(kernel.divergentWarps, kernel.warps));
  page.line("slots", slotsText(profile, kernel));
  if (kernel.globalRequests)
    page.line("memory", memoryText(kernel));
  if (auto found = profile.estimates.find(kernel.kernel); found != profile.estimates.end())
    addPredictedTime(page, profile.arch, found->second);
  page.line("weighted", cycles(kernel.weighted));
  page.line("scheduled", scheduledText(profile, kernel));
  addLines(page, kernel);
  addRegroupings(page, kernel);
  addPrediction(page, kernel.prediction);
  page.line("latencies", latencyText(profile, kernel));
}

} // namespace

/// Rounding errors of sums are not printed as -0.0 %.
std::string percentText(double share) { return fmt::format("{:.1f} %", std::round(1000 * share) / 10 + 0.0); }

std::string profileText(const ProfileOfProgram &profile) {
  Page page;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    if (i)
      page.gap();
    addKernel(page, profile, i);
  }
  return page.str();
}

} // namespace heddle::report
