// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/ReplayModel.h"

#include "support/Files.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::tune {
namespace {

using runner::Result;
using runner::Status;

std::string identityOf(const Candidate &candidate) {
  const ReplayLaunch &launch = *candidate.replay.launch;
  return digestOf(
      {contentsOf(candidate.replay.module), launch.kernel,
       fmt::format("{} {} {} {} {} {} {} {}", launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                   launch.block[1], launch.block[2], launch.sharedBytes, launch.isCooperative)});
}

/// The launch of that kernel that the file has.
std::optional<counts::LaunchFacts> factsIn(const std::filesystem::path &file, const std::string &kernel) {
  counts::ProgramCounters counters;
  if (!counts::readCounters(file, counters))
    return std::nullopt;
  const auto found = std::ranges::find(counters.launches, kernel, &counts::LaunchFacts::kernel);
  return found == counters.launches.end() ? std::nullopt : std::optional(*found);
}

} // namespace

double ReplayModel::Size::scaleOf(const counts::LaunchFacts &baseline, const arch::Arch &arch) const {
  return fills            ? counts::factorToFill(baseline, arch)
         : fullBlocks > 0 ? std::max(1.0, fullBlocks / baseline.blocks())
                          : 1;
}

ReplayModel::ReplayModel(const arch::Arch &arch, Size size, std::string device)
    : arch(arch), size(size), name(std::move(device)) {}

std::vector<std::string> ReplayModel::environment() const {
  return {"HEDDLE_ARCH=" + arch.name, "HEDDLE_CORES=0", "HEDDLE_TIMEOUT=0",
          "HEDDLE_DATA=" + dataFolder("arch").parent_path().string(),
          "HEDDLE_COUNTERS=" + (scratch.path() / "at-end.json").string()};
}

const std::string *ReplayModel::reply(const Candidate &candidate) const {
  const auto found = known.find(identityOf(candidate));
  return found == known.end() ? nullptr : &found->second.reply;
}

void ReplayModel::learn(const Candidate &candidate, const std::string &reply) {
  known[identityOf(candidate)] = {reply, factsIn(countersFile(), candidate.replay.launch->kernel)};
  std::error_code ignored;
  std::filesystem::remove(countersFile(), ignored); // the next candidate may have none
}

void ReplayModel::predict(const Candidate &candidate, Result &result) {
  const auto found = known.find(identityOf(candidate));
  if (found == known.end() || !found->second.facts) {
    result.status = Status::Crashed;
    result.reason = "the counters of its launch are missing, so no time can be predicted";
    return;
  }
  counts::LaunchFacts facts = *found->second.facts;
  if (const auto needs = candidate.needs.find(facts.kernel); needs != candidate.needs.end()) {
    facts.registers = needs->second.registers;
    facts.spillBytes = needs->second.spillBytes;
  }
  if (candidate.isBaseline())
    scale = size.scaleOf(facts, arch);
  facts = counts::scaled(facts, scale);
  const model::Estimate estimate = counts::estimate(facts, arch);
  if (!estimate.impossible.empty()) {
    result.status = Status::Crashed;
    result.reason = "it cannot be launched: " + estimate.impossible;
    return;
  }
  runner::KernelTime time;
  time.kernel = facts.kernel;
  std::copy_n(facts.grid, 3, time.grid);
  std::copy_n(facts.block, 3, time.block);
  time.launches = time.samples = 1;
  time.micros = time.q1 = time.q3 = estimate.micros;
  time.registers = facts.registers;
  time.spillBytes = facts.spillBytes;
  time.sharedBytes = facts.sharedBytes;
  time.occupancy = estimate.occupancy;
  result.kernels = {time};
  result.micros = result.q1 = result.q3 = estimate.micros;
}

} // namespace heddle::tune
