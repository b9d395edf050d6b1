// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneRequest.h"

#include "GenerateKernels.h"
#include "InputOutput.h"
#include "PositiveNumber.h"
#include "ProgramWords.h"
#include "Verbs.h"
#include "build/Gpu.h"
#include "support/CudaToolkit.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Suggest.h"
#include "support/Text.h"
#include "transform/Assumptions.h"
#include "tune/AutoSpace.h"
#include "tune/ChemMaker.h"
#include "tune/Defines.h"
#include "tune/FileKernels.h"
#include "tune/Strategy.h"
#include "tune/TargetArch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// Points of a self-test, where they are not given: several full blocks, and soon simulated. Its own default, 24, is
/// less than a block, which prefers variants with many threads per point.
const char *const usualPoints = "2048";

/// A mechanism is a folder, or some files.
std::string mechanismText(const std::vector<std::string> &files) {
  std::string text;
  for (const std::string &file : files) {
    if (!fs::is_directory(file)) {
      text += contentsOf(file);
      continue;
    }
    std::set<fs::path> inside; // in an order that no file system decides
    for (const fs::directory_entry &entry : fs::directory_iterator(file))
      if (entry.is_regular_file())
        inside.insert(entry.path());
    for (const fs::path &each : inside)
      text += contentsOf(each);
  }
  return text;
}

/// The flags that a build system compiles the files of the program with.
bool readFlags(TuneRequest &request, tune::Problem &problem, Session &session) {
  Diagnostics diagnostics;
  for (const fs::path &file : problem.further)
    if (source::BuildFlags found = request.source.buildFlagsOf(file.string(), diagnostics);
        !found.flags.empty())
      problem.ownFlags[file] = std::move(found.flags);
  if (!request.source.readBuildFlags(problem.file.string()) || complain(diagnostics, session, ExitBadUsage))
    return false;
  if (!request.source.buildFlags().empty())
    problem.ownFlags[problem.file] = request.source.buildFlags();
  return true;
}

/// Times of a GPU of this machine are wanted, and it can have them.
bool measuresHere(const TuneRequest &request) {
  const bool isElsewhere = !request.plan.empty() || !request.collect.empty() || !request.simulate.empty();
  return request.device != "sim" && !isElsewhere && !build::gpuName().empty() && findNvcc();
}

/// Where a GPU of this machine measures, candidates are for that GPU. False, and a complaint, where it cannot run them.
bool readTarget(TuneRequest &request, Session &session) {
  const std::optional<build::ComputeCapability> gpu =
      measuresHere(request) ? build::gpuCapability() : std::nullopt;
  if (!gpu)
    return true;
  Diagnostics diagnostics;
  const tune::TargetArch target = tune::targetArch({request.source.archName(), request.source.isArchGiven()},
                                                   *gpu, arch::loadArchs(diagnostics));
  if (complain(diagnostics, session, ExitBadUsage))
    return false;
  if (!target.error.empty())
    complain(session, target.error, target.hint, ExitRefused);
  if (!target.note.empty())
    std::cerr << fmt::format("heddle: {}\n", target.note);
  request.source.setArch(target.name);
  return target.error.empty();
}

/// Candidates are compiled for the GPU that they are modelled for. False, and a complaint, where there is no such GPU, or none that
/// the compilers have as a target.
bool canCompileFor(const std::string &name, Session &session) {
  Diagnostics diagnostics;
  const std::optional<arch::Arch> arch = arch::findArch(name, diagnostics);
  if (complain(diagnostics, session, ExitBadUsage))
    return false;
  const bool can = arch && !archForClang(name, "").empty();
  if (!can)
    complain(session, fmt::format("candidates cannot be compiled for '{}'", name), "--arch sm_52 or newer",
             ExitBadUsage);
  return can;
}

