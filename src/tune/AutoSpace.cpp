// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a directive may be carried out is known to the directive alone, so it is asked: once in its mildest
// form. Larger factors that turn out not to fit are refused one by one later, which costs little.
//
// Each question is answered by a copy of this process that has the directive carried out, all processors at a time: a search that
// has to answer in seconds cannot ask one after the other.
#include "tune/AutoSpace.h"

#include "arch/Common.h"
#include "arch/Occupancy.h"
#include "build/DevicePtx.h"
#include "model/Thresholds.h"
#include "support/Demangle.h"
#include "support/StartedProcess.h"
#include "transform/Assumptions.h"
#include "transform/DirectiveMessage.h"
#include "transform/Pipeline.h"
#include "transform/Registry.h"
#include "tune/BlockSize.h"
#include "tune/FileKernels.h"
#include "tune/Maker.h"
#include "tune/Needs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::tune {
namespace {

namespace threshold = model::threshold::tune;

/// Powers of two, the small ones where there are several dimensions.
std::set<int64_t> blockSizes() {
  std::set<int64_t> sizes;
  for (int64_t size = threshold::smallestSide; size <= threshold::largestSide; size *= 2)
    sizes.insert(size);
  return sizes;
}

/// What carrying a directive out gives: "done", "it changes nothing", or why not.
std::string verdictOn(const Problem &problem, const std::string &text) {
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(problem.arch, diagnostics);
  transform::Options options;
  options.compile = problem.compile;
  options.block = problem.block;
  options.arch = arch ? &*arch : nullptr;
  options.kernel = problem.kernel;
  transform::assume(problem.assumptions, options);
  transform::Outcome outcome = transform::applyDirectives(
      problem.file, problem.text, transform::readDirectives(text, diagnostics), options, diagnostics);
  if (outcome.kind == transform::Outcome::Kind::Done)
    return outcome.text == problem.text ? "it changes nothing" : "done";
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity == Severity::Refusal || each.severity == Severity::Error)
      return transform::withoutRule(each.text);
  return "the file does not compile";
}

std::string joined(const std::string &first, const std::string &second) {
  return second.empty() ? first : first + " " + second;
}

/// A directive in its mildest form, as one would type it.
std::string triedText(const transform::DirectiveRule &rule, const transform::TuningSpace::Part &part) {
  return joined(rule.name, part.tried);
}

/// Everything that is to be tried, in the order of the registry.
std::vector<std::string> allTried() {
  std::vector<std::string> all;
  for (const transform::DirectiveRule &rule : transform::directiveRules())
    for (const transform::TuningSpace &wanted : rule.tuning)
      for (const transform::TuningSpace::Part &part : wanted.parts)
        all.push_back(triedText(rule, part));
  return all;
}

bool fits(const std::string &tried, const std::string &verdict, AutoSpace &space) {
  if (verdict != "done")
    space.refused.push_back(verdict.starts_with(tried) ? verdict : fmt::format("{}: {}", tried, verdict));
  return verdict == "done";
}

/// "coarsen x=1|2|4|8 map=interleaved|blocked": the parts of a directive's space that this program takes; empty
/// where it takes none.
std::string wordsThatFit(const transform::DirectiveRule &rule, const transform::TuningSpace &wanted,
                         const std::map<std::string, std::string> &verdicts, AutoSpace &space) {
  bool any = false;
  std::string words = rule.name;
  for (const transform::TuningSpace::Part &part : wanted.parts)
    if (const std::string tried = triedText(rule, part); fits(tried, verdicts.at(tried), space)) {
      any = true;
      words = joined(words, part.values);
    }
  return any ? joined(words, wanted.always) : "";
}

constexpr const char *doesNotCompile = "the file does not compile", *noKernel = "there is no kernel in it";

/// "| block x=64|256|512", or the program's own size; else why the block cannot be changed.
std::string blockWords(const Problem &problem) {
  auto parsed = source::Program::parseText(problem.file.string(), problem.text, problem.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program)
    return doesNotCompile;
  if ((*program)->kernels().empty())
    return noKernel;
  auto constant = blockConstant(**program, problem.text, problem.kernel, 0);
  if (auto *none = std::get_if<NoBlock>(&constant))
    return none->reason;
  const auto &[name, value] = std::get<BlockConstant>(constant);
  std::set<int64_t> sizes = blockSizes();
  std::erase_if(sizes, [&](int64_t size) {
    const int64_t threads = threadsWith(**program, problem.kernel, name, size);
    return size == value || // the baseline
           threads < threshold::leastThreads || threads > arch::commonLimits().maxThreadsPerBlock;
  });
  return sizes.empty() ? "block: there is no other size" : fmt::format("| block x={}", fmt::join(sizes, "|"));
}

std::map<std::string, KernelNeeds> needsOfBaseline(const Problem &problem) {
  build::Request request;
  request.sources = sourcesFor(problem, {problem.file}, {});
  request.arch = problem.arch;
  request.compiler = problem.compiler;
  Diagnostics ignored;
  build::DevicePtx device = build::compileToPtx(request, ignored);
  return device.ok ? needsOf(problem, flagsFor(problem, {}, build::Compiler::Nvcc), device.text)
                   : std::map<std::string, KernelNeeds>();
}

