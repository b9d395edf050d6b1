// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle tune: read flags, make the space, search it, write the winner.
#include "SourceOptions.h"
#include "TuneElsewhere.h"
#include "TuneText.h"
#include "Verbs.h"
#include "arch/Arch.h"
#include "report/TunePage.h"
#include "support/Files.h"
#include "support/Text.h"
#include "tune/AutoSpace.h"
#include "tune/Cache.h"
#include "tune/ChemMaker.h"
#include "tune/Crews.h"
#include "tune/Formats.h"
#include "tune/GpuMeasurer.h"
#include "tune/MachineMeasurer.h"
#include "tune/Maker.h"
#include "tune/RankCrew.h"
#include "tune/Search.h"
#include "tune/Strategy.h"
#include "tune/Winner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const about =
    R"(Try alternatives of a CUDA program and keep the fastest that computes the same.

Examples:
  heddle tune stencil.cu -d "coarsen x=1|2|4|8 map=interleaved|blocked" -o out.cu
  heddle tune matmul.cu -d "| specialize buffers=2|3|4 | consolidate" -o out.cu    one of them, or none
  heddle tune saxpy.cu -d auto -o out.cu -- 100000                 what the program lets itself be changed by
  heddle tune nbody.cu -d "block x=64|128|256" --flag "-maxrregcount=32|64|" --define "UNROLL=2|4" -o out.cu
  heddle tune nbody.cu -d auto --strategy genetic --budget 5m -o out.cu --report out.html --t4 out.t4.json
  heddle tune examples/hydrogen -k viscosity --option "--form=plain|warps" --option "--warps=4|8" --fill -o kernels
  heddle tune nbody.cu -d auto --simulate out.cu.tune.jsonl --strategy annealing       how good is a strategy?

Every candidate is made, checked statically, compiled, run and compared with the original, each step in a process of
its own with a limit. One that hangs, crashes, computes something else or does not compile is kept with the reason and
never wins. Without a GPU times are predicted by a model, and the answer says so.

Results go to OUT.tune.jsonl (--cache) one by one; a search that was stopped goes on where it was. OUT.cu is the original
with #pragma heddle lines that heddle opt carries out.

Exit code 0: done; 1: the original fails; 2: bad usage; 3: the file does not compile.
)";

struct Request {
  std::vector<std::string> files;
  std::string output, kernel, block, compiler = "auto", tolerance, cache, simulate;
  std::string strategy = "exhaustive", budget, t1, t4, page;
  tune::SpaceWords space;
  std::string device = "auto", plan, collect;
  unsigned rounds = 21, copies = 0;
  uint64_t seed = 1;
  tune::Limits limits;
  bool unchecked = false, fills = false, json = false;
  size_t top = 5;
  SourceOptions source;
};

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

/// Writes a file; complains where that cannot be.
bool writeText(const fs::path &path, const std::string &text, Session &session) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush())
    return true;
  complain(session, fmt::format("'{}' cannot be written", path.string()), "does its folder exist?", 2);
  return false;
}

std::optional<tune::Problem> readProblem(const Request &request, Session &session) {
  tune::Problem problem;
  problem.file = request.files.front();
  problem.further.assign(request.files.begin() + 1, request.files.end());
  const bool isMechanism = tune::isMechanism(problem.file);
  for (const std::string &file : request.files)
    if (!fs::is_regular_file(file) && !(isMechanism && fs::is_directory(file))) {
      complain(session, fmt::format("there is no file '{}'", file), "heddle tune FILE.cu", 2);
      return std::nullopt;
    }
  if (isMechanism) {
    problem.text = mechanismText(request.files);
    problem.further.clear(); // heddle chem reads them
    problem.comparesCopies = false;
  } else {
    problem.text = tune::withoutPragmas(problem.file.string(), contentsOf(problem.file));
  }
  problem.flags = session.compilerArguments;
  problem.arguments = session.programArguments;
  problem.compile = request.source.compileOptions();
  problem.arch = problem.compile.arch;
  problem.kernel = request.kernel;
  problem.limits = request.limits;
  problem.checked = !request.unchecked;
  problem.compiler = request.compiler == "nvcc"    ? build::Compiler::Nvcc
                     : request.compiler == "clang" ? build::Compiler::Clang
                                                   : build::Compiler::Auto;
  if (!request.block.empty() && !(problem.block = parseBlock(request.block))) {
    complain(session, fmt::format("'{}' is not a block", request.block), "as in --block 16,16", 2);
    return std::nullopt;
  }
  std::optional<build::Tolerance> tolerance =
      request.tolerance.empty() ? build::Tolerance() : build::readTolerance(request.tolerance);
  if (!tolerance) {
    complain(session, fmt::format("'{}' is no tolerance", request.tolerance), "ulp=4, rel=1e-6 or abs=1e-9",
             2);
    return std::nullopt;
  }
  problem.tolerance = *tolerance;
  return problem;
}

