// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckStatic.h"

#include "InputOutput.h"
#include "KernelOption.h"
#include "ShortLocation.h"
#include "StaticLaunches.h"
#include "Verbs.h"
#include "build/DevicePtx.h"
#include "check/Locations.h"
#include "check/SourceLines.h"
#include "check/Static.h"
#include "ptx/Parser.h"
#include "report/CheckHtml.h"
#include "report/Findings.h"
#include "report/StaticVerdict.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/KernelPattern.h"
#include "support/Numbers.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace heddle::cli {
namespace {

// A kernel that takes longer is better looked at with smaller numbers.
constexpr double MostSeconds = 600;

struct Fail {
  int exitCode;
  Diagnostics diagnostics;
};

[[noreturn]] void fail(int exitCode, const std::string &text, const std::string &hint = "") {
  Fail problem{exitCode, {}};
  problem.diagnostics.error({}, text).withHint(hint);
  throw problem;
}

/// "256", "16,16" or "8,8,4"
vm::Dim3 readDim(const std::string &text, const char *option) {
  const bool isBlockIndex = std::string_view(option) == "--ctaid";
  std::vector<uint32_t> parts = readNumbers<uint32_t>(text).value_or(std::vector<uint32_t>());
  const bool hasZero = std::ranges::find(parts, 0u) != parts.end();
  if (!parts.empty() && parts.size() <= 3 && (isBlockIndex || !hasZero)) {
    parts.resize(3, isBlockIndex ? 0 : 1);
    return {parts[0], parts[1], parts[2]};
  }
  fail(ExitBadUsage, fmt::format("'{}' is not what {} takes", text, option),
       fmt::format("up to three numbers with commas between them, as in {} 16,16", option));
}

check::StaticOptions readOptions(const StaticChoices &choices) {
  check::StaticOptions options;
  if (!choices.block.empty())
    options.block = readDim(choices.block, "--block");
  if (!choices.grid.empty())
    options.grid = readDim(choices.grid, "--grid");
  if (!choices.ctaid.empty())
    options.blockId = readDim(choices.ctaid, "--ctaid");
  options.dynamicSharedBytes = choices.shared;
  options.maxSeconds = MostSeconds;
  options.constantsAreKnown = choices.constants;
  options.lockstep = choices.lockstep;
  for (const std::string &given : choices.parameters) {
    const size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == given.size())
      fail(ExitBadUsage, fmt::format("'{}' gives no parameter a value", given), "as in --param 2=1024");
    options.parameters.push_back({given.substr(0, equals), given.substr(equals + 1)});
  }
  return options;
}

// --- PTX
// -------------------------------------------------------------------------------------------------------------

build::DevicePtx compiled(const build::ProgramOptions &options, bool colour) {
  build::Request request;
  request.sources = options.sources;
  request.arch = options.arch;
  request.colour = colour;
  request.compiler = options.compiler;
  Fail problem{ExitBadUsage, {}};
  build::DevicePtx device = build::compileToPtx(request, problem.diagnostics, build::Accesses::Kept);
  std::cerr << device.messages;
  if (!device.ok) {
    problem.exitCode = device.compiler.empty() ? ExitBadUsage : ExitDoesNotCompile;
    throw problem;
  }
  return device;
}

/// A file as it is checked.
struct StaticInput {
  ptx::Module module;
  bool isOptimized = false; ///< the compiler may have removed accesses of the source
  std::string compiler;     ///< empty for PTX
};

StaticInput readInput(const build::ProgramOptions &options, bool colour) {
  if (options.sources.files.size() > 1)
    fail(ExitBadUsage, "--static looks at one file", "heddle check FILE.cu --static");
  const std::filesystem::path file = options.sources.files.front();
  const bool isPtxText = isPtx(file);
  StaticInput input;
  std::string text;
  if (isPtxText) {
    text = contentsOf(file);
  } else {
    build::DevicePtx device = compiled(options, colour);
    input.isOptimized = !device.keepsAccesses;
    input.compiler = device.compiler;
    text = std::move(device.text);
  }
  Fail problem{ExitDoesNotCompile, {}};
  input.module = ptx::parse(text, isPtxText ? file.string() : std::string(), problem.diagnostics);
  if (problem.diagnostics.has(Severity::Error))
    throw problem;
  return input;
}

// --- kernels
// ---------------------------------------------------------------------------------------------------------

/// Kernels of system headers are checked where -k names them.
std::vector<std::string> chosenKernels(const ptx::Module &module, const std::string &wanted,
                                       const verify::LaunchTable &table) {
  std::vector<std::string> chosen, spokenNames;
  for (const std::string &name : check::kernelsOf(module)) {
    if (wanted.empty() && table.isOnlyIncluded(name))
      continue;
    spokenNames.push_back(check::readableKernel(name));
    if (wanted == spokenNames.back() || isMeant(name, wanted))
      chosen.push_back(name);
  }
  if (spokenNames.empty())
    fail(ExitRefused, "there is no kernel in it");
  if (chosen.empty())
    fail(ExitBadUsage, fmt::format("there is no kernel '{}'", wanted),
         fmt::format("did you mean '{}'? There are {}", nearestFirst(wanted, spokenNames).front(),
                     joinAnd(spokenNames)));
  return chosen;
}

