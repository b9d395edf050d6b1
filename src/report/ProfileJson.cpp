// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/PredictionText.h"
#include "report/ProfileReport.h"

#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using namespace divergence;
using Json = nlohmann::ordered_json;

Json locationJson(const SourceLocation &location) {
  if (!location.isKnown())
    return nullptr;
  return {{"file", location.file}, {"line", location.line}};
}

Json linesJson(const KernelSummary &kernel) {
  Json lines = Json::array();
  for (const LineLoss &line : kernel.lines)
    lines.push_back({{"at", locationJson(line.location)},
                     {"lostShare", line.share},
                     {"executions", line.executions},
                     {"divergent", line.divergent}});
  return lines;
}

Json estimateJson(const RegroupEstimate &estimate) {
  return {{"algorithm", nameOf(estimate.algorithm)},   {"weighted", estimate.weighted},
          {"scheduled", estimate.scheduled},           {"lostShare", estimate.lostShare},
          {"divergentWarps", estimate.divergentWarps}, {"exact", estimate.exact}};
}

Json regroupedJson(const KernelSummary &kernel) {
  Json list = Json::array();
  for (const RegroupEstimate &estimate : kernel.regrouped)
    list.push_back(estimateJson(estimate));
  return list;
}

const char *inputKindName(Input::Kind kind) {
  constexpr const char *names[] = {"thread index", "parameter", "element", "combination", "varying"};
  return names[unsigned(kind)];
}

Json predictionJson(const Prediction &prediction) {
  Json inputs = Json::array(), blocks = Json::array();
  for (const Input &input : prediction.inputs)
    inputs.push_back(
        {{"kind", inputKindName(input.kind)}, {"name", input.name}, {"at", locationJson(input.location)}});
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const Input::Term &term : prediction.inputs[i].terms)
      inputs[i]["terms"].push_back({{"input", term.input}, {"times", term.times}});
  for (const BlockPrediction &block : prediction.blocks) {
    Json made = {{"key", nameOf(block.key)}, {"variance", block.variance}, {"inputs", block.inputs}};
    if (block.key != Key::Constant) {
      made["model"] = {{"inputs", block.model.inputs}, {"coefficients", block.model.coefficients}};
      made["trainingError"] = block.model.trainingError;
      made["error"] = block.model.error;
    }
    blocks.push_back(made);
  }
  return {{"trainingBlock", prediction.trainingBlock},
          {"meanSquareError", prediction.meanSquareError},
          {"inputs", inputs},
          {"blocks", blocks}};
}

/// Times are of launches that fill the device, all that were looked at together.
Json boundJson(const counts::KernelEstimate *estimate) {
  if (!estimate)
    return nullptr;
  const model::Estimate &sum = estimate->sum;
  const auto perSecond = [&](double count) { return sum.micros > 0 ? count / sum.micros * 1e6 : 0; };
  Json by;
  for (unsigned i = 0; i < model::Limits; ++i)
    by[model::nameOf(model::Limit(i))] = estimate->sum.microsBy[i];
  return {{"by", estimate->sum.isMemoryBound() ? "memory" : "compute"},
          {"limit", model::nameOf(estimate->sum.limit)},
          {"memoryShareOfLatency", estimate->sum.memoryShareOfLatency},
          {"memoryShareOfPasses", estimate->sum.memoryShareOfPasses},
          {"timesTheGrid", estimate->factor},
          {"micros", estimate->sum.micros},
          {"microsBy", by},
          {"explanation", predictionText(sum)},
          {"flopPerSecond", perSecond(estimate->operations.all())},
          {"dramBytesPerSecond", perSecond(sum.dramBytes)},
          {"l2BytesPerSecond", perSecond(sum.l2Bytes)}};
}

/// What counts, and what makes each number.
Json originJson(const ProfileOrigin &origin) {
  const char *counts = origin.isMeasured() ? "measured" : "simulated";
  return {{"device", origin.isMeasured() ? "gpu" : "sim"},
          {"name", origin.isMeasured() ? Json(origin.device) : Json(nullptr)},
          {"counts", counts},
          {"lostLanes", origin.isMeasured() ? "attributed" : counts},
          {"globalMemory", origin.isMeasured() ? Json(nullptr) : Json(counts)},
          {"registers", origin.isMeasured() ? "ptxas" : "estimated"},
          {"cycles", "model"}};
}

Json kernelJson(const ProfileOfProgram &profile, const KernelSummary &kernel, const std::string &name,
                const counts::KernelEstimate *estimate) {
  const auto simulated = [&](uint64_t count) {
    return profile.origin.isMeasured() ? Json(nullptr) : Json(count);
  };
  const auto sampled = profile.origin.sampled.find(kernel.kernel);
  return {{"kernel", name},
          {"mangled", kernel.kernel},
          {"launches", kernel.launches},
          {"launchesNotProfiled", kernel.skippedLaunches},
          {"countedBlocks", sampled == profile.origin.sampled.end() ? 1.0 : 1.0 / sampled->second},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"registers", kernel.registers},
          {"blocksPerSm", kernel.occupancy.blocksPerSm},
          {"threads", kernel.threads},
          {"basicBlocks", kernel.basicBlocks},
          {"distinctVectors", kernel.distinctVectors},
          {"branches", kernel.branches},
          {"divergentBranches", kernel.divergentBranches},
          {"warps", kernel.warps},
          {"divergentWarps", kernel.divergentWarps},
          {"warpInstructions", kernel.warpInstructions},
          {"globalRequests", simulated(kernel.globalRequests)},
          {"globalSectors", simulated(kernel.globalSectors)},
          {"bound", boundJson(estimate)},
          {"lostShare", kernel.lostShare},
          {"absentShare", kernel.absentShare},
          {"lostShareByModel", kernel.lostShareByModel},
          {"weighted", kernel.weighted},
          {"scheduled", kernel.scheduled},
          {"lines", linesJson(kernel)},
          {"regrouped", regroupedJson(kernel)},
          {"regroupedByPrediction", estimateJson(kernel.byPrediction)},
          {"prediction", predictionJson(kernel.prediction)},
          {"latencies",
           {{"known", kernel.latenciesKnown},
            {"substituted", kernel.latenciesSubstituted},
            {"countedAsOne", kernel.latenciesCounted}}}};
}

} // namespace

Json profileJson(const ProfileOfProgram &profile) {
  constexpr const char *levels[] = {"l1", "l2", "dram"};
  Json kernels = Json::array();
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const auto found = profile.estimates.find(profile.kernels[i].kernel);
    kernels.push_back(kernelJson(profile, profile.kernels[i], profile.names[i],
                                 found == profile.estimates.end() ? nullptr : &found->second));
  }
  return {{"schema", "heddle.profile/2"},
          {"arch", profile.arch.name},
          {"origin", originJson(profile.origin)},
          {"memory", levels[unsigned(profile.memory)]},
          {"latencies", profile.arch.latencies ? Json(profile.arch.latencies->source) : Json(nullptr)},
          {"kernels", kernels},
          {"stopped", profile.stopped}};
}

} // namespace heddle::report