std::optional<tune::Problem> readProblem(TuneRequest &request, Session &session) {
  tune::Problem problem;
  problem.file = request.files.front();
  problem.further.assign(request.files.begin() + 1, request.files.end());
  const bool isMechanism = tune::isMechanism(problem.file);
  for (const std::string &file : request.files)
    if (!(isMechanism && fs::is_directory(file)) &&
        (!canRead({file}, session) || !areNotPtx({file}, session)))
      return std::nullopt;
  if (isMechanism) {
    problem.text = mechanismText(request.files);
    problem.further.clear(); // heddle chem reads them
    problem.comparesCopies = false;
  } else {
    problem.text = tune::withoutPragmas(problem.file.string(), contentsOf(problem.file));
    if (!readFlags(request, problem, session))
      return std::nullopt;
  }
  if (!readTarget(request, session) || !canCompileFor(request.source.archName(), session))
    return std::nullopt;
  problem.flags = session.compilerArguments;
  problem.arguments = session.programArguments;
  if (isMechanism && problem.arguments.empty())
    problem.arguments = {usualPoints};
  problem.compile = request.source.compileOptions();
  problem.arch = problem.compile.arch;
  problem.kernel = request.kernel;
  problem.assumptions = request.assumptions;
  problem.limits = request.limits;
  problem.checked = !request.unchecked;
  problem.flushesL2 = request.l2 == "flushed";
  problem.compiler = request.compiler == "nvcc"    ? build::Compiler::Nvcc
                     : request.compiler == "clang" ? build::Compiler::Clang
                                                   : build::Compiler::Auto;
  if (!request.block.empty() && !(problem.block = parseBlock(request.block))) {
    complain(session, fmt::format("'{}' is not a block", request.block), "as in --block 16,16", ExitBadUsage);
    return std::nullopt;
  }
  std::optional<verify::Tolerance> tolerance =
      request.tolerance.empty() ? verify::Tolerance() : verify::readTolerance(request.tolerance);
  if (!tolerance) {
    complain(session, fmt::format("'{}' is no tolerance", request.tolerance), "ulp=4, rel=1e-6 or abs=1e-9",
             ExitBadUsage);
    return std::nullopt;
  }
  problem.tolerance = *tolerance;
  return problem;
}

void complainOfSpace(const NoSpace &none, Session &session) {
  if (!none.text.empty())
    complain(session, none.text, none.hint, none.exitCode);
  else
    complain(none.diagnostics, session, none.exitCode);
}

/// Names the kernel of `-k` as directives do. A search for a kernel that is not there would refuse every candidate, one by one.
bool findKernel(tune::Problem &problem, Session &session) {
  if (problem.kernel.empty() || tune::isMechanism(problem.file))
    return true;
  const std::optional<std::vector<tune::FileKernel>> kernels = tune::fileKernels(problem);
  if (!kernels) {
    const std::string file = problem.file.string();
    complain(session, fmt::format("{} does not compile", file),
             fmt::format("heddle analyze {} shows the errors", file), ExitDoesNotCompile);
    return false;
  }
  if (std::optional<std::string> meant = tune::kernelMeantBy(problem.kernel, *kernels)) {
    problem.kernel = *meant;
    return true;
  }
  const std::vector<std::string> names = tune::plainNames(*kernels);
  complain(session, fmt::format("there is no kernel '{}' in {}", problem.kernel, problem.file.string()),
           names.empty() ? "there is none at all" : choicesFor(problem.kernel, names), ExitBadUsage);
  return false;
}

/// A candidate with an option that does not exist would be refused, and the user believe that it lost.
void checkChemWords(const tune::Problem &problem, const tune::SpaceWords &words, Session &session) {
  std::optional<WrongWord> wrong = wrongKernel(problem.kernel);
  for (const std::string &option : words.options) {
    if (wrong)
      break;
    wrong = wrongOption(option);
    if (wrong)
      wrong->text = "--option: " + wrong->text;
  }
  if (wrong)
    complain(session, wrong->text, wrong->hint, ExitBadUsage);
}

/// Mechanisms are tuned by the options of heddle chem, programs by everything else.
bool fitsWhatIsTuned(const tune::Problem &problem, tune::SpaceWords &words, Session &session) {
  const bool isMechanism = tune::isMechanism(problem.file);
  if (!isMechanism && !words.options.empty())
    complain(session, "--option is for mechanisms", "-d, --define and --flag are for programs", ExitBadUsage);
  else if (isMechanism && std::ranges::any_of(words.directives, [](auto &text) { return text != "auto"; }))
    complain(session, "a mechanism has no directives", "--option \"--warps=4|8\"; or -d auto", ExitBadUsage);
  else if (isMechanism && !words.directives.empty())
    words.options = tune::chemOptions(), words.directives.clear();
  if (isMechanism && session.exitCode == ExitDone)
    checkChemWords(problem, words, session);
  return session.exitCode == ExitDone;
}