// --- blocks
// ----------------------------------------------------------------------------------------------------------

/// Not one kernel has a known block: there is nothing to check.
void requireSomeBlock(const std::vector<std::string> &kernels, const ptx::Module &module,
                      const verify::LaunchTable &table, const std::string &whyNotRead) {
  for (const std::string &kernel : kernels)
    if (verify::requiredBlock(module, kernel) || !table.of(kernel).known.empty())
      return;
  Fail problem{ExitBadUsage, {}};
  for (const std::string &kernel : kernels) {
    Diagnostic &missing = problem.diagnostics.error(
        {}, fmt::format("the block of kernel '{}' is unknown", check::readableKernel(kernel)));
    for (verify::KernelLaunches::Unknown launch : table.of(kernel).unknown) {
      shorten(launch.location);
      missing.note(launch.location, "of this launch: " + launch.why);
    }
    if (!whyNotRead.empty())
      missing.note({}, "Clang cannot parse the launches of the file: " + whyNotRead);
    missing.withHint("give it: --block 256, or --block 16,16");
  }
  throw problem;
}

/// One kernel, for each block that it is to be checked for.
class KernelBlocks {
public:
  KernelBlocks(const ptx::Module &module, const std::string &kernel, const StaticChoices &choices,
               const check::StaticOptions &options)
      : module(module), kernel(kernel), name(check::readableKernel(kernel)), choices(choices),
        options(options) {}

  /// The option wins over what the kernel requires, and that over the launches.
  std::vector<report::KernelVerdict> verdicts(const verify::LaunchTable &table) {
    const verify::KernelLaunches &launches = table.of(kernel);
    if (!choices.block.empty())
      return {verdictOn(options.block, launches, std::nullopt)};
    if (std::optional<vm::Dim3> required = verify::requiredBlock(module, kernel))
      return {
          orUnchecked(verdictOn(*required, launches, report::CheckedBlock{*required, choices.shared, {}}))};
    return verdictsOnLaunches(launches);
  }

private:
  /// A block that no launch was asked for. Dynamic shared memory often depends on the block: that of launches counts
  /// where they have the same one.
  report::KernelVerdict verdictOn(const vm::Dim3 &block, const verify::KernelLaunches &launches,
                                  std::optional<report::CheckedBlock> checked) {
    options.block = block;
    if (!options.dynamicSharedBytes && check::usesDynamicShared(module, kernel)) {
      std::vector<const verify::KernelLaunches::Known *> same;
      for (const verify::KernelLaunches::Known &launch : launches.known)
        if (launch.block == block)
          same.push_back(&launch);
      if (same.size() == 1 && same.front()->dynamicSharedBytes) {
        options.dynamicSharedBytes = same.front()->dynamicSharedBytes;
        checked = checkedBlock(*same.front());
      }
    }
    return {name, check::checkStatic(module, kernel, options), std::move(checked)};
  }

  std::vector<report::KernelVerdict> verdictsOnLaunches(const verify::KernelLaunches &launches) const {
    std::vector<report::KernelVerdict> all;
    for (const verify::KernelLaunches::Known &launch : launches.known)
      all.push_back(verdictOn(launch));
    for (const verify::KernelLaunches::Unknown &launch : launches.unknown)
      all.push_back(uncheckedLaunch(name, launch.location,
                                    "the block of this launch is unknown at compile time: " + launch.why,
                                    "--block X[,Y[,Z]] checks the kernel for a block of that size"));
    if (all.empty())
      all.push_back(uncheckedLaunch(name, {}, fmt::format("the file does not launch kernel '{}'", name),
                                    "--block X[,Y[,Z]] checks it for a block of that size"));
    return all;
  }

  report::KernelVerdict verdictOn(verify::KernelLaunches::Known launch) const {
    if (choices.shared)
      launch.dynamicSharedBytes = *choices.shared;
    return orUnchecked({name, verify::checkLaunch(module, kernel, launch, options), checkedBlock(launch)});
  }

  /// A launch of the file that exceeds a limit is no mistake of the command line, and others can be checked.
  report::KernelVerdict orUnchecked(report::KernelVerdict verdict) const {
    if (!verdict.result.cannotBeLaunched)
      return verdict;
    const std::vector<SourceLocation> &launches = verdict.block->launches;
    const Diagnostic &problem = verdict.result.problems.all().front();
    return uncheckedLaunch(name, launches.empty() ? SourceLocation() : launches.front(), problem.text,
                           problem.hint);
  }

  static report::CheckedBlock checkedBlock(const verify::KernelLaunches::Known &launch) {
    report::CheckedBlock block{launch.block, launch.dynamicSharedBytes, launch.locations};
    std::ranges::for_each(block.launches, shorten);
    return block;
  }

  const ptx::Module &module;
  const std::string &kernel;
  const std::string name;
  const StaticChoices &choices;
  check::StaticOptions options;
};

