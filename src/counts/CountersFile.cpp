// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters go from the program that ran to the process that started it as JSON, which people and scripts read too.
#include "counts/Facts.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace heddle::counts {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *Schema = "heddle.counters/1";

/// One list of the plain sums, so that writer and reader cannot part.
template <class Sums, class Use> void eachSum(Sums &s, Use use) {
  use("warps", s.warps), use("divergentWarps", s.divergentWarps);
  use("branches", s.branches), use("divergentBranches", s.divergentBranches);
  use("sharedRequests", s.sharedRequests), use("sharedWavefronts", s.sharedWavefronts);
  use("sharedConflicts", s.sharedConflicts);
  use("globalRequests", s.globalRequests), use("globalSectors", s.globalSectors);
  use("globalStoreSectors", s.globalStoreSectors), use("globalLines", s.globalLines);
  use("asyncBytes", s.asyncBytes);
  use("sharedLoads", s.sharedLoads), use("sharedStores", s.sharedStores);
  use("globalLoads", s.globalLoads), use("globalStores", s.globalStores);
  use("localLoads", s.localLoads), use("localStores", s.localStores), use("atomics", s.atomics);
  use("barrierWaits", s.barrierWaits), use("barrierArrivals", s.barrierArrivals);
  use("warpSyncs", s.warpSyncs), use("shuffles", s.shuffles);
}

Json toJson(const vm::CounterSums &sums) {
  Json json;
  eachSum(sums, [&](const char *name, uint64_t count) { json[name] = count; });
  Json &classes = json["classes"] = Json::object();
  for (unsigned i = 0; i < vm::InstructionClasses; ++i)
    if (sums.classes[i].warp)
      classes[std::string(vm::nameOf(vm::InstructionClass(i)))] = {sums.classes[i].warp,
                                                                   sums.classes[i].thread};
  return json;
}
vm::CounterSums sumsOf(const Json &json) {
  vm::CounterSums sums;
  eachSum(sums, [&](const char *name, uint64_t &count) { count = json.at(name).get<uint64_t>(); });
  for (unsigned i = 0; i < vm::InstructionClasses; ++i)
    if (auto found = json.at("classes").find(std::string(vm::nameOf(vm::InstructionClass(i))));
        found != json.at("classes").end())
      sums.classes[i] = {found->at(0).get<uint64_t>(), found->at(1).get<uint64_t>()};
  return sums;
}

Json toJson(const WarpTime &time) { return {{"cycles", time.cycles}, {"rounds", time.rounds}}; }
WarpTime timeOf(const Json &json) {
  return {json.at("cycles").get<double>(), json.at("rounds").get<double>()};
}

Json toJson(const LaunchFacts &launch) {
  return {{"kernel", launch.kernel},
          {"number", launch.number},
          {"grid", launch.grid},
          {"block", launch.block},
          {"registers", launch.registers},
          {"spillBytes", launch.spillBytes},
          {"sharedBytes", launch.sharedBytes},
          {"distinctSectors", launch.distinctSectors},
          {"readSectors", launch.readSectors},
          {"writtenSectors", launch.writtenSectors},
          {"blockSectors", launch.blockSectors},
          {"countedBlocks", launch.countedBlocks},
          {"atomicSectors", launch.atomicSectors},
          {"hottestAtomics", launch.hottestAtomics},
          {"sharedPasses",
           {{"byParts", launch.sharedPasses.byParts},
            {"byWords", launch.sharedPasses.byWords},
            {"ofAtomics", launch.sharedPasses.ofAtomics}}},
          {"warpTime", toJson(launch.warpTime)},
          {"blockTime", toJson(launch.blockTime)},
          {"longestBlock", toJson(launch.longestBlock)},
          {"instructions", launch.instructions},
          {"sums", toJson(launch.sums)}};
}
LaunchFacts launchOf(const Json &json) {
  LaunchFacts launch;
  launch.kernel = json.at("kernel");
  launch.number = json.at("number");
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = json.at("grid").at(i), launch.block[i] = json.at("block").at(i);
  launch.registers = json.at("registers");
  launch.spillBytes = json.at("spillBytes");
  launch.sharedBytes = json.at("sharedBytes");
  launch.distinctSectors = json.at("distinctSectors");
  launch.readSectors = json.at("readSectors");
  launch.writtenSectors = json.at("writtenSectors");
  launch.blockSectors = json.at("blockSectors");
  launch.countedBlocks = json.at("countedBlocks");
  launch.atomicSectors = json.at("atomicSectors");
  launch.hottestAtomics = json.at("hottestAtomics");
  const Json &passes = json.at("sharedPasses");
  launch.sharedPasses = {passes.at("byParts"), passes.at("byWords"), passes.at("ofAtomics")};
  launch.warpTime = timeOf(json.at("warpTime"));
  launch.blockTime = timeOf(json.at("blockTime"));
  launch.longestBlock = timeOf(json.at("longestBlock"));
  for (const auto &[cls, count] : json.at("instructions").items())
    launch.instructions[cls] = count.get<uint64_t>();
  launch.sums = sumsOf(json.at("sums"));
  return launch;
}

} // namespace

bool writeCounters(const std::filesystem::path &file, const ProgramCounters &counters) {
  Json launches = Json::array();
  for (const LaunchFacts &launch : counters.launches)
    launches.push_back(toJson(launch));
  const Json json = {{"schema", Schema},
                     {"arch", counters.arch},
                     {"complete", counters.complete},
                     {"skipped", counters.skipped},
                     {"launches", std::move(launches)}};
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  {
    std::ofstream out(unfinished);
    out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    if (!out.flush())
      return false;
  }
  std::error_code error;
  std::filesystem::rename(unfinished, file, error);
  return !error;
}

bool readCounters(const std::filesystem::path &file, ProgramCounters &counters) {
  std::ifstream in(file);
  if (!in)
    return false;
  try {
    const Json json = Json::parse(in);
    if (json.at("schema") != Schema)
      return false;
    counters.arch = json.at("arch");
    counters.complete = json.at("complete");
    counters.skipped = json.at("skipped").get<std::map<std::string, uint64_t>>();
    for (const Json &launch : json.at("launches"))
      counters.launches.push_back(launchOf(launch));
    return true;
  } catch (const Json::exception &) {
    return false;
  }
}

} // namespace heddle::counts
