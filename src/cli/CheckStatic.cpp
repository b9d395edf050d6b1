// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckStatic.h"

#include "InputOutput.h"
#include "KernelOption.h"
#include "ShortLocation.h"
#include "StaticLaunches.h"
#include "Verbs.h"
#include "arch/Common.h"
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
#include "support/Suggest.h"
#include "support/Text.h"
#include "vm/Source.h"

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
       fmt::format("up to three numbers from {} with commas between them, as in {} 16,16",
                   isBlockIndex ? 0 : 1, option));
}

/// Each of the numbers is one that a grid, or a block's index in it, can have: the limits are those of every generation that compilers
/// support.
void requireInLimits(const vm::Dim3 &given, const std::string &text, bool isIndex) {
  const std::array<unsigned, 3> &limits = arch::defaultArch().maxGridDim;
  const uint32_t numbers[] = {given.x, given.y, given.z};
  for (unsigned axis = 0; axis < 3; ++axis)
    if (const uint32_t most = limits[axis] - isIndex; numbers[axis] > most)
      fail(ExitBadUsage,
           isIndex ? fmt::format("block {} of --ctaid is in no grid", text)
                   : fmt::format("a grid of {} cannot be launched", text),
           fmt::format("{} is at most {} along {}", isIndex ? "blockIdx" : "gridDim", most, "xyz"[axis]));
}

bool isIn(const vm::Dim3 &block, const vm::Dim3 &grid) {
  return block.x < grid.x && block.y < grid.y && block.z < grid.z;
}

