// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Manifest.h"
#include "runner/Result.h"
#include "runner/Toolchain.h"

#include <functional>
#include <set>

namespace heddle::runner {

struct CampaignOptions {
  std::filesystem::path folder; ///< with manifest.json; results.jsonl is written beside it
  Toolchain toolchain;
  unsigned jobs = 0;          ///< compilers at once; 0: as many as there are cores
  std::set<std::string> only; ///< ids; empty: all. The baseline is measured all the same: others need it.
  bool againLost = false;     ///< also those that were lost twice
  std::vector<std::string> environment; ///< for the programs
};

/// Progress, reported after each result.
struct Progress {
  size_t done = 0, of = 0; ///< `done` counts what earlier runs measured too
  size_t failed = 0;       ///< of those
  const Candidate *best = nullptr;
  double bestMicros = 0;
  const Candidate *candidate = nullptr; ///< the newest, and its result
  const Result *result = nullptr;
};

struct CampaignEnd {
  std::string error;           ///< what stopped it before its end
  int exitCode = 0;            ///< of a program that ends with it, by support/ExitCode.h
  size_t measured = 0;         ///< results that this run added
  std::vector<Result> results; ///< the newest of each candidate
};

/// Measures what the ledger of a plan does not hold yet, in the manifest's order: the baseline first.
///
/// Compiling goes ahead on other threads; measuring is one at a time. A candidate during which we were killed
/// is found as lost by the next run and tried again at its end, once.
CampaignEnd runCampaign(const CampaignOptions &options, const std::function<void(const Progress &)> &report);

} // namespace heddle::runner