void shortenAll(check::StaticResult &result) {
  auto both = [](auto &each) {
    shorten(each.location);
    for (check::Finding::Note &note : each.notes)
      shorten(note.location);
  };
  std::for_each(result.findings.begin(), result.findings.end(), both);
  std::for_each(result.undecided.begin(), result.undecided.end(), both);
}

void writeSarif(const std::vector<report::KernelVerdict> &verdicts, const std::string &file,
                Session &session) {
  write(file, jsonText(report::staticSarif(verdicts, std::filesystem::current_path())), session);
}

void writeStaticPage(const std::string &program, const std::vector<report::KernelVerdict> &verdicts,
                     const std::string &file, Session &session) {
  report::CheckResultPage page;
  page.program = program;
  page.mode = "static: one block with unknown data";
  size_t proved = 0, all = 0;
  std::string inputs = "every input";
  for (const report::KernelVerdict &verdict : verdicts) {
    if (!verdict.result.given.empty())
      inputs = report::inputsText(verdict.result);
    all += verdict.result.properties.size();
    proved += size_t(std::ranges::count(verdict.result.properties, check::Decision::Proved,
                                        &check::PropertyVerdict::decision));
  }
  page.facts = {{"kernels", std::to_string(verdicts.size()), ""},
                {"properties proved", fmt::format("{} of {}", proved, all), "each for " + inputs}};
  page.verdicts = verdicts;
  write(file, report::checkHtml(page), session);
}

void decideStatically(const build::ProgramOptions &program, const StaticChoices &choices,
                      const CheckOutput &output, Session &session) {
  check::StaticOptions options = readOptions(choices);
  const StaticInput input = readInput(program, session.errorColour);
  options.isOptimized = input.isOptimized;
  verify::LaunchTable table;
  std::string whyNotRead;
  if (!input.compiler.empty())
    table = launchesIn(program, input.compiler, whyNotRead);
  const std::vector<std::string> kernels = chosenKernels(input.module, choices.kernel, table);
  if (choices.block.empty())
    requireSomeBlock(kernels, input.module, table, whyNotRead);
  std::vector<report::KernelVerdict> verdicts;
  for (const std::string &kernel : kernels)
    for (report::KernelVerdict &verdict :
         KernelBlocks(input.module, kernel, choices, options).verdicts(table)) {
      if (verdict.result.problems.has(Severity::Error))
        throw Fail{ExitBadUsage, verdict.result.problems};
      shortenAll(verdict.result);
      check::addSourceLines(verdict.result);
      verdicts.push_back(std::move(verdict));
    }
  session.exitCode = report::together(verdicts) == check::Verdict::Fails ? ExitRefused : ExitDone;
  if (!output.sarif.empty())
    writeSarif(verdicts, output.sarif, session);
  if (!output.page.empty())
    writeStaticPage(program.sources.files.front().string(), verdicts, output.page, session);
  if (output.json)
    std::cout << jsonText(report::staticJson(verdicts));
  else
    for (const report::KernelVerdict &verdict : verdicts)
      std::cout << report::staticText(verdict, session.colour);
}

} // namespace

void addStaticOptions(CLI::App &verb, StaticChoices &choices) {
  const char *const group = "Static";
  CLI::Option *isStatic = verb.add_flag("--static", choices.wanted,
                                        "execute one block with unknown data: a verdict for every input")
                              ->group(group);
  for (const char *ofRun : {"--schedules", "--max-findings", "--output", "--timeout"})
    isStatic->excludes(verb.get_option(ofRun));
  addKernelOption(verb, choices.kernel, "--static: check only this kernel (default: all kernels of the file)")
      ->group(group)
      ->needs(isStatic);
  verb.add_option("--block", choices.block, "--static: threads per block (default: from the file's launches)")
      ->type_name("X[,Y[,Z]]")
      ->group(group)
      ->needs(isStatic);
  verb.add_option("--grid", choices.grid, "--static: gridDim (default: any grid)")
      ->type_name("X[,Y[,Z]]")
      ->group(group)
      ->needs(isStatic);
  verb.add_option("--ctaid", choices.ctaid, "--static: blockIdx of the block to check (default: any block)")
      ->type_name("X[,Y[,Z]]")
      ->group(group)
      ->needs(isStatic);
  verb.add_option("--shared", choices.shared,
                  "--static: bytes of dynamic shared memory (default: from the launch, else unknown)")
      ->type_name("BYTES")
      ->group(group)
      ->needs(isStatic);
  verb.add_flag("--constants", choices.constants,
                "--static: assume that constant memory has its initial values")
      ->group(group)
      ->needs(isStatic);
  verb.add_option(
          "--param", choices.parameters,
          "--static: the value of a kernel parameter, by its name or its number from 0; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group)
      ->needs(isStatic);
}

void checkStatically(const build::ProgramOptions &program, const StaticChoices &choices,
                     const CheckOutput &output, Session &session) {
  try {
    decideStatically(program, choices, output, session);
  } catch (const Fail &problem) {
    print(std::cerr, problem.diagnostics, session.errorColour);
    session.exitCode = problem.exitCode;
  }
}

} // namespace heddle::cli
