// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Ledger.h"
#include "tune/Plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using PlainJson = nlohmann::json;
using runner::Result;
using runner::Status;

/// The newest result of each candidate that says anything.
std::map<std::string, Result> resultsIn(const fs::path &folder) {
  std::map<std::string, Result> newest;
  for (const Result &result : runner::readResults(folder / "results.jsonl"))
    if (result.status != Status::Lost)
      newest.insert_or_assign(result.id, result);
  return newest;
}

/// What the plan itself knew of a configuration, or what the runner found out about it or about the same program.
std::optional<Kept> keptResults(const PlainJson &entry, const std::map<std::string, Result> &results) {
  Kept kept{entry.at("configuration"), entry.value("program", ""), entry.value("same_as", ""), {}};
  const std::string id = entry.at("id");
  if (entry.contains("result"))
    kept.result = runner::resultFromJson(entry["result"].dump()).value_or(Result());
  else if (auto found = results.find(kept.sameAs.empty() ? id : kept.sameAs); found != results.end())
    kept.result = found->second;
  else
    return std::nullopt;
  kept.result.id = id;
  kept.result.makeSeconds = entry.value("make_seconds", 0.0);
  kept.result.failsCheck = entry.value("fails_check", "");
  return kept;
}

constexpr uint64_t kMostPoints = 100'000;

bool takeOne(const Configuration &configuration, const Collected &collected, const Problem &problem,
             Cache &cache) {
  auto found = collected.byId.find(problem.idOf(configuration));
  if (found == collected.byId.end())
    return false;
  const Kept &kept = found->second;
  if (cache.find(kept.result.id, false, kept.result.device))
    return false;
  return cache.append({configuration, kept.result, kept.digest, kept.sameAs});
}

} // namespace

size_t takeOver(const Collected &collected, const Space &space, const Problem &problem, Cache &cache) {
  size_t taken = takeOne({}, collected, problem, cache);
  for (const Point &point : space.distinct(kMostPoints))
    if (Configuration configuration = space.configurationAt(point); !configuration.isBaseline())
      taken += takeOne(configuration, collected, problem, cache);
  return taken;
}

std::optional<Collected> collect(const fs::path &folder, const Problem &problem, std::string &error) {
  const fs::path file = folder / "plan.json";
  const PlainJson plan = PlainJson::parse(std::ifstream(file), nullptr, false);
  if (!plan.is_object() || plan.value("schema", "") != "heddle.plan-entries/2") {
    error = fmt::format("'{}' is not there, or not what heddle tune --plan wrote", file.string());
    return std::nullopt;
  }
  if (plan.value("problem", "") != problem.digest()) {
    error = fmt::format(
        "'{}' is a plan of another program, or of this one with other arguments, flags, tolerance or text",
        folder.string());
    return std::nullopt;
  }
  const std::map<std::string, Result> results = resultsIn(folder);
  Collected collected;
  for (const PlainJson &entry : plan.at("entries")) {
    std::optional<Kept> kept = keptResults(entry, results);
    collected.missing += !kept;
    if (!kept)
      continue;
    if (kept->result.status == Status::Measured)
      collected.device = kept->result.device;
    collected.byId.insert_or_assign(kept->result.id, std::move(*kept));
  }
  return collected;
}

} // namespace heddle::tune
