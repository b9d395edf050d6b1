// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VerifyText.h"

#include "support/Process.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::array<std::string, 2>;

std::string bufferText(const verify::CopyDifference &d) {
  const trace::CopyRecord &record = d.a.allocation ? d.a : d.b;
  if (!record.allocation)
    return "unknown memory";
  std::string text = fmt::format("allocation {} of {} bytes", record.allocation, record.allocationBytes);
  if (record.kernelLaunch)
    text += fmt::format(", {} of {}", parameterText(d), verify::readableName(record.kernel));
  else if (!record.kernel.empty())
    text += fmt::format(", variable '{}'", record.kernel);
  return text;
}

std::string writerText(const build::Summary::LastWrite &write) {
  return fmt::format("kernel {}, launch {}, block ({},{},{}) thread {}", verify::readableName(write.kernel),
                     write.launch, write.block[0], write.block[1], write.block[2], write.thread);
}

/// The buffer and the first element; `a` and `b` say whose values they are.
std::string elementText(const verify::CopyDifference &d, const std::string &a, const std::string &b) {
  std::string text = fmt::format("  buffer      {}\n", bufferText(d));
  if (!d.what.empty())
    return text + fmt::format("  difference  {}\n", d.what);
  text += fmt::format("  element     [{}] ({}): {} in {}, {} in {}\n", d.index, elementTypeText(d), d.valueA,
                      a, d.valueB, b);
  text += fmt::format("  bits        {} and {}\n", d.bitsA, d.bitsB);
  text += fmt::format("  differing   {} of {} elements of this copy\n", d.differing, d.elements);
  if (d.toleranceWasNotApplied)
    text += fmt::format("  tolerance   {}\n", verify::toleranceText(d));
  return text;
}

std::string copyText(const Verdict &verdict, const Names &names) {
  const verify::CopyDifference &d = *verdict.copy;
  std::string text = fmt::format("{} and {} differ at device-to-host copy {}\n", names[0], names[1], d.copy);
  text += elementText(d, names[0], names[1]);
  // An element that one program does not write is often the reason.
  const bool anyWriter = verdict.writeA.launch || verdict.writeB.launch;
  auto addWriter = [&](const build::Summary::LastWrite &write, bool watched, const std::string &name) {
    if (write.launch)
      text += fmt::format("  written by  {} in {}\n", writerText(write), name);
    else if (watched && anyWriter)
      text += fmt::format("  written by  no kernel in {}\n", name);
  };
  addWriter(verdict.writeA, verdict.watchedA, names[0]);
  addWriter(verdict.writeB, verdict.watchedB, names[1]);
  if (d.what.empty() && !verdict.writeA.launch && !verdict.writeB.launch && d.a.kernelLaunch)
    text += fmt::format("  last given  to kernel {}, launch {}\n", verify::readableName(d.a.kernel),
                        d.a.kernelLaunch);
  return text;
}

std::string copiesText(uint64_t copies) {
  return fmt::format("{} device-to-host cop{}", copies, copies == 1 ? "y" : "ies");
}

std::string differenceText(const Verdict &verdict, const Names &names) {
  std::string text = verdict.copy ? copyText(verdict, names)
                                  : fmt::format("{} and {} differ; {} agree{}\n", names[0], names[1],
                                                copiesText(verdict.copies), verdict.copies == 1 ? "s" : "");
  if (verdict.line)
    text += fmt::format("stdout differs at line {}\n  {}: {}\n  {}: {}\n", verdict.line->line, names[0],
                        verdict.line->a, names[1], verdict.line->b);
  if (verdict.exitCodes[0] != verdict.exitCodes[1])
    text += fmt::format("exit codes differ: {} and {}\n", verdict.exitCodes[0], verdict.exitCodes[1]);
  return text;
}

/// Where two runs of one program differ.
std::string selfText(const Verdict::Self &self) {
  std::string text;
  if (self.copy)
    text += fmt::format("  at device-to-host copy {}\n", self.copy->copy) +
            elementText(*self.copy, "one run", "another");
  if (self.line)
    text += fmt::format("  at line {} of stdout: '{}' in one run, '{}' in another\n", self.line->line,
                        self.line->a, self.line->b);
  if (self.exitCodes[0] != self.exitCodes[1])
    text += fmt::format("  in its exit code: {} in one run, {} in another\n", self.exitCodes[0],
                        self.exitCodes[1]);
  return text;
}

/// What of stdout was not compared, as examples and a count.
std::string ignoredText(const std::vector<verify::IgnoredNumber> &ignored) {
  if (ignored.empty())
    return {};
  using Why = verify::IgnoredNumber::Why;
  std::string text;
  for (Why why : {Why::IsTime, Why::Varies}) {
    const verify::IgnoredNumber *first = nullptr;
    size_t count = 0;
    for (const verify::IgnoredNumber &each : ignored)
      if (each.why == why) {
        first = first ? first : &each;
        ++count;
      }
    if (first)
      text += fmt::format("  not compared: {} of stdout ({}), line {}: {} and {}\n", counted(count, "number"),
                          why == Why::IsTime ? "times and rates" : "not the same in two runs of the original",
                          first->line, first->a, first->b);
  }
  return text;
}

/// An exit code that both have is no difference, but a reader wants to know that it is an error.
std::string bothFailedText(const Verdict &verdict) {
  const auto [first, second] = verdict.exitCodes;
  return first && first == second ? fmt::format("  both programs end with {}\n", withSignalName(first)) : "";
}