bool isAuto(const tune::SpaceWords &words) {
  return std::ranges::find(words.directives, "auto") != words.directives.end();
}

/// Nothing, or why nothing takes the place of `-d auto`.
std::optional<NoSpace> spellOutAuto(const tune::Problem &problem, tune::SpaceWords &words,
                                    std::optional<tune::AutoSpace> known) {
  auto wanted = std::ranges::find(words.directives, "auto");
  if (wanted == words.directives.end())
    return std::nullopt;
  words.directives.erase(wanted);
  const tune::AutoSpace space = known ? std::move(*known) : tune::autoSpace(problem);
  const std::string file = problem.file.string();
  if (!space.compiles)
    return NoSpace{fmt::format("{} does not compile", file),
                   fmt::format("heddle analyze {} shows the errors", file), ExitDoesNotCompile};
  if (!space.hasKernel)
    return NoSpace{fmt::format("there is no kernel in {}", file),
                   problem.further.empty()
                       ? "-d auto looks for directives that fit the kernels of the file"
                       : "the first file is the one that is tuned; name the file with the kernels first",
                   ExitRefused};
  words.directives.insert(words.directives.begin(), space.directives.begin(), space.directives.end());
  words.flags.insert(words.flags.begin(), space.flags.begin(), space.flags.end());
  if (!space.whyNoBlock.empty())
    words.notTried.push_back(space.whyNoBlock);
  if (!space.directives.empty() || !space.flags.empty())
    return std::nullopt;
  return NoSpace{"-d auto found no directive, block size or flag to vary",
                 space.refused.empty() ? "give alternatives, as in -d \"coarsen x=1|2|4\""
                                       : space.refused.front(),
                 ExitRefused};
}

/// With launches that are captured: which kernels are tuned is known when the program was run.
bool mayReplay(const TuneRequest &request) {
  return !request.wholeProgram && request.plan.empty() && request.collect.empty() &&
         request.simulate.empty() && !tune::isMechanism(request.files.front());
}

} // namespace

std::variant<SpelledSpace, NoSpace> spelledSpace(const tune::Problem &problem, tune::SpaceWords words,
                                                 std::optional<tune::AutoSpace> known) {
  if (std::optional<NoSpace> none = spellOutAuto(problem, words, std::move(known)))
    return *none;
  NoSpace none;
  std::optional<tune::Space> space = tune::Space::read(words, none.diagnostics);
  if (!space) {
    none.exitCode = ExitBadUsage;
    return none;
  }
  if (space->dimensions().empty() && words.directives.empty())
    return NoSpace{"no alternatives are given",
                   fmt::format("{}, or -d auto", tune::isMechanism(problem.file)
                                                     ? "--option \"--variant=plain|warps\""
                                                     : "-d \"coarsen x=1|2|4\""),
                   ExitBadUsage};
  return SpelledSpace{std::move(words), std::move(*space)};
}

bool TuneRun::spellOut(Session &session) {
  if (isSpelledOut)
    return true;
  auto made = spelledSpace(problem, request.space);
  if (auto *none = std::get_if<NoSpace>(&made)) {
    complainOfSpace(*none, session);
    return false;
  }
  words = std::move(std::get<SpelledSpace>(made).words);
  space = std::move(std::get<SpelledSpace>(made).space);
  isSpelledOut = true;
  return true;
}

std::vector<std::string> typed(const tune::SpaceWords &words) {
  std::vector<std::string> all;
  auto add = [&](const char *option, const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      all.push_back(fmt::format("{} \"{}\"", option, text));
  };
  add("-d", words.directives);
  add("--define", words.defines);
  add("--flag", words.flags);
  add("--option", words.options);
  return all;
}

std::unique_ptr<tune::Maker> TuneRun::maker() const {
  if (!tune::isMechanism(problem.file))
    return std::make_unique<tune::CudaMaker>(problem);
  return std::make_unique<tune::ChemMaker>(problem, chemWords(), generateKernels);
}

std::vector<std::string> TuneRun::chemWords() const {
  std::vector<std::string> own = request.files;
  own.insert(own.end(), {"--kernel", request.kernel.empty() ? "viscosity" : request.kernel});
  return own;
}

