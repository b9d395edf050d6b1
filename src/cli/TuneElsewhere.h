// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `heddle tune` leaves to other machines and other processes.
#pragma once

#include "TuneRequest.h"
#include "Verbs.h"
#include "ranks/Ranks.h"
#include "support/StartedProcess.h"
#include "tune/Executors.h"
#include "tune/Plan.h"

namespace heddle::cli {

/// --plan: makes what the strategy would look at next and writes the folder that heddle-runner takes.
void writePlan(const TuneRun &run, Session &session);

/// --collect: the results, as if it had been measured here; the cache (where there is one) then holds it
/// too, and what it held of that GPU before counts as well.
std::optional<tune::Report> collect(const TuneRun &run, tune::SearchOptions options, Session &session);

/// A search among results that are there.
tune::Report reportOn(const std::vector<tune::Kept> &kept, const TuneRun &run, tune::SearchOptions options);

/// The model, for searches that read a clock and are guided by it.
class Predictor {
public:
  Predictor(const TuneRun &run, tune::Maker &maker)
      : model(run.problem, run.arch, run.rehearsal()), executor(run.problem, maker, model, processors()) {}
  tune::Evaluator evaluator() { return {&executor, true, model.device()}; }

private:
  tune::SimulatorMeasurer model;
  tune::LocalExecutor executor;
};

/// The processes of mpirun that share one search; they are sent home when this goes.
class SharedSearch {
public:
  /// Under mpirun: joins the others. False where that fails.
  bool join(Session &session);
  ~SharedSearch();

  ranks::Ranks *ranks() const { return joined.get(); }
  bool isWorker() const { return joined && joined->rank() > 0; }

private:
  std::unique_ptr<ranks::Ranks> joined;
};

} // namespace heddle::cli
