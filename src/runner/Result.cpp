// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Result.h"

#include "runner/LaunchJson.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace heddle::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Status, const char *>, 8> kNames = {{
    {Status::Measured, "measured"},
    {Status::Refused, "refused"},
    {Status::DoesNotCompile, "does not compile"},
    {Status::FailsCheck, "fails check"},
    {Status::Wrong, "wrong"},
    {Status::Crashed, "crashed"},
    {Status::TimedOut, "timed out"},
    {Status::Lost, "lost"},
}};

Json jsonOf(const KernelTime &time) {
  return {{"kernel", time.kernel},
          {"grid", {time.grid[0], time.grid[1], time.grid[2]}},
          {"block", {time.block[0], time.block[1], time.block[2]}},
          {"launches", time.launches},
          {"micros", time.micros},
          {"q1", time.q1},
          {"q3", time.q3},
          {"samples", time.samples},
          {"registers", time.registers},
          {"spill_bytes", time.spillBytes},
          {"local_bytes", time.localBytes},
          {"shared_bytes", time.sharedBytes},
          {"occupancy", time.occupancy}};
}

KernelTime kernelTimeFrom(const Json &json) {
  KernelTime time = configurationFrom(json);
  time.micros = json.at("micros");
  time.q1 = json.at("q1");
  time.q3 = json.at("q3");
  time.samples = json.at("samples");
  time.registers = json.at("registers");
  time.spillBytes = json.at("spill_bytes");
  time.localBytes = json.at("local_bytes");
  time.sharedBytes = json.at("shared_bytes");
  time.occupancy = json.at("occupancy");
  return time;
}

Result resultFrom(const Json &json, Status status) {
  Result result;
  result.id = json.at("id");
  result.status = status;
  result.reason = json.value("reason", "");
  result.micros = json.value("micros", 0.0);
  result.q1 = json.value("q1", 0.0);
  result.q3 = json.value("q3", 0.0);
  result.predicted = json.value("predicted", false);
  result.device = json.value("device", "");
  result.makeSeconds = json.value("make_seconds", 0.0);
  result.compileSeconds = json.value("compile_seconds", 0.0);
  result.runSeconds = json.value("run_seconds", 0.0);
  result.failsCheck = json.value("fails_check", "");
  result.when = json.value("when", "");
  for (const Json &kernel : json.value("kernels", Json::array()))
    result.kernels.push_back(kernelTimeFrom(kernel));
  return result;
}

} // namespace

const char *nameOf(Status status) {
  for (const auto &[known, name] : kNames)
    if (known == status)
      return name;
  return "lost";
}

std::optional<Status> statusNamed(const std::string &name) {
  for (const auto &[status, known] : kNames)
    if (name == known)
      return status;
  return std::nullopt;
}

std::string toJson(const Result &result) {
  Json json = {{"id", result.id}, {"status", nameOf(result.status)}};
  if (!result.reason.empty())
    json["reason"] = result.reason;
  if (result.status == Status::Measured) {
    json["micros"] = result.micros;
    json["q1"] = result.q1;
    json["q3"] = result.q3;
  }
  if (result.predicted)
    json["predicted"] = true;
  if (!result.failsCheck.empty())
    json["fails_check"] = result.failsCheck;
  json["device"] = result.device;
  if (result.makeSeconds > 0)
    json["make_seconds"] = result.makeSeconds;
  json["compile_seconds"] = result.compileSeconds;
  json["run_seconds"] = result.runSeconds;
  json["when"] = result.when;
  json["kernels"] = Json::array();
  for (const KernelTime &time : result.kernels)
    json["kernels"].push_back(jsonOf(time));
  // A compiler's words may hold anything: what is not UTF-8 is replaced rather than thrown over.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Result> resultFromJson(const std::string &line) {
  try {
    Json json = Json::parse(line);
    std::optional<Status> status = statusNamed(json.at("status"));
    return status ? std::optional(resultFrom(json, *status)) : std::nullopt;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

} // namespace heddle::runner