tune::Rehearsal TuneRun::rehearsal() const {
  if (request.small.empty())
    return {request.fills, std::nullopt};
  std::istringstream text(request.small);
  return {request.fills, std::vector<std::string>(std::istream_iterator<std::string>(text), {})};
}

tune::SearchOptions TuneRun::searchOptions() const {
  tune::SearchOptions options;
  options.strategy = request.strategy;
  options.seed = request.seed;
  options.budget = budget;
  return options;
}

fs::path TuneRun::cacheFile() const {
  return request.cache.empty() && !request.output.empty() ? request.output + ".tune.jsonl" : request.cache;
}

bool TuneRun::openCache(Session &session) {
  const fs::path file = cacheFile();
  if (file.empty())
    return true;
  if (!canWrite(file, session))
    return false;
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    complain(session, fmt::format("'{}' is not a regular file", file.string()), "--cache FILE names another",
             ExitBadUsage);
    return false;
  }
  std::string error;
  cache = tune::Cache::open(file, problem, error);
  if (!cache)
    complain(session, error, fmt::format("rm {} starts a new search; --cache FILE keeps both", file.string()),
             ExitBadUsage);
  return cache != nullptr;
}

double TuneRun::secondsForSearch(double reserved) const {
  constexpr double leastPart = 0.25;
  return std::max(*budget.seconds - seconds() - reserved, leastPart * *budget.seconds);
}

std::unique_ptr<TuneRun> readTuneRun(TuneRequest &request, Session &session) {
  std::optional<tune::Problem> problem = readProblem(request, session);
  if (!problem || !findKernel(*problem, session))
    return nullptr;
  Diagnostics assumed;
  transform::warnOfAssumptions(problem->assumptions, problem->file.string(), assumed);
  print(std::cerr, assumed, session.errorColour);
  tune::SpaceWords words = request.space;
  if (!fitsWhatIsTuned(*problem, words, session))
    return nullptr;
  if (!tune::isMechanism(problem->file) && request.simulate.empty())
    print(std::cerr, tune::aboutDefines(*problem, words.defines), session.errorColour);
  std::optional<tune::Budget> budget =
      request.budget.empty() ? tune::Budget() : tune::readBudget(request.budget);
  if (!budget) {
    complain(session, fmt::format("invalid value '{}' for --budget", request.budget),
             "50 candidates: 50; time: 120s, 5m, 1h", ExitBadUsage);
    return nullptr;
  }
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(problem->arch, diagnostics);
  if (complain(diagnostics, session, ExitBadUsage))
    return nullptr;
  request.space = words;
  auto run = std::make_unique<TuneRun>(
      TuneRun{request, std::move(*problem), words, {}, false, *budget, std::move(*arch), nullptr});
  const bool isLeft = isAuto(words) && run->problem.kernel.empty() && mayReplay(request);
  return isLeft || run->spellOut(session) ? std::move(run) : nullptr;
}

