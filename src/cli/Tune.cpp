// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle tune: read flags, make the space, search it, write the winner.
#include "GenerateKernels.h"
#include "InputOutput.h"
#include "KernelFolder.h"
#include "KernelOption.h"
#include "PlacedOutput.h"
#include "TuneElsewhere.h"
#include "TuneKernels.h"
#include "TuneRequest.h"
#include "TuneText.h"
#include "Verbs.h"
#include "build/Gpu.h"
#include "report/TuneHtml.h"
#include "support/ExitCode.h"
#include "support/Interrupts.h"
#include "support/Paths.h"
#include "support/StartedProcess.h"
#include "support/Text.h"
#include "tune/ChemMaker.h"
#include "tune/Executors.h"
#include "tune/Formats.h"
#include "tune/RankExecutor.h"
#include "tune/Winner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const aboutTune =
    R"(Try alternatives of a CUDA program and select the fastest with the same results

Examples:
  heddle tune stencil.cu -d "coarsen x=1|2|4|8 map=interleaved|blocked" -o out.cu
  heddle tune matmul.cu -d "| specialize buffers=2|3|4 | consolidate" -o out.cu    one of them, or none
  heddle tune saxpy.cu -d auto -o out.cu -- 100000                 alternatives from the analysis of the program
  heddle tune nbody.cu -d "block x=64|128|256" --flag "-maxrregcount=32|64|" --define "UNROLL=2|4" -o out.cu
  heddle tune nbody.cu -d auto --strategy genetic --budget 5m -o out.cu --report out.html --t4 out.t4.json
  heddle tune examples/hydrogen -k viscosity --option "--variant=plain|warps" --option "--warps=4|8" --fill -o kernels
  heddle tune nbody.cu -d auto --simulate out.cu.tune.jsonl --strategy annealing       how good is a strategy?

Every candidate is generated, checked statically, compiled, run and compared with the baseline, each step in a process of
its own with a time limit. The first launch of the kernel, grid and block that take longest in total is captured once and
replayed with each candidate's code; the winner is run in the whole program before it is selected. On a GPU, only
candidates that are about to win are checked statically. A candidate that hangs, crashes, has other results or does not
compile is recorded with the reason and never selected. A budget in time is for the whole command. Without a GPU, launches
are replayed on the simulator, and times are predicted by a model and marked as predictions. Candidates are compiled for
the GPU of this machine if it measures them, else for sm_90, unless --arch or compile_commands.json name another.

Results go to OUT.tune.jsonl (--cache) one by one; a search that was stopped continues from there. OUT.cu is the baseline
with #pragma heddle lines, which heddle nvcc applies while it compiles the file and heddle opt as text; other compilers ignore them.
With --apply, OUT.cu is the transformed source.

Exit code 0: done; 1: the baseline fails, or there is no GPU or no nvcc for --device gpu; 2: bad usage, no such file, or no
such kernel; 3: the file does not compile; 4: a file cannot be read or written; 130: interrupted; the best
candidate so far is written if there is one.
)";

/// Evaluates a strategy by results that are there: nothing is made and nothing is run.
std::optional<tune::Report> simulate(const TuneRun &run, tune::SearchOptions options, Session &session) {
  if (!canReadText(run.request.simulate, session))
    return std::nullopt;
  std::optional<std::vector<tune::Kept>> kept = tune::readKept(run.request.simulate);
  if (!kept) {
    complain(session, fmt::format("'{}' holds no results of heddle tune", run.request.simulate),
             "it is what an earlier search left: OUT.tune.jsonl", ExitDoesNotCompile);
    return std::nullopt;
  }
  return reportOn(*kept, run, std::move(options));
}

/// The GPU where there is one and nothing else was requested; else the simulator and the model. Nothing, and
/// a complaint, where a GPU was asked for and cannot be used.
std::unique_ptr<tune::Measurer> measurerFor(const TuneRun &run, Session &session) {
  const std::string &device = run.request.device;
  if (device != "sim" && (device == "gpu" || !build::gpuName().empty())) {
    auto gpu = std::make_unique<tune::GpuMeasurer>(run.problem);
    if (gpu->error().empty())
      return gpu;
    if (device == "gpu") {
      complain(session, gpu->error(), "--device sim predicts; --plan is for a GPU elsewhere", ExitRefused);
      return nullptr;
    }
  }
  return std::make_unique<tune::SimulatorMeasurer>(run.problem, run.arch, run.rehearsal());
}

