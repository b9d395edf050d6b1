// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside the manifest lie
//
//   results.jsonl            the ledger
//   work/reference.json      what the baseline copies to the host, there before the baseline's line is in the ledger
//   work/begun               the id of the candidate that is being measured, and how many lines it had before
//   work/...                 compiled programs and reports, gone when their result is written
//
// A runner that finds an id in `begun` that got no line since knows that a runner died with it: a candidate may
// take a machine down. It is written down as lost, tried again at the end of that run, and left alone when it
// was lost twice.
#include "runner/Campaign.h"

#include "runner/CompileAhead.h"
#include "runner/Ledger.h"
#include "support/ExitCode.h"
#include "support/Files.h"

#include <algorithm>
#include <cerrno>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::runner {
namespace {

constexpr unsigned kMostLosses = 2;

class Campaign {
public:
  Campaign(const CampaignOptions &options, const std::function<void(const Progress &)> &report)
      : options(options), report(report), work(options.folder / "work") {}

  CampaignEnd run();

private:
  bool prepare();
  bool noteWhoWasLost();
  bool measureBaseline();
  void measureAll(const std::vector<const Candidate *> &candidates);
  bool measureOne(const Candidate &candidate, const Compiled &compiled);
  bool isWanted(const Candidate &candidate) const;
  bool isOpen(const Candidate &candidate) const;
  std::vector<const Candidate *> toDo(bool lost) const;
  size_t linesOf(const std::string &id) const;
  void countDone();
  void count(const Candidate &candidate, const Result &result);
  bool fails(std::string why, int exitCode) {
    end.error = std::move(why);
    end.exitCode = exitCode;
    return false;
  }
  bool fails(const FileFailure &failure) {
    return fails(failure.file.string() + ": " + failure.text(), failure.exitCode());
  }
  /// With errno of the write that failed.
  bool failsToKeepResults() {
    return fails({options.folder / "results.jsonl", FileFailure::Doing::Write, errno});
  }