void TuneRequest::addTo(CLI::App &verb, Session &session) {
  verb.add_option("FILE", files,
                  "the .cu file, and other files of the program, which are not changed; or a mechanism")
      ->required();
  session.operands["tune"] = {"FILE... [-d DIRECTIVE]... [-o OUT] [COMPILER-OPTION...] [-- ARGUMENT...]",
                              {{}, {"cu", "cpp", "cc", "yaml", "inp", "dat"}, true, true}};
  verb.add_option("-o,--output", output, "the file or folder to write the winner to")->type_name("FILE");
  verb.add_flag("--apply", apply, "write the transformed source instead of the original with pragmas");
  verb.add_option("-d,--directive", space.directives,
                  "a directive with alternatives, as in \"coarsen x=1|2|4\"; \"block x=64|128\"; or auto")
      ->type_name("DIRECTIVE")
      ->allow_extra_args(false);
  verb.add_option(
          "--flag", space.flags,
          "a compiler flag with alternatives, as in \"-maxrregcount=32|64|\"; an empty one is no flag")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  verb.add_option("--define", space.defines, "a definition with alternatives, as in \"TILE=8|16\"")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  verb.add_option("--option", space.options,
                  "for a mechanism: an option of heddle chem with alternatives, as in \"--warps=4|8\"")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  verb.add_option(
          "-k,--kernel", kernel,
          "the kernel that -d applies to (default: each that takes at least 5 % of the time, one after the "
          "other; with --whole-program all together); of a mechanism: viscosity (the default), "
          "conductivity, diffusion or chemistry")
      ->type_name("NAME");
  verb.add_option("--block", block,
                  "the block size, if the launches in the file do not give it (default: from the launches)")
      ->type_name("X[,Y[,Z]]");
  verb.add_option("--assume", assumptions,
                  "assumptions for directives: whole-program (no other file launches the kernels of this "
                  "one), no-overlap (different pointers of a kernel point to disjoint memory)")
      ->check(CLI::IsMember(transform::namesOfAssumptions()))
      ->allow_extra_args(false);
  verb.add_option("--strategy", strategy, "auto, exhaustive, random, genetic, annealing or guided")
      ->check(CLI::IsMember(tune::strategyNames()));
  verb.add_option("--seed", seed, "seed of random strategies");
  verb.add_option("--budget", budget,
                  "when to stop: 50 (candidates that are run), 120s, 5m or 1h (default: no limit)")
      ->type_name("LIMIT");
  verb.add_option("--cache", cache, "the file for the results (default OUT.tune.jsonl)")->type_name("FILE");
  verb.add_option("--simulate", simulate,
                  "take the results from this file of an earlier search, and run nothing")
      ->type_name("FILE");
  addDeviceOption(verb, device,
                  "sim (the simulator with a model), gpu, or auto: the GPU if there is one and nvcc");
  verb.add_option("--plan", plan,
                  "write everything that heddle-runner needs on a machine with a GPU to this folder")
      ->type_name("DIR");
  verb.add_option("--collect", collect, "take the results from such a folder")->type_name("DIR");
  verb.add_option("--rounds", rounds, "for --plan: number of timed runs per launch")->check(positiveNumber());
  verb.add_option(
      "--copies", copies,
      "for --plan: end the program after this many device-to-host copies (default: run it to its end)");
  verb.add_option("--small", small,
                  "smaller arguments of the program for the model, if those after -- are too large for the "
                  "simulator; times are predicted for the launch sizes of those after --")
      ->type_name("ARGUMENTS");
  verb.add_option("--tol", tolerance,
                  "tolerance for results: ulp=4, rel=1e-6, abs=1e-9 (default: bit for bit); as for heddle "
                  "verify, not "
                  "for buffers whose type is not known")
      ->type_name("TOLERANCE");
  verb.add_flag("--whole-program", wholeProgram,
                "run the whole program for each candidate (default: replay one captured launch)");
  verb.add_option("--l2", l2,
                  "L2 before each timed launch of a replay: warm from the launch before, or flushed")
      ->check(CLI::IsMember({"warm", "flushed"}))
      ->type_name("warm|flushed");
  verb.add_flag("--fill", fills, "predict as if there were enough blocks to keep the whole device busy");
  verb.add_flag("--no-check", unchecked, "omit the static check of candidates");
  verb.add_option("--make-limit", limits.make, "seconds for generating and checking a candidate")
      ->type_name("SECONDS");
  verb.add_option("--compile-limit", limits.compile, "seconds for compiling one")->type_name("SECONDS");
  verb.add_option("--run-limit", limits.run, "seconds for running one")->type_name("SECONDS");
  verb.add_option("--compiler", compiler, "nvcc, clang or auto: nvcc if there is one")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  verb.add_option("--top", top, "number of the fastest candidates to list");
  verb.add_flag("--json", json, "print all results as JSON");
  verb.add_option("--report", page, "write a self-contained HTML page with all results")
      ->type_name("FILE.html");
  verb.add_option("--t4", t4, "write the results in the T4 format of other tuners")->type_name("FILE.json");
  verb.add_option("--t1", t1, "write the space in the T1 format of other tuners")->type_name("FILE.json");
  source.addTo(verb, session);
  verb.get_option("--arch")->description(
      "the GPU to compile for and to model: sm_90, 8.6, hopper... (default: that of compile_commands.json; "
      "else "
      "the GPU of this machine where it measures, else sm_90); nvcc's -arch and -gencode are ignored");
}

} // namespace heddle::cli