/// Mechanisms are tuned by the options of heddle chem, programs by everything else.
bool fitsWhatIsTuned(const tune::Problem &problem, tune::SpaceWords &words, Session &session) {
  const bool isMechanism = tune::isMechanism(problem.file);
  if (!isMechanism && !words.options.empty())
    complain(session, "--option is for mechanisms", "-d, --define and --flag are for programs", 2);
  else if (isMechanism && std::ranges::any_of(words.directives, [](auto &text) { return text != "auto"; }))
    complain(session, "a mechanism has no directives", "--option \"--warps=4|8\"; or -d auto", 2);
  else if (isMechanism && !words.directives.empty())
    words.options = tune::chemOptions(), words.directives.clear();
  return session.exitCode == 0;
}

/// `-d auto` is replaced by what the program allows.
bool spellOutAuto(const tune::Problem &problem, tune::SpaceWords &words, Session &session) {
  if (!fitsWhatIsTuned(problem, words, session))
    return false;
  auto wanted = std::ranges::find(words.directives, "auto");
  if (wanted == words.directives.end())
    return true;
  words.directives.erase(wanted);
  tune::AutoSpace space = tune::autoSpace(problem);
  words.directives.insert(words.directives.begin(), space.directives.begin(), space.directives.end());
  if (!space.directives.empty())
    return true;
  complain(session, "nothing that Heddle knows changes this program",
           space.refused.empty() ? "heddle analyze says more" : space.refused.front(), 1);
  return false;
}

std::optional<tune::Space> readSpace(const tune::SpaceWords &words, Session &session) {
  Diagnostics diagnostics;
  std::optional<tune::Space> space = tune::Space::read(words, diagnostics);
  if (complain(diagnostics, session, 2))
    return std::nullopt;
  if (space->dimensions().empty() && words.directives.empty()) {
    complain(session, "there is nothing to choose from", "-d \"coarsen x=1|2|4\", or -d auto", 2);
    return std::nullopt;
  }
  return space;
}

/// The words of the space as one would type them.
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

/// Everything that one search needs, put together from the command line.
struct Run {
  const Request &request;
  tune::Problem problem;
  tune::Space space;
  tune::Budget budget;
  std::unique_ptr<tune::Cache> cache;
};

/// The file that results are kept in; false where it cannot be had.
bool openCache(Run &run, Session &session) {
  const Request &request = run.request;
  fs::path file = request.cache;
  if (file.empty() && !request.output.empty())
    file = request.output + ".tune.jsonl";
  if (file.empty() || !request.simulate.empty())
    return true;
  std::string error;
  run.cache = tune::Cache::open(file, run.problem, error);
  if (!run.cache)
    complain(session, error, "--cache FILE names another", 2);
  return run.cache != nullptr;
}

tune::SearchOptions searchOptions(const Run &run, ProgressLine &progress) {
  tune::SearchOptions options;
  options.strategy = run.request.strategy;
  options.seed = run.request.seed;
  options.budget = run.budget;
  options.watch = [&progress](const tune::Report &report) { progress.show(report); };
  return options;
}