  const CampaignOptions &options;
  const std::function<void(const Progress &)> &report;
  fs::path work;
  Manifest manifest;
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<CandidateRuns> measurer;
  Progress progress;
  CampaignEnd end;
};

bool Campaign::prepare() {
  std::optional<Manifest> found = readManifest(options.folder / "manifest.json", end.error, &end.exitCode);
  if (!found)
    return false;
  manifest = std::move(*found);
  for (const std::string &id : options.only)
    if (std::none_of(manifest.candidates.begin(), manifest.candidates.end(),
                     [&](const Candidate &candidate) { return candidate.id == id; }))
      return fails("no candidate has the id '" + id + "'", ExitBadUsage);
  if (std::optional<FileFailure> failure = whyNotWritable(options.folder / "results.jsonl"))
    return fails(*failure);
  ledger = Ledger::open(options.folder / "results.jsonl", end.error);
  if (!ledger)
    return fails(end.error, ExitRefused);
  if (std::optional<FileFailure> failure = makeFolder(work))
    return fails(*failure);
  measurer = std::make_unique<CandidateRuns>(manifest, options.folder, work, options.toolchain);
  measurer->environment = options.environment;
  std::string problem = measurer->prepare();
  return problem.empty() || fails(problem, ExitRefused);
}

size_t Campaign::linesOf(const std::string &id) const {
  return size_t(std::count_if(ledger->results().begin(), ledger->results().end(),
                              [&](const Result &result) { return result.id == id; }));
}

bool Campaign::noteWhoWasLost() {
  std::istringstream begun(contentsOf(work / "begun"));
  std::string id;
  size_t lines = 0;
  if (!(begun >> lines && std::getline(begun >> std::ws, id)) || linesOf(id) != lines)
    return true;
  return ledger->append(resultNow(id, Status::Lost, "the runner died while this was measured")) ||
         failsToKeepResults();
}

bool Campaign::isWanted(const Candidate &candidate) const {
  return options.only.empty() || options.only.count(candidate.id) || &candidate == &manifest.candidates[0];
}

/// Has no result yet, or none that says anything.
bool Campaign::isOpen(const Candidate &candidate) const {
  const Result *newest = ledger->newest(candidate.id);
  if (!newest)
    return true;
  return newest->status == Status::Lost &&
         (options.againLost || ledger->timesLost(candidate.id) < kMostLosses);
}

std::vector<const Candidate *> Campaign::toDo(bool lost) const {
  std::vector<const Candidate *> wanted;
  for (const Candidate &candidate : manifest.candidates)
    if (isWanted(candidate) && isOpen(candidate) && bool(ledger->newest(candidate.id)) == lost)
      wanted.push_back(&candidate);
  return wanted;
}

void Campaign::count(const Candidate &candidate, const Result &result) {
  ++progress.done;
  progress.failed += result.status != Status::Measured;
  if (result.status == Status::Measured && (!progress.best || result.micros < progress.bestMicros)) {
    progress.best = &candidate;
    progress.bestMicros = result.micros;
  }
}

void Campaign::countDone() {
  for (const Candidate &candidate : manifest.candidates) {
    progress.of += isWanted(candidate);
    if (isWanted(candidate) && !isOpen(candidate))
      count(candidate, *ledger->newest(candidate.id));
  }
}

bool Campaign::measureOne(const Candidate &candidate, const Compiled &compiled) {
  if (auto failure =
          writeFile(work / "begun", std::to_string(linesOf(candidate.id)) + " " + candidate.id, Durable::Yes))
    return fails(*failure);
  const bool hadReference = measurer->reference().has_value();
  Result result = measurer->measure(candidate, compiled);
  std::error_code ignored;
  fs::remove(compiled.program, ignored);
  if (!hadReference && measurer->reference())
    if (auto failure = writeFile(work / "reference.json", toJson(*measurer->reference()), Durable::Yes))
      return fails(*failure);
  if (!ledger->append(result))
    return failsToKeepResults();
  ++end.measured;
  count(candidate, result);
  progress.candidate = &candidate;
  progress.result = &result;
  report(progress);
  return true;
}

void Campaign::measureAll(const std::vector<const Candidate *> &candidates) {
  unsigned jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  CompileAhead compilers(*measurer, candidates, jobs);
  for (const Candidate *candidate : candidates)
    if (!measureOne(*candidate, compilers.take()))
      return;
}

/// What others are compared with: from an earlier run, or by measuring it now.
bool Campaign::measureBaseline() {
  const Candidate &baseline = manifest.candidates[0];
  if (isOpen(baseline))
    measureAll({&baseline});
  if (!end.error.empty())
    return false;
  const Result &result = *ledger->newest(baseline.id);
  if (result.status != Status::Measured)
    return fails("the baseline cannot be measured, so there is nothing to compare with: " +
                     std::string(nameOf(result.status)) + ": " + result.reason,
                 result.status == Status::DoesNotCompile ? ExitDoesNotCompile : ExitRefused);
  auto known = referenceFromJson(contentsOf(work / "reference.json"));
  if (known && known->id == baseline.id)
    measurer->setReference(*known);
  else // its line is there, but the record of its copies is gone, or of another baseline
    measurer->compileAndMeasure(baseline);
  return measurer->reference() || fails("the baseline does not run any more", ExitRefused);
}

CampaignEnd Campaign::run() {
  if (!prepare() || !noteWhoWasLost())
    return end;
  countDone();
  if (measureBaseline())
    measureAll(toDo(false));
  if (end.error.empty())
    measureAll(toDo(true));
  std::error_code ignored;
  if (end.error.empty())
    fs::remove(work / "begun", ignored);
  for (const Candidate &candidate : manifest.candidates)
    if (const Result *newest = ledger->newest(candidate.id))
      end.results.push_back(*newest);
  return end;
}

} // namespace

CampaignEnd runCampaign(const CampaignOptions &options, const std::function<void(const Progress &)> &report) {
  return Campaign(options, report).run();
}

} // namespace heddle::runner
