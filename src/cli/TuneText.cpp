// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneText.h"

#include "support/ShellText.h"
#include "support/Text.h"
#include "tune/Gain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sys/ioctl.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

using runner::Status;

size_t terminalWidth() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// "1 refused, 2 wrong": what became of those that cannot win.
std::string failuresText(const tune::Report &report) {
  std::map<Status, size_t> counts;
  size_t twins = 0;
  for (const tune::Report::Entry &entry : report.entries) {
    if (!entry.evaluation.sameAs.empty())
      ++twins;
    else if (entry.evaluation.result.status != Status::Measured)
      ++counts[entry.evaluation.result.status];
  }
  std::vector<std::string> parts;
  for (const auto &[status, count] : counts)
    parts.push_back(fmt::format("{} {}", count, runner::nameOf(status)));
  if (twins)
    parts.push_back(fmt::format("{} the same as another", twins));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Why candidates were refused: the first of each reason, up to three.
std::string refusalsText(const tune::Report &report) {
  constexpr size_t Most = 3;
  std::set<std::string> reasons;
  std::string text;
  for (const tune::Report::Entry &entry : report.entries) {
    const runner::Result &result = entry.evaluation.result;
    if (result.status != Status::Refused || !entry.evaluation.sameAs.empty() ||
        !reasons.insert(result.reason).second)
      continue;
    if (reasons.size() <= Most)
      text += fmt::format("  refused: {}: {}\n", entry.evaluation.configuration.str(), result.reason);
  }
  if (reasons.size() > Most)
    text += fmt::format("  {} more reasons: --json lists all\n", reasons.size() - Most);
  return text.empty() ? text : "\n" + text;
}

/// Candidates that were not selected although their launch is faster than the baseline's: why.
std::string notChosenText(const tune::Report &report) {
  std::string text;
  for (const tune::Report::Entry &entry : report.entries)
    if (!entry.whyNotChosen.empty())
      text +=
          fmt::format("  not selected: {}: {}\n", entry.evaluation.configuration.str(), entry.whyNotChosen);
  for (const std::string &each : report.notTried)
    text += fmt::format("  not tried: {}\n", each);
  return text.empty() ? text : "\n" + text;
}

size_t measured(const tune::Report &report) {
  return size_t(std::ranges::count_if(report.entries, [](const tune::Report::Entry &entry) {
    return entry.evaluation.result.status == Status::Measured && entry.evaluation.sameAs.empty();
  }));
}

std::vector<const tune::Report::Entry *> fastest(const tune::Report &report, size_t top) {
  std::vector<const tune::Report::Entry *> list;
  for (const tune::Report::Entry &entry : report.entries)
    if (entry.evaluation.result.status == Status::Measured && entry.evaluation.sameAs.empty())
      list.push_back(&entry);
  std::sort(list.begin(), list.end(), [](const auto *a, const auto *b) {
    const double left = a->evaluation.result.micros, right = b->evaluation.result.micros;
    return left != right ? left < right : a < b;
  });
  list.resize(std::min(list.size(), top));
  return list;
}

std::string rowText(const tune::Report::Entry &entry, double baselineMicros) {
  const runner::Result &result = entry.evaluation.result;
  unsigned registers = 0;
  double occupancy = 100;
  for (const runner::KernelTime &kernel : result.kernels) {
    registers = std::max(registers, kernel.registers);
    occupancy = std::min(occupancy, kernel.occupancy);
  }
  return fmt::format("  {:>10}  {:>5.2f}  {:>4}  {:>5.0f} %  {}\n", timeText(result.micros),
                     baselineMicros / result.micros, registers, occupancy,
                     entry.evaluation.configuration.str());
}

/// Where the baseline won although some candidate has a smaller time: why.
std::string whyNoneDid(const tune::Report &report) {
  const runner::Result &baseline = report.baseline().evaluation.result;
  const std::vector<const tune::Report::Entry *> list = fastest(report, 1);
  const runner::Result &first = list.front()->evaluation.result;
  if (list.front() == &report.baseline() || first.micros >= baseline.micros)
    return {};
  return tune::beats(first, baseline) ? " in the whole program"
         : report.predicted           ? " by 0.1 % or more"
                                      : " by more than the spread of the measurements";
}

/// Of a program of which several kernels are tuned.
std::string kernelsText(const tune::Report &report) {
  if (report.kernels.empty())
    return {};
  size_t width = 0;
  for (const tune::Report::Kernel &kernel : report.kernels)
    width = std::max(width, kernel.name.size());
  const std::string_view share = report.kernels.front().isOfTime ? "% of time" : "% of instructions";
  std::string text = fmt::format("\n  {:<{}}  {}  launches  one launch  best        ratio  configuration\n",
                                 "kernel", std::max<size_t>(width, 6), share);
  for (const tune::Report::Kernel &kernel : report.kernels) {
    text += fmt::format("  {:<{}}  {:>{}.0f}  {:>8}  ", kernel.name, std::max<size_t>(width, 6),
                        100 * kernel.share, share.size(), kernel.launches);
    text += kernel.whyNot.empty() ? fmt::format("{:>10}  {:>10}  {:>5.2f}  {}\n",
                                                timeText(kernel.baselineMicros), timeText(kernel.bestMicros),
                                                kernel.baselineMicros / kernel.bestMicros, kernel.best)
                                  : fmt::format("not tuned: {}\n", kernel.whyNot);
  }
  return text + fmt::format("together: {}\n", report.written().str());
}

} // namespace

