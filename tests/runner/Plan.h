// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan whose candidates are shell scripts: "compiled" by cp, they write the report of the timing library by
// themselves. What the runner makes of programs needs no CUDA to be tested.
#pragma once

#include "runner/Campaign.h"
#include "runner/Ledger.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace heddle::runner {

/// A report with one kernel, timed that long, and one copy with those bits (none: no copy).
inline std::string reportOf(double micros, const std::string &bits = "aa", const std::string &error = "") {
  return "cat > $HEDDLE_TIMING <<END\n{\"device\":\"a script\",\"error\":\"" + error + "\",\"copies\":[" +
         (bits.empty() ? "" : "[4,\"" + bits + "\"]") +
         "],\"kernels\":[{\"kernel\":\"k\",\"grid\":[2,1,1],\"block\":[32,1,1],\"launches\":2,\"micros\":"
         "[" +
         std::to_string(micros) + "],\"registers\":7}],\"replayed\":true}\nEND\n";
}

class Plan {
public:
  Plan() {
    char name[] = "/tmp/heddle-runner-XXXXXX";
    folder = mkdtemp(name);
    manifest.program = "script";
    manifest.runSeconds = 20;
  }
  ~Plan() { std::filesystem::remove_all(folder); }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  Plan &with(const std::string &id, const std::string &script) {
    std::ofstream(folder / (id + ".sh")) << "#!/bin/sh\necho " << id << " >> runs\n" << script;
    std::filesystem::permissions(folder / (id + ".sh"), std::filesystem::perms::owner_all);
    manifest.candidates.push_back({id, "configuration of " + id, {id + ".sh"}, {}, {}});
    return *this;
  }

  CampaignOptions options() {
    writeManifest(folder / "manifest.json", manifest);
    CampaignOptions options;
    options.folder = folder;
    options.toolchain = {"cp {files} {out}", "none"};
    options.jobs = 2;
    return options;
  }
  CampaignEnd run() { return run(options()); }
  CampaignEnd run(const CampaignOptions &options) {
    return runCampaign(options, [](const Progress &) {});
  }

  /// How often a candidate was run so far.
  int runsOf(const std::string &id) const {
    std::ifstream in(folder / "runs");
    int count = 0;
    for (std::string line; std::getline(in, line);)
      count += line == id;
    return count;
  }

  std::filesystem::path folder;
  Manifest manifest;
};

inline const Result &resultOf(const CampaignEnd &end, const std::string &id) {
  for (const Result &result : end.results)
    if (result.id == id)
      return result;
  static const Result none;
  ADD_FAILURE() << "no result for " << id << "; " << end.error;
  return none;
}

} // namespace heddle::runner