std::optional<tune::Report> search(TuneRun &run, tune::SearchOptions options, ranks::Ranks *ranks,
                                   Session &session) {
  std::unique_ptr<tune::Maker> maker = run.maker();
  std::unique_ptr<tune::Measurer> measurer = measurerFor(run, session);
  if (!measurer)
    return std::nullopt;
  tune::LocalExecutor own(run.problem, *maker, *measurer, processors());
  rememberKept(run, *measurer, own);
  if (const std::unique_ptr<ReplayDevice> device = ranks ? nullptr : replayDeviceOf(run, *measurer))
    if (auto report = searchKernels(run, options, *device, own))
      return report;
  if (!run.spellOut(session))
    return std::nullopt;
  std::optional<tune::RankExecutor> shared;
  if (ranks)
    shared.emplace(*ranks, own, run.problem);
  tune::Evaluator evaluator{shared ? static_cast<tune::Executor *>(&*shared) : &own, measurer->predicts(),
                            measurer->device()};
  Predictor predictor(run, *maker);
  if (!measurer->predicts())
    options.predictor = predictor.evaluator();
  if (options.budget.seconds)
    options.budget.seconds = run.secondsForSearch(0);
  const StopOnInterrupt stop(whatAnInterruptDoes);
  return tune::Search(run.problem, run.space, evaluator, run.cache.get(), options).run();
}

/// What every process of mpirun but the first does.
void serve(const TuneRun &run, ranks::Ranks &ranks, Session &session) {
  std::unique_ptr<tune::Maker> maker = run.maker();
  std::unique_ptr<tune::Measurer> measurer = measurerFor(run, session);
  if (!measurer)
    return;
  tune::LocalExecutor executor(run.problem, *maker, *measurer);
  tune::serveConfigurations(ranks, executor);
}

/// What a compiler or the simulator reports of the baseline. It is compiled as a copy in a temporary folder, whose lines are those of the file.
std::string reasonInTheFile(std::string reason, const std::string &file) {
  std::error_code ignored;
  const std::string folder = (fs::temp_directory_path(ignored) / TemporaryFolder::prefix).string();
  const std::string name = "/" + fs::path(file).filename().string();
  const size_t begin = reason.find(folder), end = reason.find(name, begin);
  if (end != std::string::npos)
    reason.replace(begin, end + name.size() - begin, file);
  return reason;
}

/// The baseline could not be measured: that is the whole answer.
void complainOfBaseline(const tune::Report &report, const TuneRequest &request, Session &session) {
  const runner::Result &result = report.baseline().evaluation.result;
  if (result.reason.starts_with(runner::noLaunch))
    return complainOfNoLaunch("", {}, session);
  const bool isMechanism = tune::isMechanism(request.files.front());
  const bool isCode = isMechanism || result.status == runner::Status::DoesNotCompile;
  complain(session,
           fmt::format("the baseline itself {}: {}",
                       isMechanism ? "cannot be generated"
                       : isCode    ? "does not compile"
                                   : "cannot be measured",
                       reasonInTheFile(result.reason, request.files.front())),
           fmt::format("heddle {} {}{} should work first", isMechanism ? "chem" : "run",
                       request.files.front(), isMechanism ? " -o DIR" : ""),
           isCode ? ExitDoesNotCompile : ExitRefused);
}

/// Makes the winner once more and writes it; what was made is left in the report. True where the file has pragmas
/// that are still to be carried out.
bool writeWinner(const TuneRun &run, tune::Report &report, Session &session) {
  const tune::Configuration &configuration = report.written();
  if (tune::isMechanism(run.problem.file)) {
    if (run.request.output.empty())
      return false;
    const tune::ChemMaker maker(run.problem, run.chemWords(), generateKernels);
    if (std::string wrong = maker.generate(configuration, run.request.output); !wrong.empty())
      complain(session, wrong, "-o names a folder", ExitInputOutput);
    return false;
  }
  tune::Problem problem = run.problem;
  problem.checked = false; // it was, before it could win
  tune::Made made = tune::CudaMaker(problem).make(configuration);
  report.baselineText = run.problem.text;
  if (!made.candidate) {
    complain(session, fmt::format("'{}' cannot be generated again: {}", configuration.str(), made.reason),
             "the file may have changed since the search", ExitRefused);
    return false;
  }
  report.winnerText = made.candidate->files.front().text;
  if (run.request.output.empty())
    return false;
  tune::WinnerFile file = run.request.apply
                              ? tune::transformedWinner(run.problem, configuration, report.winnerText)
                              : tune::winnerFile(run.problem, configuration, report.winnerText);
  Diagnostics diagnostics;
  const std::optional<std::string> placed =
      placedText(file.text, {run.problem.file, run.request.output}, run.problem.compile, diagnostics);
  print(std::cerr, diagnostics, session.errorColour);
  if (!placed)
    session.exitCode = ExitRefused;
  const bool isWritten = placed && write(run.request.output, *placed, session);
  if (isWritten && !file.reproduces && !run.request.apply)
    std::cerr << "heddle: #pragma heddle lines cannot express the winner, so the output is the transformed "
                 "source\n";
  return isWritten && file.reproduces && !configuration.directives.empty();
}