std::string timeText(double micros) {
  if (micros >= 1e6)
    return fmt::format("{:.2f} s", micros * 1e-6);
  return micros >= 1e3 ? fmt::format("{:.2f} ms", micros * 1e-3) : fmt::format("{:.2f} us", micros);
}

ProgressLine::ProgressLine(const tune::Budget &budget, std::chrono::steady_clock::time_point begin)
    : budget(budget), isTerminal(isatty(STDERR_FILENO)), begin(begin) {}

std::string progressText(const tune::Report &report, const tune::Budget &budget, double seconds) {
  const size_t done = report.entries.size(), fresh = done - report.fromCache;
  const uint64_t goal = budget.runs ? std::min(report.spaceSize, *budget.runs) : report.spaceSize;
  std::string line =
      goal ? fmt::format("[{}/{}]", done, std::max<uint64_t>(goal, done)) : fmt::format("[{}]", done);
  if (const tune::Report::Entry *best = report.winner())
    line += fmt::format(" best {}, {:.2f} times as fast ({})", timeText(best->evaluation.result.micros),
                        report.speedup(), best->evaluation.configuration.str());
  if (fresh > 1 && report.seconds > 0)
    line += fmt::format("   {:.0f} per minute", double(fresh) / report.seconds * 60);
  if (budget.seconds)
    line += fmt::format("   {:.0f} s left", std::max(0.0, *budget.seconds - seconds));
  else if (goal > done && fresh > 1)
    line += fmt::format("   ~{:.0f} s left", report.seconds / double(fresh) * double(goal - done));
  if (std::string failures = failuresText(report); !failures.empty())
    line += "   " + failures;
  return line;
}

void ProgressLine::show(const tune::Report &report) {
  const auto now = std::chrono::steady_clock::now();
  show(progressText(report, budget, std::chrono::duration<double>(now - begin).count()));
}

void ProgressLine::show(const std::string &text) {
  if (!isTerminal)
    return;
  std::cerr << "\r\033[K" << text.substr(0, terminalWidth() - 1) << std::flush;
  isShown = true;
}

void ProgressLine::clear() {
  if (isShown)
    std::cerr << "\r\033[K" << std::flush;
  isShown = false;
}

std::string compileCommand(const tune::Problem &problem, const tune::Configuration &winner,
                           const std::string &output, bool hasPragmas) {
  std::vector<std::string> words = {"nvcc", "-arch=" + problem.arch};
  if (hasPragmas)
    words.insert(words.begin(), {"heddle", "nvcc"});
  std::string assumptions; // without them, directives that need them are left out
  if (hasPragmas && !problem.assumptions.empty())
    assumptions =
        fmt::format("HEDDLE_ASSUME={} ", shellWord(fmt::format("{}", fmt::join(problem.assumptions, ","))));
  for (const auto &flags : {problem.tunedFlags(build::Compiler::Nvcc), winner.compilerFlags()})
    words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(output);
  for (const std::filesystem::path &file : problem.further)
    words.push_back(file.string());
  return assumptions + shellCommand(words);
}

