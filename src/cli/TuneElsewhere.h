// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `heddle tune` leaves to other machines and other processes.
#pragma once

#include "Verbs.h"
#include "ranks/Ranks.h"
#include "tune/Plan.h"

namespace heddle::cli {

/// --plan: makes every candidate of the space and writes the folder that heddle-runner takes.
void writePlan(const tune::Space &space, tune::Maker &maker, tune::Plan &plan, const std::string &folder,
               Session &session);

/// --collect: everything that came back, which the cache (where there is one) then holds too.
std::optional<std::vector<tune::Kept>> collectResults(const std::string &folder, const tune::Space &space,
                                                      const tune::Problem &problem, tune::Cache *cache,
                                                      Session &session);

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
