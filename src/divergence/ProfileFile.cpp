// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles go from the program that ran to the process that started it as CBOR: JSON's shapes, and numbers of threads
// by the million.
#include "divergence/ProgramProfile.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace heddle::divergence {
namespace {

using Json = nlohmann::json;

constexpr const char *Schema = "heddle.profile-run/2";

Json toJson(const SourceLocation &location) { return {location.file, location.line, location.column}; }
SourceLocation locationOf(const Json &json) {
  return {json.at(0).get<std::string>(), json.at(1).get<unsigned>(), json.at(2).get<unsigned>(), 0, {}};
}

Json toJson(const BlockVectors &vectors) {
  std::vector<uint32_t> rows, ofThreads(vectors.threads());
  for (uint32_t r = 0; r < vectors.distinct(); ++r)
    rows.insert(rows.end(), vectors.row(r).begin(), vectors.row(r).end());
  for (uint32_t t = 0; t < vectors.threads(); ++t)
    ofThreads[t] = vectors.rowOfThread(t);
  return {{"blocks", vectors.blocks()}, {"rows", rows}, {"threads", ofThreads}};
}
BlockVectors vectorsOf(const Json &json) {
  BlockVectors vectors(json.at("blocks").get<uint32_t>());
  const auto rows = json.at("rows").get<std::vector<uint32_t>>();
  for (size_t at = 0; at < rows.size(); at += vectors.blocks())
    vectors.rowWith(std::span(rows).subspan(at, vectors.blocks()));
  const auto threads = json.at("threads").get<std::vector<uint32_t>>();
  vectors.setThreads(uint32_t(threads.size()));
  for (uint32_t t = 0; t < threads.size(); ++t)
    vectors.setRow(t, threads[t]);
  return vectors;
}

Json toJson(const Inputs &inputs) {
  Json list = Json::array();
  for (const Input &input : inputs.inputs) {
    Json terms = Json::array();
    for (const Input::Term &term : input.terms)
      terms.push_back({term.input, term.times});
    list.push_back({{"kind", unsigned(input.kind)},
                    {"name", input.name},
                    {"at", toJson(input.location)},
                    {"instr", input.instr},
                    {"element", input.element},
                    {"terms", terms}});
  }
  return {{"inputs", list}, {"ofBlock", inputs.ofBlock}, {"values", inputs.values}};
}
Inputs inputsOf(const Json &json) {
  Inputs inputs;
  for (const Json &input : json.at("inputs")) {
    inputs.inputs.push_back({Input::Kind(input.at("kind").get<unsigned>()),
                             input.at("name"),
                             locationOf(input.at("at")),
                             input.at("instr"),
                             input.at("element"),
                             {}});
    for (const Json &term : input.at("terms"))
      inputs.inputs.back().terms.push_back({term.at(0).get<uint32_t>(), term.at(1).get<double>()});
  }
  inputs.ofBlock = json.at("ofBlock");
  inputs.values = json.at("values");
  return inputs;
}

Json toJson(const LaunchProfile &launch) {
  Json blocks = Json::array(), branches = Json::array();
  for (const CodeBlock &block : launch.blocks)
    blocks.push_back({{"at", toJson(block.location)},
                      {"instructions", block.instructions},
                      {"entries", block.entries},
                      {"lanes", block.lanes}});
  for (const Branch &branch : launch.branches)
    branches.push_back({{"at", toJson(branch.location)},
                        {"executions", branch.executions},
                        {"divergent", branch.divergent},
                        {"lost", branch.lostLanes}});
  return {{"kernel", launch.kernel},
          {"number", launch.number},
          {"grid", launch.grid},
          {"block", launch.block},
          {"registers", launch.registers},
          {"staticShared", launch.staticSharedBytes},
          {"dynamicShared", launch.dynamicSharedBytes},
          {"blocks", blocks},
          {"branches", branches},
          {"warps", launch.warps},
          {"divergentWarps", launch.divergentWarps},
          {"absent", launch.absentLanes},
          {"globalRequests", launch.globalRequests},
          {"globalSectors", launch.globalSectors},
          {"vectors", toJson(launch.vectors)},
          {"inputs", toJson(launch.inputs)}};
}

LaunchProfile launchOf(const Json &json) {
  LaunchProfile launch;
  launch.kernel = json.at("kernel");
  launch.number = json.at("number");
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = json.at("grid").at(i), launch.block[i] = json.at("block").at(i);
  launch.registers = json.at("registers");
  launch.staticSharedBytes = json.at("staticShared");
  launch.dynamicSharedBytes = json.at("dynamicShared");
  for (const Json &block : json.at("blocks"))
    launch.blocks.push_back({locationOf(block.at("at")), block.at("instructions").get<ClassCounts>(),
                             block.at("entries"), block.at("lanes")});
  for (const Json &branch : json.at("branches"))
    launch.branches.push_back(
        {locationOf(branch.at("at")), branch.at("executions"), branch.at("divergent"), branch.at("lost")});
  launch.warps = json.at("warps");
  launch.divergentWarps = json.at("divergentWarps");
  launch.globalRequests = json.at("globalRequests");
  launch.globalSectors = json.at("globalSectors");
  launch.absentLanes = json.at("absent").get<std::vector<uint64_t>>();
  launch.vectors = vectorsOf(json.at("vectors"));
  launch.inputs = inputsOf(json.at("inputs"));
  return launch;
}

} // namespace

bool writeProfile(const std::filesystem::path &file, const ProgramProfile &profile) {
  Json launches = Json::array();
  for (const LaunchProfile &launch : profile.launches)
    launches.push_back(toJson(launch));
  const Json json = {{"schema", Schema},
                     {"complete", profile.complete},
                     {"skipped", profile.skipped},
                     {"stopped", profile.stopped},
                     {"launches", std::move(launches)}};
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  {
    std::ofstream out(unfinished, std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    if (!out.flush())
      return false;
  }
  std::error_code error;
  std::filesystem::rename(unfinished, file, error);
  return !error;
}

bool readProfile(const std::filesystem::path &file, ProgramProfile &profile) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return false;
  try {
    const Json json = Json::from_cbor(in);
    if (json.at("schema") != Schema)
      return false;
    profile.complete = json.at("complete");
    profile.skipped = json.at("skipped").get<std::map<std::string, uint64_t>>();
    profile.stopped = json.at("stopped").get<std::map<std::string, uint64_t>>();
    for (const Json &launch : json.at("launches"))
      profile.launches.push_back(launchOf(launch));
    return true;
  } catch (const Json::exception &) {
    return false;
  }
}

} // namespace heddle::divergence