std::string sameText(const Verdict &verdict) {
  return fmt::format("same: {} {}\n", copiesText(verdict.copies),
                     !verdict.copiesOnly   ? "and stdout agree"
                     : verdict.copies == 1 ? "agrees"
                                           : "agree") +
         (verdict.copies ? ""
                         : "  not compared: device memory, since the programs copy nothing to the host\n") +
         ignoredText(verdict.ignored) + bothFailedText(verdict);
}

std::string quoted(const std::vector<std::string> &arguments) {
  return fmt::format("'{}'", fmt::join(arguments, " "));
}

Json copyJson(const verify::CopyDifference &d) {
  return {{"number", d.copy},
          {"kernel", d.a.kernel},
          {"launch", d.a.kernelLaunch},
          {"parameter", d.a.kernelParameter},
          {"parameterName", d.parameter},
          {"allocation", d.a.allocation},
          {"what", d.what},
          {"element", verify::nameOf(d.element)},
          {"elementIsKnown", d.isTypeKnown},
          {"index", d.index},
          {"values", {d.valueA, d.valueB}},
          {"bits", {d.bitsA, d.bitsB}},
          {"differing", d.differing},
          {"elements", d.elements}};
}

Json lineJson(const verify::LineDifference &line) {
  return {{"line", line.line}, {"texts", {line.a, line.b}}};
}

Json selfJson(const Verdict::Self &self) {
  Json json = {{"program", self.program}};
  if (self.copy)
    json["copy"] = copyJson(*self.copy);
  if (self.line)
    json["stdout"] = lineJson(*self.line);
  json["exitCodes"] = self.exitCodes;
  return json;
}

} // namespace

std::string parameterText(const verify::CopyDifference &d) {
  const trace::CopyRecord &record = d.a.allocation ? d.a : d.b;
  return d.parameter.empty() ? fmt::format("parameter {}", record.kernelParameter)
                             : fmt::format("parameter '{}'", d.parameter);
}

std::string elementTypeText(const verify::CopyDifference &d) {
  return fmt::format("{}{}", verify::nameOf(d.element), d.isTypeKnown ? "" : ", guessed");
}

std::string verdictText(const Verdict &verdict, const Names &names) {
  if (verdict.same() && verdict.failed)
    return "not verified: both programs did the same until the simulator had to stop one\n";
  if (verdict.failsAlike())
    return fmt::format("not verified: both programs end with {} before they copy anything to the host\n",
                       withSignalName(verdict.exitCodes[0]));
  if (verdict.same())
    return sameText(verdict);
  if (!verdict.originalIsDeterministic())
    return fmt::format("not deterministic: {} differs from itself, so that nothing is verified\n{}", names[0],
                       selfText(*verdict.self)) +
           (verdict.addressesVary ? "  note: the usual range of device addresses is taken here, so that they "
                                    "vary from run to run\n"
                                  : "");
  std::string text = differenceText(verdict, names) + ignoredText(verdict.ignored) + bothFailedText(verdict);
  if (verdict.self)
    text += fmt::format("{} also differs from itself\n{}", names[1], selfText(*verdict.self));
  return text;
}

std::string inputsText(const OtherInputs &inputs, const Names &names) {
  std::string text;
  if (!inputs.agreed.empty()) {
    std::vector<std::string> shown;
    for (const auto &each : inputs.agreed)
      shown.push_back(quoted(each));
    text += fmt::format("same with {}: {}\n", counted(shown.size(), "other input"), fmt::join(shown, ", "));
  }
  for (const OtherInputs::Skipped &each : inputs.skipped)
    text += fmt::format("  skipped {}: the original {}\n", quoted(each.arguments), each.why);
  if (inputs.agreed.size() < inputs.wanted && !inputs.different)
    text += fmt::format("  {} of {} inputs could be tried: the original fails on the others\n",
                        inputs.agreed.size(), inputs.wanted);
  if (inputs.different)
    text += fmt::format("with the arguments {}:\n{}", quoted(inputs.different->arguments),
                        verdictText(*inputs.different, names));
  return text;
}

Json verdictJson(const Verdict &verdict) {
  Json out = {{"schema", "heddle.verify/1"},    {"same", verdict.same()},
              {"stopped", verdict.failed},      {"deterministic", verdict.originalIsDeterministic()},
              {"copies", verdict.copies},       {"arguments", verdict.arguments},
              {"exitCodes", verdict.exitCodes}, {"verified", verdict.isVerified()}};
  if (verdict.copy) {
    out["copy"] = copyJson(*verdict.copy);
    out["copy"]["writers"] = {verdict.writeA.kernel, verdict.writeB.kernel};
  }
  if (verdict.line)
    out["stdout"] = lineJson(*verdict.line);
  if (verdict.exitCodes[0] != verdict.exitCodes[1])
    out["exitCodesDiffer"] = true;
  if (verdict.self)
    out["self"] = selfJson(*verdict.self);
  out["notCompared"] = Json::array();
  for (const verify::IgnoredNumber &each : verdict.ignored)
    out["notCompared"].push_back(
        {{"line", each.line},
         {"texts", {each.a, each.b}},
         {"why", each.why == verify::IgnoredNumber::Why::IsTime ? "time" : "varies"}});
  return out;
}

Json inputsJson(const OtherInputs &inputs) {
  Json out = {{"wanted", inputs.wanted}, {"agreed", inputs.agreed}, {"skipped", Json::array()}};
  for (const OtherInputs::Skipped &each : inputs.skipped)
    out["skipped"].push_back({{"arguments", each.arguments}, {"why", each.why}});
  if (inputs.different)
    out["different"] = verdictJson(*inputs.different);
  return out;
}

} // namespace heddle::cli
