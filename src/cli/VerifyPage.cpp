// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VerifyPage.h"

#include "arch/Arch.h"
#include "counts/Facts.h"
#include "report/VerifyHtml.h"
#include "support/Files.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace heddle::cli {
namespace {

using Page = report::VerifyResultPage;
using Estimates = std::map<std::string, counts::KernelEstimate>;

constexpr size_t MostKernels = 20; // with a roofline each

/// The kernel is in a column of its own.
std::string allocationText(const verify::CopyDifference &d) {
  const trace::CopyRecord &record = d.a.allocation ? d.a : d.b;
  if (!record.allocation)
    return "unknown memory";
  std::string text = fmt::format("allocation {}, {} bytes", record.allocation, record.allocationBytes);
  return record.kernelLaunch ? text + ", " + parameterText(d) : text;
}

Page::Copy copyOf(const verify::CopyResult &result) {
  const verify::CopyDifference &made = result.comparison;
  const trace::CopyRecord &record = made.a.allocation ? made.a : made.b;
  Page::Copy copy;
  copy.number = made.copy;
  if (record.kernelLaunch)
    copy.writer = fmt::format("{}, launch {}", verify::readableName(record.kernel), record.kernelLaunch);
  copy.buffer = allocationText(made);
  copy.element = elementTypeText(made);
  copy.elements = made.elements, copy.differing = made.differing;
  copy.maxRelativeError = result.maxRelativeError;
  copy.what = made.what;
  if (made.differing)
    copy.first = fmt::format("first [{}]: {} and {}", made.index, made.valueA, made.valueB);
  if (made.toleranceWasNotApplied)
    copy.first += "; " + verify::toleranceText(made);
  return copy;
}

std::vector<Page::Input> inputsOf(const OtherInputs &others) {
  std::vector<Page::Input> inputs;
  auto joined = [](const std::vector<std::string> &words) {
    return fmt::format("{}", fmt::join(words, " "));
  };
  for (const auto &arguments : others.agreed)
    inputs.push_back({joined(arguments), "same", true});
  for (const OtherInputs::Skipped &skipped : others.skipped)
    inputs.push_back({joined(skipped.arguments), "skipped: the first program " + skipped.why, true});
  if (others.different)
    inputs.push_back({joined(others.different->arguments), "different", false});
  return inputs;
}

/// Files at the same place of the command line; those that only one program has are left out, recordings too.
std::vector<Page::Source> sourcesOf(const Verification &given, const std::array<std::string, 2> &names) {
  std::vector<Page::Source> sources;
  const auto &[before, after] = given.programs;
  for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i] == after[i] || verify::isRecording(before[i]) || verify::isRecording(after[i]))
      continue;
    const std::string first = i ? before[i].string() : names[0], second = i ? after[i].string() : names[1];
    sources.push_back(
        {fmt::format("from {} to {}", first, second), contentsOf(before[i]), contentsOf(after[i])});
  }
  return sources;
}

/// A kernel without its parameters and template arguments: directives may add a parameter.
std::string plainNameOf(const std::string &mangled) {
  const std::string name = verify::readableName(mangled);
  return name.substr(0, name.find_first_of("(<"));
}

/// Which kernel of the other program `mangled` is: the one with the same name, else the only one of that name without
/// parameters, if this program has only one too.
std::string counterpartOf(const std::string &mangled, const Estimates &own, const Estimates &others) {
  if (others.contains(mangled))
    return mangled;
  const std::string name = plainNameOf(mangled);
  const auto isNamed = [&](const auto &each) { return plainNameOf(each.first) == name; };
  const auto found = std::ranges::find_if(others, isNamed);
  const bool isOnly = std::ranges::count_if(own, isNamed) == 1 && std::ranges::count_if(others, isNamed) == 1;
  return isOnly ? found->first : "";
}

/// Kernels of the first program with their counterparts, then those that only the second has.
std::vector<Page::Kernel> kernelsOf(const Verdict &verdict, const std::array<std::string, 2> &names,
                                    const arch::Arch &arch) {
  const Estimates first = counts::estimateKernels(verdict.launches[0], arch),
                  second = counts::estimateKernels(verdict.launches[1], arch);
  const auto variant = [](const std::string &name, const counts::KernelEstimate &estimate) {
    return report::RooflineVariant{
        name, {estimate.operations, estimate.sum.dramBytes, estimate.sum.l2Bytes, estimate.sum.micros, true}};
  };
  std::vector<Page::Kernel> kernels;
  for (const auto &[mangled, estimate] : first) {
    kernels.push_back({verify::readableName(mangled), {variant(names[0], estimate)}});
    if (const std::string other = counterpartOf(mangled, first, second); !other.empty())
      kernels.back().variants.push_back(variant(names[1], second.at(other)));
  }
  for (const auto &[mangled, estimate] : second)
    if (counterpartOf(mangled, second, first).empty())
      kernels.push_back(
          {verify::readableName(mangled) + ", second program only", {variant(names[1], estimate)}});
  if (kernels.size() > MostKernels)
    kernels.resize(MostKernels);
  return kernels;
}

Page::Outcome outcomeOf(const Verdict &verdict, const OtherInputs &others) {
  if (verdict.failed || verdict.failsAlike() || !verdict.originalIsDeterministic())
    return Page::Outcome::NotVerified;
  return verdict.same() && !others.different ? Page::Outcome::Same : Page::Outcome::Different;
}

} // namespace

std::string verifyPage(const Verification &given, const std::array<std::string, 2> &names,
                       const Verdict &verdict, const OtherInputs &others) {
  Page page;
  page.names = names;
  page.outcome = outcomeOf(verdict, others);
  page.answer =
      verdictText(verdict, names) + (given.inputs && verdict.same() ? inputsText(others, names) : "");
  const std::string tolerance = verify::textOf(given.tolerance);
  page.compared = {{"first program", names[0]},
                   {"second program", names[1]},
                   {"arguments", verdict.arguments.empty()
                                     ? "none"
                                     : fmt::format("{}", fmt::join(verdict.arguments, " "))},
                   {"device-to-host copies", fmt::format("{}, in order", verdict.each.size())},
                   {"tolerance", tolerance.empty() ? "none: equal bit by bit" : tolerance},
                   {"stdout", verdict.copiesOnly ? "not compared"
                              : verdict.line     ? fmt::format("differs at line {}", verdict.line->line)
                                                 : "the same"},
                   {"numbers of stdout not compared", fmt::to_string(verdict.ignored.size())},
                   {"exit codes", fmt::format("{} and {}", verdict.exitCodes[0], verdict.exitCodes[1])}};
  for (const verify::CopyResult &each : verdict.each)
    page.copies.push_back(copyOf(each));
  page.otherInputs = inputsOf(others);
  Diagnostics ignored; // a program that ran has an architecture
  if (std::optional<arch::Arch> arch = arch::findArch(given.options.arch, ignored)) {
    page.kernels = kernelsOf(verdict, names, *arch);
    page.arch = std::move(*arch);
  }
  page.sources = sourcesOf(given, names);
  return report::verifyHtml(page);
}

} // namespace heddle::cli
