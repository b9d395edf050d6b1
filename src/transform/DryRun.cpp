// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/DryRun.h"

#include "analysis/PtxRegisters.h"
#include "transform/DirectiveMessage.h"
#include "transform/Targets.h"
#include "transform/TriedText.h"

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

/// A smaller share of loads is not worth a directive.
constexpr double leastSaved = 0.005;

double saved(const Tried &tried) {
  return std::max(tried.sharedLoadsSaved.value_or(0), tried.globalLoadsSaved.value_or(0));
}

/// How many threads each thread of the result represents, along x, y and z.
std::array<int64_t, 3> mergedThreads(const std::string &text) {
  std::array<int64_t, 3> merged = {1, 1, 1};
  Diagnostics ignored;
  for (const Directive &directive : readDirectives(text, ignored))
    if (directive.name == "coarsen")
      for (size_t i = 0; i < 3; ++i)
        merged[i] *= directive.number(std::string_view("xyz").substr(i, 1));
  return merged;
}

} // namespace

DryRun::DryRun(std::shared_ptr<const source::Program> program, std::string text, Options options)
    : program(std::move(program)), text(std::move(text)), options(std::move(options)) {}

Tried DryRun::of(const Opportunity &opportunity, const KernelFacts &facts) {
  std::optional<Tried> best;
  for (const std::string &form : opportunity.forms) {
    Tried tried = triedForm(form, opportunity.isForLoads, facts);
    if (!best || (!tried.refusal && (best->refusal || saved(tried) > saved(*best) + leastSaved)))
      best = std::move(tried);
  }
  return *best;
}

Tried DryRun::triedForm(const std::string &directive, bool isForLoads, const KernelFacts &facts) {
  Form &form = carryOut(directive, *facts.kernel);
  Tried tried = {directive, form.arguments, form.refusal, {}, {}, {}};
  if (form.refusal || !isForLoads)
    return tried;
  const KernelFacts *original = factsWithPragmas(facts);
  const std::optional<Result> result = original ? resultOf(directive, form, *original) : std::nullopt;
  if (!result)
    return tried;
  const analysis::LoadsPerThread &after = result->loads;
  const auto before = analysis::LoadsPerThread::of(*original->accesses);
  const auto share = [](double before, double after) {
    return before > 0 ? std::optional(1 - after / before) : std::nullopt;
  };
  tried.sharedLoadsSaved = share(before.shared, after.shared);
  tried.globalLoadsSaved = share(before.global, after.global);
  if (saved(tried) < leastSaved)
    tried.refusal = {
        Severity::Kept,
        facts.kernel->location,
        "saves no loads: merged threads load the same element in different loops, under different "
        "conditions, or memory may be written in between",
        {},
        {}};
  else
    tried.registers = registersOf(form, *result, facts);
  return tried;
}

DryRun::Form &DryRun::carryOut(const std::string &directive, const Kernel &kernel) {
  std::vector<std::string> arguments = argumentsFor(directive, kernel);
  auto [place, isNew] = known.try_emplace(arguments);
  Form &form = place->second;
  if (!isNew)
    return form;
  form.arguments = std::move(arguments);
  Options here = options;
  here.kernel = kernel.plainName;
  Diagnostics messages;
  std::vector<Directive> directives = readDirectives(directive, messages);
  if (const Form *before = formBefore(directive, kernel)) {
    directives = {directives.back()};
    Outcome outcome = applyDirectives(before->program, before->text, directives, here, messages);
    Outcome without;
    without.text = before->text;
    form.refusal = reasonAgainst(outcome, messages, directives, without);
    form.text = std::move(outcome.text);
    return form;
  }
  Outcome outcome = applyDirectives(program, text, directives, here, messages);
  form.refusal = reasonAgainst(outcome, messages, directives, withPragmas());
  form.text = std::move(outcome.text);
  return form;
}

const DryRun::Form *DryRun::formBefore(const std::string &directive, const Kernel &kernel) const {
  const size_t end = directive.rfind("; ");
  if (end == std::string::npos)
    return nullptr;
  const auto found = known.find(argumentsFor(directive.substr(0, end), kernel));
  return found != known.end() && !found->second.refusal && found->second.program ? &found->second : nullptr;
}

