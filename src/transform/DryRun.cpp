// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/DryRun.h"

#include "transform/DirectiveMessage.h"
#include "transform/Targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::transform {
namespace {

/// The text of a message beside the directive that it is about; of several directives, each message names its own.
Diagnostic beside(const std::vector<Directive> &directives, const Diagnostic &message) {
  Diagnostic shown = message;
  shown.text =
      directives.size() == 1 ? withoutDirective(directives.front(), message.text) : withoutRule(message.text);
  return shown;
}

} // namespace

DryRun::DryRun(std::shared_ptr<const source::Program> program, std::string text, Options options)
    : program(std::move(program)), text(std::move(text)), options(std::move(options)) {}

Tried DryRun::of(const Suggestion &suggested, const Kernel &kernel) {
  std::vector<std::string> arguments = argumentsFor(suggested, kernel);
  auto [place, isNew] = known.try_emplace(arguments);
  Tried &tried = place->second;
  if (isNew) {
    tried.arguments = std::move(arguments);
    Options here = options;
    here.kernel = kernel.plainName;
    Diagnostics messages;
    const std::vector<Directive> directives = readDirectives(suggested.directive, messages);
    Outcome outcome = applyDirectives(program, text, directives, here, messages);
    tried.refusal = reasonAgainst(outcome, messages, directives);
    tried.text = std::move(outcome.text);
  }
  Tried result = tried;
  result.suggested = suggested;
  return result;
}

const Outcome &DryRun::withPragmas() {
  if (!pragmasOnly) {
    Diagnostics ignored;
    pragmasOnly = applyDirectives(program, text, {}, options, ignored);
  }
  return *pragmasOnly;
}

std::optional<Diagnostic> DryRun::reasonAgainst(const Outcome &outcome, const Diagnostics &messages,
                                                const std::vector<Directive> &directives) {
  if (outcome.kind != Outcome::Kind::Done) {
    for (const Diagnostic &each : messages.all())
      if (each.severity != Severity::Warning && each.severity != Severity::Done &&
          each.severity != Severity::Kept)
        return beside(directives, each);
    return Diagnostic{Severity::Refusal, {program->file().string()}, "the file does not compile", {}, {}};
  }
  // Pragmas go first, and what they leave unchanged is no concern of the directives that are tried.
  const auto &unchanged = outcome.leftUnchanged.all();
  const size_t ofPragmas = withPragmas().leftUnchanged.all().size();
  if (unchanged.size() > ofPragmas)
    return beside(directives, unchanged[ofPragmas]);
  if (outcome.text == withPragmas().text)
    return Diagnostic{Severity::Kept, {program->file().string()}, "it changes nothing", {}, {}};
  return std::nullopt;
}

std::vector<std::string> DryRun::argumentsFor(const Suggestion &suggested, const Kernel &kernel) const {
  std::vector<std::string> arguments;
  if (isOneOfSeveral(kernel))
    arguments = {"-k", kernel.plainName};
  if (options.block)
    arguments.insert(arguments.end(), {"--block", fmt::format("{}", fmt::join(*options.block, ","))});
  arguments.insert(arguments.end(), {"-d", suggested.directive});
  return arguments;
}

/// Directives without -k are for all kernels of the file itself.
bool DryRun::isOneOfSeveral(const Kernel &kernel) const {
  return !isInMainFile(kernel) || std::ranges::any_of(program->kernels(), [&](const auto &other) {
    return isInMainFile(*other) && other->plainName != kernel.plainName;
  });
}

} // namespace heddle::transform