/// Judges a strategy by results that are there: nothing is made and nothing is run.
std::optional<tune::Report> simulate(const Run &run, ProgressLine &progress, Session &session) {
  std::optional<std::vector<tune::Kept>> kept = tune::readKept(run.request.simulate);
  if (!kept) {
    complain(session, fmt::format("'{}' holds no results of heddle tune", run.request.simulate),
             "it is what an earlier search left: OUT.tune.jsonl", 2);
    return std::nullopt;
  }
  tune::RecordedCrew crew(*kept, run.problem);
  tune::SearchOptions options = searchOptions(run, progress);
  options.foretold = [&crew](const std::string &recipe) { return crew.predicted(recipe); };
  tune::Judge judge{&crew, crew.predicts(), crew.device()};
  return tune::Search(run.problem, run.space, judge, nullptr, options).run();
}

std::unique_ptr<tune::ChemMaker> chemMaker(const Run &run) {
  std::vector<std::string> words = run.request.files;
  words.insert(words.end(), {"--kernel", run.request.kernel.empty() ? "viscosity" : run.request.kernel});
  return std::make_unique<tune::ChemMaker>(run.problem, words);
}

std::unique_ptr<tune::Maker> makerFor(const Run &run) {
  if (tune::isMechanism(run.problem.file))
    return chemMaker(run);
  return std::make_unique<tune::CudaMaker>(run.problem);
}

/// The GPU where there is one and nobody wanted something else; else the machine and its model. Nothing, and
/// a complaint, where a GPU was asked for and cannot be used.
std::unique_ptr<tune::Measurer> measurerFor(const Run &run, const arch::Arch &arch, Session &session) {
  const std::string &device = run.request.device;
  if (device != "vm" && (device == "gpu" || !tune::gpuName().empty())) {
    auto gpu = std::make_unique<tune::GpuMeasurer>(run.problem);
    if (gpu->error().empty())
      return gpu;
    if (device == "gpu") {
      complain(session, gpu->error(), "--device vm predicts; --plan is for a GPU elsewhere", 1);
      return nullptr;
    }
  }
  return std::make_unique<tune::MachineMeasurer>(run.problem, arch, run.request.fills);
}

std::optional<tune::Report> search(Run &run, const arch::Arch &arch, ranks::Ranks *ranks,
                                   ProgressLine &progress, Session &session) {
  std::unique_ptr<tune::Maker> maker = makerFor(run);
  std::unique_ptr<tune::Measurer> measurer = measurerFor(run, arch, session);
  if (!measurer)
    return std::nullopt;
  tune::LocalCrew own(run.problem, *maker, *measurer);
  if (run.cache)
    for (const tune::Kept &kept : run.cache->all())
      if (kept.result.predicted == measurer->predicts() && kept.result.device == measurer->device())
        own.remember(kept.digest, kept.result);
  std::optional<tune::RankCrew> shared;
  if (ranks)
    shared.emplace(*ranks, own, run.problem);
  tune::Judge judge{shared ? static_cast<tune::Crew *>(&*shared) : &own, measurer->predicts(),
                    measurer->device()};
  tune::SearchOptions options = searchOptions(run, progress);
  // A search that reads a clock and is guided by the model asks that about everything first.
  tune::MachineMeasurer model(run.problem, arch, run.request.fills);
  tune::LocalCrew foreteller(run.problem, *maker, model);
  if (!measurer->predicts())
    options.predictor = tune::Judge{&foreteller, true, model.device()};
  return tune::Search(run.problem, run.space, judge, run.cache.get(), options).run();
}

/// What every process of mpirun but the first does.
void serve(const Run &run, const arch::Arch &arch, ranks::Ranks &ranks, Session &session) {
  std::unique_ptr<tune::Maker> maker = makerFor(run);
  std::unique_ptr<tune::Measurer> measurer = measurerFor(run, arch, session);
  if (!measurer)
    return;
  tune::LocalCrew crew(run.problem, *maker, *measurer);
  tune::serveRecipes(ranks, crew);
}

/// What came back from where --plan was carried to, as if it had been measured here.
std::optional<tune::Report> collect(Run &run, ProgressLine &progress, Session &session) {
  std::optional<std::vector<tune::Kept>> kept =
      collectResults(run.request.collect, run.space, run.problem, run.cache.get(), session);
  if (!kept)
    return std::nullopt;
  tune::RecordedCrew crew(*kept, run.problem);
  tune::Judge judge{&crew, crew.predicts(), crew.device()};
  return tune::Search(run.problem, run.space, judge, nullptr, searchOptions(run, progress)).run();
}

