// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Formats.h"

#include "verify/Compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace heddle::tune {
namespace {

using Json = nlohmann::ordered_json;
using runner::Result;
using runner::Status;

constexpr double millisOfSecond = 1e3, millisOfMicro = 1e-3;

std::string dumpedLines(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The kernel that most time goes to; null where none was timed.
const runner::KernelTime *mainKernel(const Result &result) {
  auto total = [](const runner::KernelTime &time) { return time.micros * double(time.launches); };
  auto longest = std::ranges::max_element(result.kernels, {}, total);
  return longest == result.kernels.end() ? nullptr : &*longest;
}

Json settingsOf(const Report::Entry &entry) {
  Json json = Json::parse(entry.settings, nullptr, false);
  return json.is_object() ? json : Json::object();
}

// --- T4 ------------------------------------------------------------------------------------------------

const char *invalidityOf(Status status) {
  switch (status) {
  case Status::Measured: return "correct";
  case Status::Refused: return "constraints";
  case Status::DoesNotCompile: return "compile";
  case Status::FailsCheck:
  case Status::Wrong: return "correctness";
  case Status::Crashed:
  case Status::Lost: return "runtime";
  case Status::TimedOut: return "timeout";
  }
  return "runtime";
}

Json measurementsOf(const Result &result) {
  Json list = Json::array();
  auto add = [&](const char *name, double value, const char *unit) {
    list.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  };
  if (result.status != Status::Measured)
    return list;
  add(result.predicted ? "predicted_time" : "time", result.micros * millisOfMicro, "ms");
  if (const runner::KernelTime *kernel = mainKernel(result)) {
    add("registers", kernel->registers, "registers/thread");
    add("spills", double(kernel->spillBytes), "bytes/thread");
    add("shared_memory", double(kernel->sharedBytes), "bytes/block");
    add("occupancy", kernel->occupancy, "percent");
  }
  return list;
}

Json t4Entry(const Report::Entry &entry) {
  const Result &result = entry.evaluation.result;
  const bool isMeasured = result.status == Status::Measured;
  Json runtimes = Json::array();
  if (isMeasured)
    runtimes = {result.q1 * millisOfMicro, result.micros * millisOfMicro, result.q3 * millisOfMicro};
  return {{"timestamp", result.when},
          {"configuration", settingsOf(entry)},
          {"objectives", {result.predicted ? "predicted_time" : "time"}},
          {"times",
           {{"compilation_time", result.compileSeconds * millisOfSecond},
            {"runtimes", runtimes},
            {"framework", result.makeSeconds * millisOfSecond},
            {"search_algorithm", entry.decideSeconds * millisOfSecond},
            {"validation", result.runSeconds * millisOfSecond}}},
          {"invalidity", invalidityOf(result.status)},
          {"correctness", isMeasured ? 1.0 : 0.0},
          {"measurements", measurementsOf(result)}};
}

// --- T1 ------------------------------------------------------------------------------------------------

bool isInteger(const std::string &text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

Json parameterOf(const Dimension &dimension) {
  const bool areNumbers = std::ranges::all_of(dimension.values, isInteger);
  std::vector<std::string> values = dimension.values;
  if (!areNumbers)
    for (std::string &value : values)
      value = "'" + value + "'";
  return {{"Name", dimension.name},
          {"Type", areNumbers ? "uint" : "string"},
          {"Values", fmt::format("[{}]", fmt::join(values, ", "))}};
}

Json sizeOf(const uint32_t (&size)[3]) {
  return {{"X", std::to_string(size[0])}, {"Y", std::to_string(size[1])}, {"Z", std::to_string(size[2])}};
}

Json kernelOf(const Report &report, const Problem &problem) {
  static const runner::KernelTime unknown;
  const runner::KernelTime *found =
      report.entries.empty() ? nullptr : mainKernel(report.baseline().evaluation.result);
  const runner::KernelTime &kernel = found ? *found : unknown;
  return {{"Language", "CUDA"},
          {"Device", {{"Name", report.device}}},
          {"CompilerOptions", problem.tunedFlags(problem.compiler)},
          {"KernelName", problem.kernel.empty() ? verify::readableName(kernel.kernel) : problem.kernel},
          {"KernelFile", problem.file.filename().string()},
          {"GlobalSizeType", "CUDA"},
          {"SharedMemory", kernel.sharedBytes},
          {"GlobalSize", sizeOf(kernel.grid)},
          {"LocalSize", sizeOf(kernel.block)}};
}

// --- Our own -------------------------------------------------------------------------------------------

Json kernelJson(const runner::KernelTime &time) {
  return {{"kernel", verify::readableName(time.kernel)},
          {"grid", {time.grid[0], time.grid[1], time.grid[2]}},
          {"block", {time.block[0], time.block[1], time.block[2]}},
          {"launches", time.launches},
          {"micros", time.micros},
          {"registers", time.registers},
          {"spill_bytes", time.spillBytes},
          {"shared_bytes", time.sharedBytes},
          {"occupancy", time.occupancy}};
}

Json kernelJson(const Report::Kernel &kernel) {
  Json json = {{"name", kernel.name}, {"share", kernel.share}, {"launches", kernel.launches}};
  if (!kernel.whyNot.empty()) {
    json["not_tuned"] = kernel.whyNot;
    return json;
  }
  json["tried"] = kernel.tried;
  json["best"] = kernel.best;
  json["micros"] = kernel.bestMicros;
  json["baseline_micros"] = kernel.baselineMicros;
  return json;
}

Json entryJson(const Report::Entry &entry) {
  const Evaluation &evaluation = entry.evaluation;
  const Result &result = evaluation.result;
  Json json = {{"id", result.id},
               {"configuration", evaluation.configuration.str()},
               {"settings", settingsOf(entry)},
               {"status", runner::nameOf(result.status)}};
  if (!result.reason.empty())
    json["reason"] = result.reason;
  if (!entry.whyNotChosen.empty())
    json["not_chosen"] = entry.whyNotChosen;
  if (!evaluation.sameAs.empty())
    json["same_as"] = evaluation.sameAs;
  if (result.status == Status::Measured) {
    json["micros"] = result.micros;
    json["q1"] = result.q1;
    json["q3"] = result.q3;
  }
  json["predicted"] = result.predicted;
  if (entry.predictedMicros)
    json["predicted_micros"] = *entry.predictedMicros;
  json["from_cache"] = entry.fromCache;
  json["compile_seconds"] = result.compileSeconds;
  json["run_seconds"] = result.runSeconds;
  json["kernels"] = Json::array();
  for (const runner::KernelTime &time : result.kernels)
    json["kernels"].push_back(kernelJson(time));
  return json;
}

} // namespace

std::string t4Json(const Report &report) {
  Json results = Json::array();
  for (const Report::Entry &entry : report.entries)
    results.push_back(t4Entry(entry));
  return dumpedLines({{"schema_version", "1.0.0"}, {"results", results}});
}

std::string t1Json(const Report &report, const Problem &problem, const Budget &budget) {
  Json parameters = Json::array();
  for (const Dimension &dimension : report.dimensions)
    parameters.push_back(parameterOf(dimension));
  Json json = {
      {"General", {{"FormatVersion", 1}, {"TimeUnit", "Milliseconds"}, {"OutputFormat", "JSON"}}},
      {"ConfigurationSpace", {{"TuningParameters", parameters}, {"Conditions", Json::array()}}},
      {"Search", {{"Name", report.strategy}, {"Attributes", {{{"Name", "seed"}, {"Value", report.seed}}}}}}};
  if (budget.seconds)
    json["Budget"] = {{{"Type", "TuningDuration"}, {"BudgetValue", *budget.seconds}}};
  if (budget.runs)
    json["Budget"] = {{{"Type", "ConfigurationCount"}, {"BudgetValue", *budget.runs}}};
  json["KernelSpecification"] = kernelOf(report, problem);
  return dumpedLines(json);
}

std::string reportJson(const Report &report) {
  Json json = {{"schema", "heddle.tune/2"},      {"program", report.program},
               {"device", report.device},        {"predicted", report.predicted},
               {"strategy", report.strategy},    {"space_size", report.spaceSize},
               {"tried", report.entries.size()}, {"from_cache", report.fromCache}};
  if (std::string warning = report.warning(); !warning.empty())
    json["warning"] = warning;
  if (const Report::Entry *winner = report.winner()) {
    json["best"] = winner->evaluation.configuration.str();
    json["best_id"] = winner->evaluation.result.id;
    json["micros"] = winner->evaluation.result.micros;
    json["baseline_micros"] = report.baseline().evaluation.result.micros;
    json["speedup"] = report.speedup();
  }
  if (report.wholeProgram)
    json["whole_program"] = {{"baseline_micros", report.wholeProgram->first},
                             {"micros", report.wholeProgram->second}};
  if (!report.kernels.empty()) {
    json["together"] = report.written().str();
    json["kernels"] = Json::array();
    for (const Report::Kernel &kernel : report.kernels)
      json["kernels"].push_back(kernelJson(kernel));
  }
  json["dimensions"] = Json::array();
  for (const Dimension &dimension : report.dimensions)
    json["dimensions"].push_back({{"name", dimension.name}, {"values", dimension.values}});
  json["results"] = Json::array();
  for (const Report::Entry &entry : report.entries)
    json["results"].push_back(entryJson(entry));
  return dumpedLines(json);
}

} // namespace heddle::tune
