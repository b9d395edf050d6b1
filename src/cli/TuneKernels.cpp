// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneKernels.h"

#include "support/Interrupts.h"
#include "support/StartedProcess.h"
#include "tune/Confirmation.h"
#include "tune/Gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace heddle::cli {
namespace {

/// After this multiple of the budget no other candidate is run in the whole program.
constexpr double latest = 1.25;
/// Of what is left of the budget: for comparing one candidate in the whole program, while others wait.
constexpr double mostForOne = 0.5;

/// Searches one kernel after the other.
class KernelSearches {
public:
  KernelSearches(const TuneRun &run, const tune::SearchOptions &options, ReplayProgram &program,
                 tune::LocalExecutor &whole)
      : run(run), options(options), program(program), confirmation(whole, processors()), whole(whole) {
    confirmation.stopWhen([this] {
      return this->run.budget.seconds && this->run.seconds() > latest * *this->run.budget.seconds;
    });
  }

  /// False, and `whyNot`, where the kernel that takes longest cannot be replayed.
  bool all(std::string &whyNot) {
    const StopOnInterrupt stop(whatAnInterruptDoes);
    const tune::KernelPlan &plan = program.plan();
    for (size_t i = 0; i < plan.tuned.size(); ++i) {
      whyNot.clear();
      if (i > 0 && StopOnInterrupt::isAsked())
        whyNot = "the search was interrupted";
      else if (isUsedUp(i))
        whyNot = "the budget is used up";
      else
        one(i, whyNot);
      if (i == 0 && !whyNot.empty())
        return false;
      note(plan.tuned[i], whyNot);
    }
    for (const tune::KernelShare &kernel : plan.left)
      note(kernel, "its launches take too little time");
    return true;
  }

  tune::Report together() {
    reports.front().chosen = confirmation.chosen();
    reports.front().wholeProgram = confirmation.times();
    for (size_t i = 0; i < reports.size(); ++i)
      if (const tune::Report::Entry *winner = reports[i].winner()) {
        tune::Report::Kernel &kernel = *std::ranges::find(kernels, names[i], &tune::Report::Kernel::name);
        kernel.best = winner->evaluation.configuration.str();
        kernel.bestMicros = winner->evaluation.result.micros;
        kernel.baselineMicros = reports[i].baseline().evaluation.result.micros;
        kernel.tried = reports[i].entries.size();
      }
    if (kernels.size() > 1)
      reports.front().kernels = kernels;
    return std::move(reports.front());
  }

private:
  /// One report, or `whyNot`.
  void one(size_t index, std::string &whyNot) {
    while (!hasSearched(index, whyNot))
      whyNot.clear();
  }

  /// False where it began before the program had ended, and its end shows that it has to begin again.
  bool hasSearched(size_t index, std::string &whyNot) {
    const bool isEarly = program.isRunning();
    const tune::KernelShare kernel = program.plan().tuned[index];
    const std::optional<SpelledSpace> space = spaceOf(kernel, whyNot);
    const std::unique_ptr<ReplaySearch> replay = space ? program.capture(kernel, whole, whyNot) : nullptr;
    if (!replay && isEarly) { // the program may have the memory that a replay needs
      program.holdsAtEnd();
      return false;
    }
    if (!replay)
      return true;
    if (!isEarly)
      noteOnLaunches(kernel);
    tune::LocalExecutor executor(replay->problem, *replay->maker, *replay->measurer, processors());
    rememberKept(run, *replay->measurer, executor);
    tune::SearchOptions own = options;
    own.budget = tune::partOf(left(index), program.plan(), index);
    replay->measurer->runProgramWhere([&] { return hasTimeForProgram(index); });
    bool hasOtherBits = false; // the best so far
    own.isStopped = [&] {
      return options.isStopped() || (hasOtherBits && isLateForOtherBits(index)) ||
             (isEarly && (!program.holds() || (!program.isRunning() && isLate(index, 0))));
    };
    if (!replay->measurer->predicts()) { // the simulator needs the processors itself
      own.watch = [&](const tune::Report &report) {
        if (options.watch)
          options.watch(report);
        hasOtherBits = report.winner() && !tune::hasSameBits(report.winner()->evaluation.result);
        confirmation.follow(report);
      };
      executor.whileWaiting([&] {
        confirmation.goOn();
        program.holds();
      });
    }
    tune::Report report = tune::Search(replay->problem, space->space,
                                       {&executor, replay->measurer->predicts(), replay->measurer->device()},
                                       run.cache.get(), own)
                              .run();
    if (isEarly) {
      if (!program.holdsAtEnd())
        return false;
      noteOnLaunches(program.plan().tuned[index]);
    }
    report.spaceText = typed(space->words);
    report.notTried = space->words.notTried;
    for (const tune::Report::Entry &entry : report.entries)
      runs += tune::wasRun(entry.evaluation);
    if (!reports.empty() && !report.winner()) {
      whyNot =
          report.entries.empty() ? "the budget is used up" : report.entries.front().evaluation.result.reason;
      return true;
    }
    confirm(report);
    reports.push_back(std::move(report));
    names.push_back(kernel.name);
    return true;
  }

  /// What is known when the program has ended.
  void noteOnLaunches(const tune::KernelShare &kernel) {
    if (const std::string plan = program.plan().str(); !plan.empty() && reports.empty())
      std::cerr << fmt::format("heddle: note: {}\n", plan);
    if (const std::string text = kernel.note(); !text.empty())
      std::cerr << fmt::format("heddle: note: {}\n", text);
  }

