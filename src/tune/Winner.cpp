// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A configuration speaks of kernels by name and of loops by line; a pragma speaks of what follows it. Where pragmas
// are to be is guessed from the text and then tried, since only applying them shows what they do.
#include "tune/Winner.h"

#include "arch/Arch.h"
#include "support/ShellText.h"
#include "transform/Assumptions.h"
#include "transform/Pipeline.h"
#include "tune/BlockSize.h"
#include "tune/Placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::tune {
namespace {

source::CompileOptions winnerOptions(const Problem &problem, const Configuration &configuration) {
  source::CompileOptions options = problem.compile;
  for (const std::string &define : configuration.defines)
    options.userArguments.push_back("-D" + define);
  return options;
}

/// What `heddle opt` makes of a text; nothing where it refuses.
std::optional<std::string> applied(const Problem &problem, const Configuration &configuration,
                                   const std::string &text) {
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(problem.arch, diagnostics);
  transform::Options options;
  options.compile = winnerOptions(problem, configuration);
  options.block = problem.block;
  options.arch = arch ? &*arch : nullptr;
  transform::assume(problem.assumptions, options);
  transform::Outcome outcome = transform::applyDirectives(problem.file, text, {}, options, diagnostics);
  return outcome.kind == transform::Outcome::Kind::Done ? std::optional(outcome.text) : std::nullopt;
}

std::string commentOn(const Problem &problem, const Configuration &configuration, bool isCarriedOut) {
  const std::vector<std::string> flags = configuration.compilerFlags();
  std::string text, assumed;
  for (const std::string &assumption : problem.assumptions)
    assumed += " --assume " + assumption;
  const bool namesKernels = std::ranges::any_of(
      configuration.directives, [](const transform::Directive &each) { return !each.kernel.empty(); });
  if (isCarriedOut && namesKernels) {
    std::vector<std::string> lines;
    for (const transform::Directive &directive : configuration.directives)
      lines.push_back(directive.kernel + ": " + directive.str());
    text = fmt::format(" heddle nvcc, HEDDLE_DIRECTIVES with {}{};", fmt::join(lines, " and "), assumed);
  } else if (isCarriedOut && !configuration.directives.empty()) {
    text = fmt::format(" heddle opt {}", shellWord(problem.file.filename().string()));
    for (const transform::Directive &directive : configuration.directives)
      text += " -d \"" + directive.str() + "\"";
    text += assumed + ";";
  } else if (!assumed.empty() && !configuration.directives.empty()) {
    text = fmt::format(" heddle opt{};", assumed);
  }
  if (!flags.empty())
    text += " compile with " + shellCommand(flags);
  return text.empty() ? std::string() : fmt::format("// heddle tune:{}\n", text);
}

} // namespace

WinnerFile transformedWinner(const Problem &problem, const Configuration &configuration,
                             const std::string &winnerText) {
  return {commentOn(problem, configuration, true) + winnerText, false};
}

WinnerFile winnerFile(const Problem &problem, const Configuration &configuration,
                      const std::string &winnerText) {
  const std::string comment = commentOn(problem, configuration, false);
  const WinnerFile asItIs = transformedWinner(problem, configuration, winnerText);
  auto result =
      source::Program::parseText(problem.file.string(), problem.text, winnerOptions(problem, configuration));
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&result);
  if (!program)
    return asItIs;
  std::string text = problem.text;
  if (!configuration.blocks.empty()) {
    auto changed = withBlocks(**program, text, problem.kernel, configuration.blocks);
    if (!std::holds_alternative<std::string>(changed))
      return asItIs;
    text = std::get<std::string>(changed);
  }
  if (configuration.directives.empty())
    return {comment + text, true};
  for (const std::string &annotated :
       placements(text, configuration, kernelsMeant(**program, problem.kernel))) {
    if (annotated != text && applied(problem, configuration, annotated) == winnerText)
      return {comment + annotated, true};
  }
  return asItIs;
}

} // namespace heddle::tune