/// Merged threads execute the loads of several original ones. Nothing where the new text cannot be analyzed.
std::optional<DryRun::Result> DryRun::resultOf(const std::string &directive, Form &form,
                                               const KernelFacts &facts) const {
  if (!form.program) {
    auto parsed = source::Program::parseText(program->file().string(), form.text, options.compile);
    if (auto *changed = std::get_if<std::unique_ptr<source::Program>>(&parsed))
      form.program = std::move(*changed);
  }
  if (!form.program)
    return std::nullopt;
  const auto &kernels = form.program->kernels();
  const auto kernel = std::ranges::find_if(
      kernels, [&](const auto &each) { return each->mangledName == facts.kernel->mangledName; });
  if (kernel == kernels.end())
    return std::nullopt;
  const std::array<int64_t, 3> merged = mergedThreads(directive);
  analysis::LaunchFacts launch = facts.launch;
  int64_t items = 1;
  for (size_t i = 0; i < 3; ++i) {
    items *= merged[i];
    if (launch.block[i])
      *launch.block[i] /= merged[i];
  }
  const std::unique_ptr<analysis::Accesses> accesses = analysis::Accesses::of(**kernel, launch);
  Result result = {analysis::LoadsPerThread::of(*accesses),
                   analysis::estimateRegisters(**kernel, *accesses).registers()};
  result.loads.shared /= double(items);
  result.loads.global /= double(items);
  return result;
}

/// From the same source as the registers of the kernel itself: the two are compared.
unsigned DryRun::registersOf(const Form &form, const Result &result, const KernelFacts &facts) const {
  const std::string &kernel = facts.kernel->mangledName;
  if (facts.compiled)
    if (const auto compiled = compiledResources(*program, options.compile, form.text, kernel))
      return compiled->registers;
  if (facts.registers.fromPtx && options.arch)
    if (const auto likely = likelyRegisters(*program, options.compile, form.text, kernel,
                                            analysis::registersAtFullOccupancy(*options.arch)))
      return *likely;
  return result.registers;
}

const Outcome &DryRun::withPragmas() {
  if (!pragmasOnly) {
    Diagnostics ignored;
    pragmasOnly = applyDirectives(program, text, {}, options, ignored);
  }
  return *pragmasOnly;
}

const KernelFacts *DryRun::factsWithPragmas(const KernelFacts &facts) {
  const Outcome &outcome = withPragmas();
  if (outcome.kind != Outcome::Kind::Done)
    return nullptr;
  if (outcome.text == text)
    return &facts;
  auto [place, isNew] = knownWithPragmas.try_emplace(facts.kernel->mangledName);
  if (!isNew)
    return place->second.get();
  if (!programWithPragmas) {
    auto parsed = source::Program::parseText(program->file().string(), outcome.text, options.compile);
    if (auto *changed = std::get_if<std::unique_ptr<source::Program>>(&parsed))
      programWithPragmas = std::move(*changed);
  }
  if (!programWithPragmas)
    return nullptr;
  for (const auto &kernel : programWithPragmas->kernels())
    if (kernel->mangledName == facts.kernel->mangledName)
      place->second = KernelFacts::of(*programWithPragmas, *kernel, {});
  return place->second.get();
}

std::optional<Diagnostic> DryRun::reasonAgainst(const Outcome &outcome, const Diagnostics &messages,
                                                const std::vector<Directive> &directives,
                                                const Outcome &before) const {
  if (outcome.kind != Outcome::Kind::Done) {
    for (const Diagnostic &each : messages.all())
      if (each.severity != Severity::Warning && each.severity != Severity::Done &&
          each.severity != Severity::Kept)
        return beside(directives, each);
    return Diagnostic{Severity::Refusal, {program->file().string()}, "the file does not compile", {}, {}};
  }
  // Pragmas go first, and what they leave unchanged is no concern of the directives that are tried.
  const auto &unchanged = outcome.leftUnchanged.all();
  const size_t ofPragmas = before.leftUnchanged.all().size();
  if (unchanged.size() > ofPragmas)
    return beside(directives, unchanged[ofPragmas]);
  if (outcome.text == before.text)
    return Diagnostic{Severity::Kept, {program->file().string()}, "it changes nothing", {}, {}};
  return std::nullopt;
}

std::vector<std::string> DryRun::argumentsFor(const std::string &directive, const Kernel &kernel) const {
  std::vector<std::string> arguments;
  if (isOneOfSeveral(kernel))
    arguments = {"-k", kernel.plainName};
  if (options.block)
    arguments.insert(arguments.end(), {"--block", fmt::format("{}", fmt::join(*options.block, ","))});
  arguments.insert(arguments.end(), {"-d", directive});
  return arguments;
}

/// Directives without -k are for all kernels of the file itself.
bool DryRun::isOneOfSeveral(const Kernel &kernel) const {
  return !isInMainFile(kernel) || std::ranges::any_of(program->kernels(), [&](const auto &other) {
    return isInMainFile(*other) && other->plainName != kernel.plainName;
  });
}

} // namespace heddle::transform