  void confirm(tune::Report &report) {
    std::vector<runner::Status> before;
    for (const tune::Report::Entry &entry : report.entries)
      before.push_back(entry.evaluation.result.status);
    confirmation.confirm(report);
    for (size_t i = 0; i < before.size(); ++i) // a search that is resumed must not begin with them
      if (run.cache && report.entries[i].evaluation.result.status != before[i] &&
          !run.cache->append(report.entries[i].evaluation))
        ++report.unkept;
  }

  /// Directives name the kernel where the file has others that they are not for.
  std::optional<SpelledSpace> spaceOf(const tune::KernelShare &kernel, std::string &whyNot) const {
    const bool isOneOfSeveral = run.problem.kernel.empty() && program.plan().hasOthers;
    if (!isOneOfSeveral && run.isSpelledOut)
      return SpelledSpace{run.words, run.space};
    tune::Problem problem = run.problem;
    problem.kernel = kernel.name;
    auto made = spelledSpace(problem, run.request.space, program.spaceOf(kernel.name));
    if (auto *none = std::get_if<NoSpace>(&made)) {
      whyNot = fmt::format("{} ({})", none->text, none->hint);
      return std::nullopt;
    }
    SpelledSpace space = std::move(std::get<SpelledSpace>(made));
    if (isOneOfSeveral)
      space.space.limitTo(kernel.name);
    return space;
  }

  void note(const tune::KernelShare &kernel, const std::string &whyNot) {
    tune::Report::Kernel noted;
    noted.name = kernel.name;
    noted.share = kernel.share;
    noted.isOfTime = program.plan().sharesAreOf != tune::KernelPlan::Of::Instructions;
    noted.launches = kernel.launches;
    noted.whyNot = whyNot;
    kernels.push_back(noted);
  }

  /// What confirming the winners of this kernel and of those after it takes: the baseline is run twice, then each winner once.
  double reserved(size_t index) const {
    const double compared =
        whole.hasBaseline() ? 0 : program.secondsOfRun(true) + program.secondsOfRun(false);
    return compared + double(program.plan().tuned.size() - index) * program.secondsOfRun(true);
  }
  /// Of the budget, which is for the whole command.
  tune::Budget left(size_t index) const {
    tune::Budget budget = run.budget;
    if (budget.seconds)
      budget.seconds = index == 0 ? run.secondsForSearch(reserved(index))
                                  : *run.budget.seconds - run.seconds() - reserved(index);
    if (budget.runs)
      budget.runs = *budget.runs > runs ? *budget.runs - runs : 0;
    return budget;
  }
  /// To compare results of a candidate in the middle of a search: it is run, and where bits differ, it and the baseline run again
  /// with nothing fused. One candidate must not use up what others need.
  bool hasTimeForProgram(size_t index) const {
    if (StopOnInterrupt::isAsked())
      return false;
    if (!run.budget.seconds)
      return true;
    const double seconds = program.secondsOfRun(true) + secondsForFusion();
    return seconds < mostForOne * (*run.budget.seconds - run.seconds() - reserved(index));
  }
  /// To find out in the whole program whether other bits come from fused multiplications: baseline and candidate are compiled at the
  /// same time, and run one after the other.
  double secondsForFusion() const { return program.secondsOfBuild() + 2 * program.secondsOfRun(false); }
  /// A search whose best candidate has other bits ends earlier, as that one takes longer to confirm; but not before a quarter of
  /// the budget, as others.
  bool isLateForOtherBits(size_t index) const { return isLate(index, secondsForFusion()); }
  /// What has to be done after the search, and so many seconds, need what is left of the budget.
  bool isLate(size_t index, double further) const {
    return run.budget.seconds && run.seconds() > *run.budget.seconds / 4 &&
           run.seconds() + reserved(index) + further > *run.budget.seconds;
  }
  bool isUsedUp(size_t index) const {
    if (reports.empty())
      return false;
    const tune::Budget budget = left(index);
    return (budget.seconds && *budget.seconds <= 0) || (budget.runs && *budget.runs < 2);
  }

  const TuneRun &run;
  const tune::SearchOptions &options;
  ReplayProgram &program;
  tune::Confirmation confirmation;
  tune::LocalExecutor &whole;
  uint64_t runs = 0;
  std::vector<tune::Report> reports;
  std::vector<std::string> names; ///< of the kernels that they are of
  std::vector<tune::Report::Kernel> kernels;
};

} // namespace

void rememberKept(const TuneRun &run, const tune::Measurer &measurer, tune::LocalExecutor &executor) {
  if (run.cache)
    for (const tune::Kept &kept : run.cache->all())
      if (kept.result.predicted == measurer.predicts() && kept.result.device == measurer.device())
        executor.remember(kept.digest, kept.result);
}

std::optional<tune::Report> searchKernels(const TuneRun &run, const tune::SearchOptions &options,
                                          ReplayDevice &device, tune::LocalExecutor &whole) {
  std::string whyNot;
  if (const std::unique_ptr<ReplayProgram> program = ReplayProgram::open(run, device, whyNot)) {
    KernelSearches searches(run, options, *program, whole);
    if (searches.all(whyNot))
      return searches.together();
  }
  if (StopOnInterrupt::isAsked())
    return tune::Report();
  if (!whyNot.empty())
    std::cerr << fmt::format("heddle: note: each candidate is {} in the whole program: {}\n",
                             device.whatIsDone(), whyNot);
  return std::nullopt;
}

} // namespace heddle::cli