/// "-maxrregcount=32|40|" where registers are what keeps blocks of some launch away from a multiprocessor;
/// else nothing.
std::string registerWords(const Problem &problem) {
  auto parsed = source::Program::parseText(problem.file.string(), problem.text, problem.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  Diagnostics ignored;
  std::optional<arch::Arch> arch = arch::findArch(problem.arch, ignored);
  if (!program || !arch)
    return {};
  const std::map<std::string, KernelNeeds> needs = needsOfBaseline(problem);
  std::set<unsigned> limits;
  for (const source::Launch &launch : (*program)->launches()) {
    const auto found = std::ranges::find_if(needs, [&](const auto &each) {
      return launch.kernel && isSameFunction(launch.kernel->mangledName, each.first);
    });
    if (found == needs.end() || !launch.block.isKnown())
      continue;
    arch::KernelResources resources;
    resources.threadsPerBlock = 1;
    for (const auto &side : launch.block.xyz)
      resources.threadsPerBlock *= unsigned(*side.value);
    resources.registersPerThread = found->second.registers;
    resources.staticSharedBytes = found->second.sharedBytes;
    resources.dynamicSharedBytes = size_t(launch.dynamicSharedBytes.value.value_or(0));
    for (const arch::OccupancyStep &step : arch::stepsUp(*arch, resources))
      if (step.registersPerThreadAtMost && !step.sharedBytesAtMost)
        limits.insert(*step.registersPerThreadAtMost);
  }
  while (limits.size() > threshold::mostRegisterLimits) // the nearest ones cost the least spilling
    limits.erase(limits.begin());
  return limits.empty() ? "" : fmt::format("-maxrregcount={}|", fmt::join(limits, "|"));
}

/// As directives call them.
std::vector<std::string> kernelsToTune(const Problem &problem) {
  if (!problem.kernel.empty())
    return {problem.kernel};
  const std::optional<std::vector<FileKernel>> kernels = fileKernels(problem);
  return kernels ? plainNames(*kernels) : std::vector<std::string>();
}

nlohmann::json jsonOf(const AutoSpace &space) {
  return {{"directives", space.directives}, {"flags", space.flags},       {"refused", space.refused},
          {"whyNoBlock", space.whyNoBlock}, {"compiles", space.compiles}, {"hasKernel", space.hasKernel}};
}

AutoSpace spaceOf(const nlohmann::json &json) {
  AutoSpace space;
  json.at("directives").get_to(space.directives);
  json.at("flags").get_to(space.flags);
  json.at("refused").get_to(space.refused);
  json.at("whyNoBlock").get_to(space.whyNoBlock);
  json.at("compiles").get_to(space.compiles);
  json.at("hasKernel").get_to(space.hasKernel);
  return space;
}

} // namespace

AutoSpace autoSpace(const Problem &problem) {
  AutoSpace space;
  // First, since a file that holds nothing to tune need not be parsed once for each directive.
  ProcessResult block = runInCopy(problem.limits.make, [&] { return blockWords(problem); });
  space.compiles = block.standardOutput != doesNotCompile;
  space.hasKernel = block.standardOutput != noKernel;
  if (!space.compiles || !space.hasKernel)
    return space;
  const std::vector<std::string> tried = allTried();
  std::vector<std::function<std::string()>> questions;
  for (const std::string &text : tried)
    questions.emplace_back([&] { return verdictOn(problem, text); });
  questions.emplace_back([&] { return registerWords(problem); });
  const std::vector<ProcessResult> answers = runInCopies(processors(), problem.limits.make, questions);
  std::map<std::string, std::string> verdicts;
  for (size_t i = 0; i < tried.size(); ++i)
    verdicts[tried[i]] = answers[i].succeeded() ? answers[i].standardOutput : whyFailed(answers[i]);
  std::vector<std::string> alternatives;
  for (const transform::DirectiveRule &rule : transform::directiveRules())
    for (const transform::TuningSpace &part : rule.tuning)
      if (std::string words = wordsThatFit(rule, part, verdicts, space); !words.empty())
        alternatives.push_back(words);
  const bool hasBlock = block.standardOutput.starts_with("| block x=");
  (hasBlock ? space.directives : space.refused).push_back(block.standardOutput);
  if (!hasBlock)
    space.whyNoBlock = block.standardOutput;
  if (const ProcessResult &registers = answers.back();
      registers.succeeded() && !registers.standardOutput.empty())
    space.flags.push_back(registers.standardOutput);
  // One of them at a time, or none: what one leaves another mostly refuses.
  if (!alternatives.empty())
    space.directives.push_back(fmt::format("| {}", fmt::join(alternatives, " | ")));
  return space;
}

EarlySpaces::EarlySpaces(const Problem &problem)
    : copy(problem.limits.make, [&problem] {
        nlohmann::json spaces = nlohmann::json::object();
        const std::vector<std::string> kernels = kernelsToTune(problem);
        if (kernels.size() <= std::max(1u, processors() / 2))
          for (const std::string &kernel : kernels) {
            Problem own = problem;
            own.kernel = kernel;
            spaces[kernel] = jsonOf(autoSpace(own));
          }
        return spaces.dump();
      }) {}

std::optional<AutoSpace> EarlySpaces::of(const std::string &kernel) {
  const ProcessResult &answer = copy.result();
  const nlohmann::json spaces =
      answer.succeeded() ? nlohmann::json::parse(answer.standardOutput, nullptr, false) : nlohmann::json();
  return spaces.is_object() && spaces.contains(kernel) ? std::optional(spaceOf(spaces[kernel]))
                                                       : std::nullopt;
}

} // namespace heddle::tune
