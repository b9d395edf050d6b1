// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScheduleRuns.h"

#include "check/Locations.h"
#include "support/Process.h"
#include "support/Text.h"
#include "verify/CompareOutput.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cli {
namespace {

const std::string &printedBy(const CheckedRun &run) { return run.program.execution.standardOutput; }

/// Times, and numbers that vary anyway, do not depend on the order of warps. Whether a number that looks like a time is a result, or one that looks like
/// a result varies anyway, is known from another run with each order.
std::optional<verify::LineDifference> outputDifference(const CheckedRun &first, const CheckedRun &other,
                                                       const RunAgain &runAgain) {
  const verify::Tolerance exact;
  const verify::OutputComparison once = verify::compareOutput(printedBy(first), printedBy(other), exact);
  if (!once.difference && std::ranges::all_of(once.ignored, &verify::IgnoredNumber::isExplained))
    return std::nullopt;
  const CheckedRun firstAgain = runAgain(first), otherAgain = runAgain(other);
  return verify::compareOutput(printedBy(first), printedBy(other), exact,
                               {printedBy(firstAgain), printedBy(otherAgain)})
      .difference;
}

/// The kernel, if it is the only one. Of several, any may have written the element: the copy's record names only the last one that got
/// the memory.
void nameKernel(check::Finding &finding, const CheckedRun &run, const trace::CopyRecord &copy) {
  if (!copy.kernelLaunch)
    return;
  const std::string name = check::readableKernel(copy.kernel);
  if (run.result.counts.kernels == 1)
    finding.kernel = name;
  else
    finding.notes.push_back(
        {{}, fmt::format("the memory was last given to kernel '{}', launch {}", name, copy.kernelLaunch)});
}

std::string textOfCopyDifference(const verify::CopyDifference &d) {
  return d.what.empty()
             ? fmt::format(
                   "element {} of device-to-host copy {} is {} in one order of warps and {} in another "
                   "({} of {} elements differ)",
                   d.index, d.copy, d.valueA, d.valueB, d.differing, d.elements)
             : fmt::format("device-to-host copy {} differs with the order of warps: {}", d.copy, d.what);
}

} // namespace

std::optional<check::Finding> scheduleDifference(const CheckedRun &first, const CheckedRun &other,
                                                 const RunAgain &runAgain,
                                                 const std::filesystem::path &source) {
  if (first.result.counts.stopped || other.result.counts.stopped)
    return std::nullopt;
  check::Finding finding;
  finding.rule = check::Rule::RaceSchedule;
  finding.location.file = source.string();
  finding.hint = "make the result independent of the order of warps, or check without --schedules";
  const int code = first.program.execution.exitCode, otherCode = other.program.execution.exitCode;
  uint64_t copies = 0;
  if (auto copy = verify::compareLogs(first.copies.string(), other.copies.string(), {}, copies)) {
    nameKernel(finding, first, copy->a);
    finding.text = textOfCopyDifference(*copy);
  } else if (auto line = outputDifference(first, other, runAgain)) {
    finding.text = fmt::format("line {} of the output differs with the order of warps: '{}' and '{}'",
                               line->line, line->a, line->b);
  } else if (code != otherCode && other.result.findings.empty()) { // which explain it
    finding.text = fmt::format(
        "the program ends with exit code {} in one order of warps and with {} in another", code, otherCode);
  } else {
    return std::nullopt;
  }
  finding.notes.push_back({{}, fmt::format("seen with HEDDLE_SCHEDULE={}", other.schedule)});
  return finding;
}

std::string incompleteText(const CheckedRun &run) {
  const std::string when =
      run.schedule ? fmt::format("with another order of warps (HEDDLE_SCHEDULE={}), ", run.schedule) : "";
  std::string text;
  if (const uint64_t stopped = run.result.counts.stopped)
    text +=
        fmt::format("heddle: {}{} {} stopped by the time limit (--timeout): what came after is not checked\n",
                    when, inWords(stopped), stopped == 1 ? "launch was" : "launches were");
  if (!run.isWhole())
    text += fmt::format("heddle: {}the program ended early, with {}: what came after is not checked\n", when,
                        withSignalName(run.program.execution.exitCode));
  return text;
}

} // namespace heddle::cli