void writeFormats(const TuneRun &run, const tune::Report &report, Session &session) {
  if (!run.request.t4.empty())
    write(run.request.t4, tune::t4Json(report), session);
  if (!run.request.t1.empty())
    write(run.request.t1, tune::t1Json(report, run.problem, run.budget), session);
  if (!run.request.page.empty())
    write(run.request.page, report::tuneHtml(report), session);
}

std::optional<tune::Report> findOut(TuneRun &run, ranks::Ranks *ranks, Session &session) {
  ProgressLine progress(run.budget, run.begin);
  tune::SearchOptions options = run.searchOptions();
  options.watch = [&progress](const tune::Report &report) { progress.show(report); };
  options.isStopped = StopOnInterrupt::isAsked;
  std::optional<tune::Report> report = !run.request.simulate.empty()  ? simulate(run, options, session)
                                       : !run.request.collect.empty() ? collect(run, options, session)
                                                                      : search(run, options, ranks, session);
  progress.clear();
  return report;
}

/// How a search that was interrupted is resumed.
std::string resumeText(const TuneRun &run) {
  return run.cache ? fmt::format("results so far are in '{}': the same command goes on from there",
                                 run.cacheFile().string())
                   : "with -o or --cache, results are kept, and the same command goes on from there";
}

/// The files that every folder of kernels has.
bool canReplaceIn(const std::string &folder, Session &session) {
  Diagnostics diagnostics;
  refuseToReplace({"README.md", "CMakeLists.txt"}, folder, diagnostics);
  print(std::cerr, diagnostics, session.errorColour);
  if (!diagnostics.empty())
    session.exitCode = ExitRefused;
  return diagnostics.empty();
}

/// Asked before the search, which may take hours.
bool outputsCanBeWritten(const TuneRequest &request, Session &session) {
  const bool makesFolder = tune::isMechanism(request.files.front());
  bool all = makesFolder ? canFill(request.output, session) : canWrite(request.output, session);
  all &= !makesFolder || request.output.empty() || canReplaceIn(request.output, session);
  for (const std::string &file : {request.t4, request.t1, request.page})
    all &= canWrite(file, session);
  return all;
}

void tuneProgram(TuneRequest &request, Session &session) {
  std::unique_ptr<TuneRun> run = readTuneRun(request, session);
  if (!run || !outputsCanBeWritten(request, session))
    return;
  SharedSearch together;
  if (!together.join(session))
    return;
  if (together.isWorker())
    return serve(*run, *together.ranks(), session);
  if (request.simulate.empty() && !run->openCache(session))
    return;
  if (run->cache)
    setResumeHint(resumeText(*run));
  if (!request.plan.empty())
    return writePlan(*run, session);

  std::optional<tune::Report> report = findOut(*run, together.ranks(), session);
  if (!report)
    return;
  if (StopOnInterrupt::isAsked() && !report->winner()) {
    std::cerr << "heddle: " << resumeText(*run) << "\n";
    session.exitCode = ExitInterrupted;
    return;
  }
  report->program = request.files.front();
  report->arguments = fmt::format("{}", fmt::join(session.programArguments, " "));
  if (report->spaceText.empty()) {
    report->spaceText = typed(run->words);
    report->notTried = run->words.notTried;
  }
  report->budget = request.budget;
  report->seed = std::to_string(request.seed);
  if (!report->winner())
    return complainOfBaseline(*report, request, session);
  const bool hasPragmas = request.simulate.empty() && writeWinner(*run, *report, session);
  writeFormats(*run, *report, session);
  if (std::string warning = report->warning(); !warning.empty())
    std::cerr << fmt::format("heddle: {}\n", warning);
  if (report->unkept)
    std::cerr << fmt::format("heddle: {} could not be written to the cache: is the disk full?\n",
                             counted(report->unkept, "result"));
  if (StopOnInterrupt::isAsked()) {
    std::cerr << "heddle: the search is not complete; " << resumeText(*run) << "\n";
    session.exitCode = ExitInterrupted;
  }
  const PredictedSize size = request.fills           ? PredictedSize::Filled
                             : request.small.empty() ? PredictedSize::AsLaunched
                                                     : PredictedSize::OfOtherArguments;
  std::cout << (request.json ? tune::reportJson(*report)
                             : tuneText(*report, request.top, request.output, hasPragmas, run->problem,
                                        run->arch, size));
  if (!request.json && request.output.empty() && request.simulate.empty())
    std::cout << "not written: -o FILE keeps the winner, and all results in FILE.tune.jsonl\n";
}

} // namespace

void addTune(CLI::App &app, Session &session) {
  auto request = std::make_shared<TuneRequest>();
  CLI::App *verb = app.add_subcommand("tune", aboutTune);
  request->addTo(*verb, session);
  verb->callback([request, &session] { tuneProgram(*request, session); });
}

} // namespace heddle::cli