namespace {

/// Predictions for a launch that leaves most of the GPU idle favour variants with more blocks or warps; a launch of usual size can
/// be fastest with the opposite. Empty where the launch that takes longest fills the GPU.
std::string unfilledText(const tune::Report &report, const arch::Arch &arch) {
  const std::vector<runner::KernelTime> &kernels = report.baseline().evaluation.result.kernels;
  const auto timeOf = [](const runner::KernelTime &kernel) {
    return kernel.micros * double(kernel.launches);
  };
  const auto longest = std::ranges::max_element(kernels, {}, timeOf);
  if (longest == kernels.end() || !arch.maxWarpsPerSm)
    return "";
  const uint64_t blocks = uint64_t(longest->grid[0]) * longest->grid[1] * longest->grid[2];
  const uint64_t threads = uint64_t(longest->block[0]) * longest->block[1] * longest->block[2];
  const double warps = double((threads + 31) / 32);
  const uint64_t fit = arch.deviceSms * uint64_t(longest->occupancy / 100 * arch.maxWarpsPerSm / warps + 0.5);
  if (blocks >= fit)
    return "";
  return fmt::format(
      "the launch{} has {}, and {} fit on the GPU at once: --fill predicts as if the launch were "
      "large enough to fill it\n",
      kernels.size() == 1 ? "" : " that takes longest", counted(blocks, "block"), fit);
}

} // namespace

std::string tuneText(const tune::Report &report, size_t top, const std::string &output, bool hasPragmas,
                     const tune::Problem &problem, const arch::Arch &arch, PredictedSize size) {
  const tune::Report::Entry &winner = *report.winner();
  const double baseline = report.baseline().evaluation.result.micros;
  std::string text =
      fmt::format("{} on {}: {} of {} tried, {} {}", report.program, report.device, report.entries.size(),
                  std::max<uint64_t>(report.spaceSize, report.entries.size()), measured(report),
                  report.predicted ? "predicted" : "measured");
  if (std::string failures = failuresText(report); !failures.empty())
    text += ", " + failures;
  text += "\n\n  time        ratio  regs  occup.  configuration\n";
  for (const tune::Report::Entry *entry : fastest(report, top))
    text += rowText(*entry, baseline);
  text += refusalsText(report);
  text += notChosenText(report);
  if (&winner == &report.baseline())
    text += fmt::format("\nno candidate beat the baseline{}: {}\n", whyNoneDid(report), timeText(baseline));
  else
    text += fmt::format("\nbaseline {}, best {}: {:.2f} times as fast by {}\n", timeText(baseline),
                        timeText(winner.evaluation.result.micros), report.speedup(),
                        winner.evaluation.configuration.str());
  text += kernelsText(report);
  if (report.wholeProgram)
    text += fmt::format("all launches of the program{}: {}, down from {}\n",
                        size == PredictedSize::Filled ? ", each filled" : "",
                        timeText(report.wholeProgram->second), timeText(report.wholeProgram->first));
  if (report.predicted)
    text += "these times are a model's prediction: nothing was measured on a GPU\n";
  if (report.predicted && (!arch.latencies || arch.latencies->perCycle.empty()))
    text += fmt::format("{} has no measured latencies and throughputs: instructions without a latency count "
                        "one cycle, and units "
                        "have the throughputs of an H200\n",
                        arch.name);
  if (report.predicted && size == PredictedSize::AsLaunched)
    text += unfilledText(report, arch);
  if (!output.empty())
    text += fmt::format("written: {}\n", output);
  const bool hasFlags = !report.written().compilerFlags().empty();
  const std::string command = compileCommand(problem, report.written(), output, hasPragmas);
  if (hasPragmas)
    text += fmt::format("next: this compiles it, and applies its #pragma heddle lines (with --apply, tune "
                        "writes the transformed "
                        "source):\n  {}\n",
                        command);
  else if (hasFlags && output.ends_with(".cu"))
    text += fmt::format("next: this compiles it:\n  {}\n", command);
  return text;
}

} // namespace heddle::cli