/// The original could not be measured: that is the whole answer.
void complainOfOriginal(const tune::Report &report, const Request &request, Session &session) {
  const runner::Result &result = report.original().evaluation.result;
  const bool isCode = result.status == runner::Status::DoesNotCompile;
  complain(session,
           fmt::format("the original itself {}: {}", isCode ? "does not compile" : "cannot be measured",
                       result.reason),
           fmt::format("heddle run {} should work first", request.files.front()), isCode ? 3 : 1);
}

/// Makes the winner once more and writes it; what was made is left in the report.
void writeWinner(const Run &run, tune::Report &report, Session &session) {
  const tune::Recipe &recipe = report.winner()->evaluation.recipe;
  if (tune::isMechanism(run.problem.file)) {
    if (std::string wrong =
            run.request.output.empty() ? "" : chemMaker(run)->generate(recipe, run.request.output);
        !wrong.empty())
      complain(session, wrong, "-o names a folder", 2);
    return;
  }
  tune::Made made = tune::CudaMaker(run.problem).make(recipe);
  report.originalText = run.problem.text;
  if (!made.candidate)
    return complain(session, fmt::format("'{}' cannot be made again: {}", recipe.str(), made.reason),
                    "has the file changed since?", 1);
  report.winnerText = made.candidate->files.front().text;
  if (run.request.output.empty())
    return;
  tune::WinnerFile file = tune::winnerFile(run.problem, recipe, report.winnerText);
  if (writeText(run.request.output, file.text, session) && !file.reproduces)
    std::cerr << "heddle: pragmas cannot say what was done, so the output is the winner itself\n";
}

void writeFormats(const Run &run, const tune::Report &report, Session &session) {
  if (!run.request.t4.empty())
    writeText(run.request.t4, tune::t4Json(report), session);
  if (!run.request.t1.empty())
    writeText(run.request.t1, tune::t1Json(report, run.problem, run.budget), session);
  if (!run.request.page.empty())
    writeText(run.request.page, report::tunePage(report), session);
}

void tuneProgram(const Request &request, Session &session) {
  std::optional<tune::Problem> problem = readProblem(request, session);
  if (!problem)
    return;
  tune::SpaceWords words = request.space;
  if (!spellOutAuto(*problem, words, session))
    return;
  std::optional<tune::Space> space = readSpace(words, session);
  if (!space)
    return;
  std::optional<tune::Budget> budget =
      request.budget.empty() ? tune::Budget() : tune::readBudget(request.budget);
  if (!budget)
    return complain(session, fmt::format("'{}' is no budget", request.budget),
                    "50 candidates: 50; time: 120s, 5m, 1h", 2);
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(problem->arch, diagnostics);
  if (complain(diagnostics, session, 2))
    return;
  Run run{request, std::move(*problem), std::move(*space), *budget, nullptr};
  SharedSearch together;
  if (!together.join(session))
    return;
  if (together.isWorker())
    return serve(run, *arch, *together.ranks(), session);
  if (!request.plan.empty()) {
    tune::Plan plan(run.problem, request.plan);
    plan.rounds = request.rounds;
    plan.copies = request.copies;
    return writePlan(run.space, *makerFor(run), plan, request.plan, session);
  }
  if (!openCache(run, session))
    return;

  ProgressLine progress(
      run.space.points() <= tune::mostPoints ? run.space.distinct(tune::mostPoints).size() : 0, *budget);
  std::optional<tune::Report> report = !request.simulate.empty() ? simulate(run, progress, session)
                                       : !request.collect.empty()
                                           ? collect(run, progress, session)
                                           : search(run, *arch, together.ranks(), progress, session);
  progress.clear();
  if (!report)
    return;
  report->program = request.files.front();
  report->arguments = fmt::format("{}", fmt::join(session.programArguments, " "));
  report->spaceText = typed(words);
  report->budget = request.budget;
  report->seed = std::to_string(request.seed);
  if (!report->winner())
    return complainOfOriginal(*report, request, session);
  if (request.simulate.empty())
    writeWinner(run, *report, session);
  writeFormats(run, *report, session);
  if (report->unkept)
    std::cerr << fmt::format("heddle: {} could not be written to the cache: is the disk full?\n",
                             counted(report->unkept, "result"));
  std::cout << (request.json ? tune::reportJson(*report) : tuneText(*report, request.top, request.output));
}

} // namespace

