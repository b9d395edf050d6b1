// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CaptureText.h"

#include "support/Demangle.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string sizeText(const capture::Dimensions &size) {
  return fmt::format("{}x{}x{}", size.x, size.y, size.z);
}

/// "12.5 MB".
std::string sizeText(uint64_t bytes) {
  const char *units[] = {"bytes", "KB", "MB", "GB", "TB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  return unit == 0 ? counted(bytes, "byte") : fmt::format("{:.1f} {}", value, units[unit]);
}

const build::LaunchShape *shapeOf(const capture::Manifest &manifest, const build::CaptureResult &result) {
  for (const build::LaunchShape &shape : result.shapes)
    if (shape.kernel == manifest.kernel &&
        shape.grid == std::array<unsigned, 3>{manifest.grid.x, manifest.grid.y, manifest.grid.z} &&
        shape.block == std::array<unsigned, 3>{manifest.block.x, manifest.block.y, manifest.block.z} &&
        shape.sharedBytes == manifest.sharedBytes)
      return &shape;
  return nullptr;
}

uint64_t changedBytesOf(const capture::StoreReader &store) {
  uint64_t bytes = 0;
  for (size_t object = 0; object < store.objects(); ++object)
    for (size_t position : store.changedChunks(object))
      bytes += store.index().chunks[store.index().objects[object].after[position]].bytes;
  return bytes;
}

std::string launchText(const CaptureShown &shown) {
  const capture::Manifest &manifest = shown.manifest;
  std::string text =
      fmt::format("{}: launch {} of {}\n", shown.folder.string(), manifest.launch, manifest.name);
  text += fmt::format("  grid {}, block {}", sizeText(manifest.grid), sizeText(manifest.block));
  if (manifest.sharedBytes)
    text += fmt::format(", {} of dynamic shared memory", sizeText(manifest.sharedBytes));
  if (manifest.cooperative)
    text += ", cooperative";
  if (manifest.micros)
    text += fmt::format(", {:.1f} us", *manifest.micros);
  text += fmt::format("\n  {} and {}: {}, stored in {}", counted(manifest.regions.size(), "allocation"),
                      counted(manifest.variables.size(), "variable"), sizeText(shown.bytes),
                      sizeText(shown.storedBytes));
  return text + "\n";
}

/// Why this one, where there was a choice.
std::string choiceText(const CaptureShown &shown, const build::CaptureResult &result) {
  if (result.shapes.size() < 2 || shown.costShare <= 0)
    return "";
  const bool isOnly = shown.shape.launches == 1;
  return fmt::format("  {} of this kernel, grid and block{} {:.0f} % of the {} of all {}\n",
                     isOnly ? "the only launch" : fmt::format("one of {} launches", shown.shape.launches),
                     isOnly ? "; it takes" : ", which take", 100 * shown.costShare,
                     result.unit == "micros" ? "time" : "instructions",
                     counted(result.launches(), "launch", "launches"));
}

Json dimensionsJson(const capture::Dimensions &size) { return {size.x, size.y, size.z}; }

Json launchJson(const CaptureShown &shown) {
  const capture::Manifest &manifest = shown.manifest;
  Json json = {{"folder", shown.folder.string()},
               {"kernel", manifest.kernel},
               {"name", manifest.name},
               {"launch", manifest.launch},
               {"device", manifest.device},
               {"arch", manifest.arch},
               {"grid", dimensionsJson(manifest.grid)},
               {"block", dimensionsJson(manifest.block)},
               {"sharedBytes", manifest.sharedBytes},
               {"cooperative", manifest.cooperative},
               {"allocations", manifest.regions.size()},
               {"variables", manifest.variables.size()},
               {"bytes", shown.bytes},
               {"changedBytes", shown.changedBytes},
               {"storedBytes", shown.storedBytes}};
  if (manifest.micros)
    json["micros"] = *manifest.micros;
  return json;
}

Json shapeJson(const build::LaunchShape &shape) {
  Json json = {{"kernel", shape.kernel},     {"grid", shape.grid},
               {"block", shape.block},       {"sharedBytes", shape.sharedBytes},
               {"firstLaunch", shape.first}, {"launches", shape.launches}};
  if (shape.cost > 0)
    json["cost"] = shape.cost;
  return json;
}

} // namespace

CaptureShown shownOf(const capture::CaptureFolder &capture, const fs::path &inside, const fs::path &given,
                     const build::CaptureResult &result) {
  CaptureShown shown;
  const fs::path relative = inside.lexically_relative(fs::absolute(given));
  shown.folder = relative.empty() || relative == "." ? given : given / relative;
  shown.manifest = capture.manifest;
  for (size_t i = 0; i < capture.manifest.objects(); ++i)
    shown.bytes += capture.manifest.objectBytes(i);
  for (const capture::Chunk &chunk : capture.store.index().chunks)
    shown.storedBytes += chunk.storedBytes;
  shown.changedBytes = changedBytesOf(capture.store);
  double all = 0;
  for (const build::LaunchShape &shape : result.shapes)
    all += shape.cost;
  if (const build::LaunchShape *shape = shapeOf(capture.manifest, result)) {
    shown.shape = *shape;
    shown.costShare = all > 0 ? shape->cost / all : 0;
  }
  return shown;
}

std::string captureText(const std::vector<CaptureShown> &all, const build::CaptureResult &result) {
  std::string text;
  for (const CaptureShown &shown : all)
    text += launchText(shown) + (all.size() == 1 ? choiceText(shown, result) : "");
  return text;
}

Json captureJson(const std::vector<CaptureShown> &all, const build::CaptureResult &result) {
  Json json = {{"schema", "heddle.capture/1"}, {"captures", Json::array()}, {"shapes", Json::array()}};
  for (const CaptureShown &shown : all)
    json["captures"].push_back(launchJson(shown));
  for (const build::LaunchShape &shape : result.shapes)
    json["shapes"].push_back(shapeJson(shape));
  json["costUnit"] = result.unit;
  return json;
}

} // namespace heddle::cli