check::StaticOptions readOptions(const StaticChoices &choices) {
  check::StaticOptions options;
  if (!choices.block.empty())
    options.block = readDim(choices.block, "--block");
  if (!choices.grid.empty())
    requireInLimits(*(options.grid = readDim(choices.grid, "--grid")), choices.grid, false);
  if (!choices.ctaid.empty())
    requireInLimits(*(options.blockId = readDim(choices.ctaid, "--ctaid")), choices.ctaid, true);
  if (options.grid && options.blockId && !isIn(*options.blockId, *options.grid))
    fail(ExitBadUsage,
         fmt::format("block {} of --ctaid is not in the grid {} of --grid", choices.ctaid, choices.grid),
         "blocks are counted from 0");
  options.dynamicSharedBytes = choices.shared;
  options.maxSeconds = MostSeconds;
  options.constantsAreKnown = choices.constants;
  options.lockstep = choices.lockstep;
  for (const std::string &given : choices.parameters) {
    const size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == given.size())
      fail(ExitBadUsage, fmt::format("'{}' gives no parameter a value", given), "as in --param n=1024");
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

/// Those that -k means. Kernels of system headers are checked where it names them.
struct ChosenKernels {
  std::vector<std::string> names, spokenNames; ///< of all kernels that could be chosen
};

ChosenKernels chosenKernels(const ptx::Module &module, const std::string &wanted,
                            const verify::LaunchTable &table) {
  ChosenKernels chosen;
  for (const std::string &name : check::kernelsOf(module)) {
    if (wanted.empty() && table.isOnlyIncluded(name))
      continue;
    chosen.spokenNames.push_back(check::readableKernel(name));
    if (wanted == chosen.spokenNames.back() || isMeant(name, wanted))
      chosen.names.push_back(name);
  }
  return chosen;
}

void failWithoutKernels(const std::filesystem::path &file) {
  Fail problem{ExitRefused, {}};
  Diagnostic &missing =
      problem.diagnostics.error({file.string(), 1, 1, 0, {}}, "no kernel is defined in this file");
  if (!isPtx(file))
    missing.note({}, "templates count if the file instantiates them");
  missing.withHint("--allow-no-kernels accepts such files");
  throw problem;
}

[[noreturn]] void failWithoutKernel(const std::string &wanted, std::vector<std::string> spokenNames) {
  std::ranges::sort(spokenNames);
  spokenNames.erase(std::unique(spokenNames.begin(), spokenNames.end()), spokenNames.end());
  fail(ExitBadUsage, fmt::format("there is no kernel '{}'", wanted), choicesFor(wanted, spokenNames));
}

// --- blocks
// ----------------------------------------------------------------------------------------------------------

/// The first line of the kernel that has a location; the beginning of the file where none has.
SourceLocation startOfKernel(const ptx::Module &module, const std::string &kernel,
                             const std::filesystem::path &file) {
  if (isPtx(file))
    return {file.string(), module.functions[module.findFunction(kernel)].line, 1, 0, {}};
  for (const ptx::Instr &instr : module.functions[module.findFunction(kernel)].instrs)
    if (SourceLocation source = vm::sourceOf(module, instr); source.isKnown()) {
      shorten(source);
      return source;
    }
  return {file.string(), 1, 1, 0, {}};
}

/// Not one kernel has a known block: there is nothing to check.
void requireSomeBlock(const std::vector<std::string> &kernels, const ptx::Module &module,
                      const verify::LaunchTable &table, const std::string &whyNotRead,
                      const std::filesystem::path &file) {
  for (const std::string &kernel : kernels)
    if (verify::requiredBlock(module, kernel) || !table.of(kernel).known.empty())
      return;
  Fail problem{ExitBadUsage, {}};
  for (const std::string &kernel : kernels) {
    std::vector<verify::KernelLaunches::Unknown> launches = table.of(kernel).unknown;
    for (verify::KernelLaunches::Unknown &launch : launches)
      shorten(launch.location);
    const std::string text =
        fmt::format("the block of kernel '{}' is unknown", check::readableKernel(kernel));
    Diagnostic &missing =
        launches.empty()
            ? problem.diagnostics.error(startOfKernel(module, kernel, file), text)
            : problem.diagnostics.error(launches.front().location, text + ": " + launches.front().why);
    for (size_t i = 1; i < launches.size(); ++i)
      missing.note(launches[i].location, "another launch: " + launches[i].why);
    if (!whyNotRead.empty())
      missing.note({}, "Clang cannot parse the launches of the file: " + whyNotRead);
    else if (launches.empty() && !isPtx(file))
      missing.note({}, "the file does not launch it");
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
    check::StaticResult result = verify::checkLaunch(module, kernel, launch, options);
    nameGrid(result, launch);
    return orUnchecked({name, std::move(result), checkedBlock(launch)});
  }

  /// The block is that of a launch of the file, the grid is not: what depends on it says so.
  static void nameGrid(check::StaticResult &result, const verify::KernelLaunches::Known &launch) {
    const vm::Dim3 &grid = launch.mostBlocks;
    if (launch.locations.empty())
      return;
    std::vector<std::string> lines;
    for (SourceLocation location : launch.locations) {
      shorten(location);
      lines.push_back(check::lineOf(location));
    }
    const bool isOne = lines.size() == 1;
    std::string hint = fmt::format("the grid{0} of the launch{1} at {2} {3} not assumed; ", isOne ? "" : "s",
                                   isOne ? "" : "es", joinAnd(lines), isOne ? "is" : "are");
    if (grid.x && grid.y && grid.z)
      hint += fmt::format("--grid {}{} checks the kernel for {}", grid.x,
                          grid.z > 1   ? fmt::format(",{},{}", grid.y, grid.z)
                          : grid.y > 1 ? fmt::format(",{}", grid.y)
                                       : "",
                          isOne ? "it" : "the largest");
    else
      hint += "--grid X,Y,Z checks the kernel for one grid";
    for (check::UndecidedReason &reason : result.undecided)
      if (reason.hint == check::GridHint)
        reason.hint = hint;
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

std::string joinedFiles(const std::vector<std::filesystem::path> &files) {
  std::string all;
  for (const std::filesystem::path &file : files)
    all += (all.empty() ? "" : ", ") + file.string();
  return all;
}

void shortenAll(check::StaticResult &result) {
  auto both = [](auto &each) {
    shorten(each.location);
    for (check::Finding::Note &note : each.notes)
      shorten(note.location);
  };
  std::for_each(result.findings.begin(), result.findings.end(), both);
  std::for_each(result.undecided.begin(), result.undecided.end(), both);
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

/// All files of a command line, one after the other.
class StaticCheck {
public:
  StaticCheck(const build::ProgramOptions &program, const StaticChoices &choices, Session &session)
      : program(program), choices(choices), session(session), options(readOptions(choices)) {}

  /// What is wrong with one file does not keep others from being checked.
  void checkAll() {
    for (const std::filesystem::path &file : program.sources.files)
      try {
        check(file);
      } catch (const Fail &problem) {
        report(problem);
      }
    if (!hasChosen && !otherKernels.empty())
      failWithoutKernel(choices.kernel, otherKernels);
  }

  void report(const Fail &problem) {
    print(std::cerr, problem.diagnostics, session.errorColour);
    exitCode = std::max(exitCode, problem.exitCode);
    isWhole = false;
  }

  std::vector<report::KernelVerdict> verdicts;
  std::vector<std::filesystem::path> withoutKernels; ///< which is fine
  int exitCode = ExitDone;                           ///< the largest of all files
  bool isWhole = true;                               ///< every file could be checked

private:
  void check(const std::filesystem::path &file) {
    build::ProgramOptions one = program;
    one.sources.files = {file};
    const StaticInput input = readInput(one, session.errorColour);
    verify::LaunchTable table;
    std::string whyNotRead;
    if (!input.compiler.empty())
      table = launchesIn(one, input.compiler, whyNotRead);
    const ChosenKernels chosen = chosenKernels(input.module, choices.kernel, table);
    if (chosen.spokenNames.empty()) {
      if (!choices.allowsNoKernels)
        failWithoutKernels(file);
      withoutKernels.push_back(file);
      return;
    }
    hasChosen |= !chosen.names.empty();
    if (chosen.names.empty())
      otherKernels.insert(otherKernels.end(), chosen.spokenNames.begin(), chosen.spokenNames.end());
    else if (choices.block.empty())
      requireSomeBlock(chosen.names, input.module, table, whyNotRead, file);
    options.isOptimized = input.isOptimized;
    for (const std::string &kernel : chosen.names)
      for (report::KernelVerdict &verdict :
           KernelBlocks(input.module, kernel, choices, options).verdicts(table))
        add(std::move(verdict), file);
  }

  void add(report::KernelVerdict verdict, const std::filesystem::path &file) {
    if (verdict.result.problems.has(Severity::Error))
      throw Fail{ExitBadUsage, verdict.result.problems};
    shortenAll(verdict.result);
    check::addSourceLines(verdict.result);
    verdict.file = file.string();
    if (verdict.result.verdict == check::Verdict::Fails)
      exitCode = std::max<int>(exitCode, ExitRefused);
    verdicts.push_back(std::move(verdict));
  }

  const build::ProgramOptions &program;
  const StaticChoices &choices;
  Session &session;
  check::StaticOptions options;
  bool hasChosen = false;
  std::vector<std::string> otherKernels; ///< of files that have none of the name that -k gives
};

void printVerdicts(const StaticCheck &check, bool severalFiles, bool colour) {
  std::string last;
  for (const report::KernelVerdict &verdict : check.verdicts) {
    if (severalFiles && verdict.file != last)
      std::cout << "--- " << verdict.file << "\n";
    last = verdict.file;
    std::cout << report::staticText(verdict, colour);
  }
  for (const std::filesystem::path &file : check.withoutKernels)
    std::cout << fmt::format("check: {}: no kernel is defined in this file\n", file.string());
}

void decideStatically(const build::ProgramOptions &program, const StaticChoices &choices,
                      const CheckOutput &output, Session &session) {
  StaticCheck check(program, choices, session);
  try {
    check.checkAll();
  } catch (const Fail &problem) {
    check.report(problem);
  }
  session.exitCode = check.exitCode;
  if (!output.sarif.empty()) {
    nlohmann::ordered_json log = report::staticSarif(check.verdicts, std::filesystem::current_path());
    report::addInvocation(log, check.isWhole, session.exitCode);
    write(output.sarif, jsonText(log), session);
  }
  if (check.verdicts.empty() && !check.isWhole)
    return;
  if (!output.page.empty())
    writeStaticPage(joinedFiles(program.sources.files), check.verdicts, output.page, session);
  if (output.json)
    std::cout << jsonText(report::staticJson(check.verdicts));
  else
    printVerdicts(check, program.sources.files.size() > 1, session.colour);
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
  verb.add_flag("--allow-no-kernels", choices.allowsNoKernels,
                "--static: files in which no kernel is defined are no error")
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