void addTune(CLI::App &app, Session &session) {
  auto request = std::make_shared<Request>();
  CLI::App *verb = app.add_subcommand("tune", about);
  verb->add_option("FILE", request->files,
                   "the .cu file, with further files of the program that stay as they are; or a mechanism")
      ->required();
  verb->add_option("-o,--output", request->output, "where the winner goes");
  verb->add_option("-d,--directive", request->space.directives,
                   "a directive with alternatives, as in \"coarsen x=1|2|4\"; \"block x=64|128\"; or auto")
      ->allow_extra_args(false);
  verb->add_option(
          "--flag", request->space.flags,
          "a flag of the compiler with alternatives, as in \"-maxrregcount=32|64|\"; an empty one: without")
      ->allow_extra_args(false);
  verb->add_option("--define", request->space.defines, "a definition with alternatives, as in \"TILE=8|16\"")
      ->allow_extra_args(false);
  verb->add_option("--option", request->space.options,
                   "for a mechanism: an option of heddle chem with alternatives, as in \"--warps=4|8\"")
      ->allow_extra_args(false);
  verb->add_option(
      "-k,--kernel", request->kernel,
      "the kernel that -d speaks of, all where it is left out; of a mechanism: viscosity or another");
  verb->add_option("--block", request->block, "X[,Y[,Z]]: the block, where the file does not tell");
  verb->add_option("--strategy", request->strategy, "exhaustive, random, genetic, annealing or guided")
      ->check(CLI::IsMember(tune::strategyNames()));
  verb->add_option("--seed", request->seed, "of strategies that draw lots");
  verb->add_option("--budget", request->budget, "50 (candidates that are run), 120s, 5m or 1h");
  verb->add_option("--cache", request->cache, "the file that results are kept in (default OUT.tune.jsonl)");
  verb->add_option("--simulate", request->simulate,
                   "take results from this file of an earlier search, and run nothing");
  verb->add_option("--device", request->device,
                   "vm (our machine and a model), gpu, or auto: the GPU where there is one")
      ->check(CLI::IsMember({"vm", "gpu", "auto"}));
  verb->add_option("--plan", request->plan,
                   "write everything that heddle-runner needs on a machine with a GPU to this folder");
  verb->add_option("--collect", request->collect, "take the results from such a folder");
  verb->add_option("--rounds", request->rounds, "for --plan: how often a launch is timed")
      ->check(CLI::PositiveNumber);
  verb->add_option("--copies", request->copies,
                   "for --plan: the program ends after so many copies from the device (0: by itself)");
  verb->add_option("--tol", request->tolerance, "how far results may be apart: ulp=4, rel=1e-6, abs=1e-9");
  verb->add_flag("--fill", request->fills,
                 "predict as if there were enough blocks to keep the whole device busy");
  verb->add_flag("--no-check", request->unchecked, "leave out the static check of candidates");
  verb->add_option("--make-limit", request->limits.make, "seconds for making and checking a candidate");
  verb->add_option("--compile-limit", request->limits.compile, "seconds for compiling one");
  verb->add_option("--run-limit", request->limits.run, "seconds for running one");
  verb->add_option("--compiler", request->compiler, "nvcc, clang or auto")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  verb->add_option("--top", request->top, "how many of the fastest are listed");
  verb->add_flag("--json", request->json, "everything as JSON");
  verb->add_option("--report", request->page,
                   "write everything as a page (HTML) that needs nothing beside it");
  verb->add_option("--t4", request->t4, "write the results in the T4 format of other tuners");
  verb->add_option("--t1", request->t1, "write the space in the T1 format of other tuners");
  request->source.addTo(*verb, session);
  verb->callback([request, &session] { tuneProgram(*request, session); });
}

} // namespace heddle::cli
