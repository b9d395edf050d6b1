// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle arch: the architecture tables for people, and the occupancy of a kernel that is described by
// numbers.
#include "arch/Arch.h"

#include "InputOutput.h"
#include "PositiveNumber.h"
#include "Verbs.h"
#include "arch/ArchJson.h"
#include "arch/Fields.h"
#include "arch/Occupancy.h"
#include "support/Diagnostics.h"
#include "support/ExitCode.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

namespace heddle::cli {
namespace {

using arch::Arch;
using Json = nlohmann::ordered_json;

const char *const aboutArch = R"(What a GPU generation allows: its limits, and the occupancy of a kernel

Examples:
  heddle arch                                       all generations, a line each
  heddle arch sm_90                                 one of them; also 9.0, hopper, h200
  heddle arch sm_90 --threads 256 --registers 40    the occupancy of such a kernel

Exit code 0: done; 1: a table of Heddle is damaged; 2: bad usage, or no such generation; 4: standard output cannot be written.
)";

struct ArchRequest {
  std::string name;
  bool json = false;
  bool occupancy = false; ///< of a kernel with these resources
  arch::KernelResources kernel;
};

std::string bytesText(unsigned bytes) {
  if (bytes >= 1024 * 1024 && bytes % (256 * 1024) == 0)
    return fmt::format("{} MB", bytes / 1048576.0);
  return bytes >= 1024 && bytes % 1024 == 0 ? fmt::format("{} KB", bytes / 1024)
                                            : fmt::format("{} bytes", bytes);
}

std::string valueText(const arch::NumberField &field, unsigned value) {
  using Field = arch::NumberField;
  switch (field.kind) {
  case Field::Bytes: return bytesText(value);
  case Field::Megahertz: return fmt::format("{} MHz", value);
  case Field::GigabytesPerSecond: return fmt::format("{} GB/s", value);
  case Field::BytesPerCycle: return fmt::format("{} bytes per cycle", value);
  case Field::Nanoseconds: return fmt::format("{:.1f} us", value / 1000.0);
  case Field::Count: break;
  }
  return fmt::format("{}", value);
}

std::string overview(const std::vector<Arch> &archs) {
  std::string text =
      fmt::format("{:<7} {:<13} {:>5} {:>6} {:>9} {:>10} {:>9} {:>12}  {}\n", "name", "generation", "warps",
                  "blocks", "registers", "per thread", "shared", "per block", "GPU");
  for (const Arch &a : archs)
    text += fmt::format("{:<7} {:<13} {:>5} {:>6} {:>9} {:>10} {:>9} {:>12}  {}, {} SMs\n", a.name,
                        a.generation, a.maxWarpsPerSm, a.maxBlocksPerSm, a.registersPerSm,
                        a.maxRegistersPerThread, bytesText(a.sharedBytesPerSm),
                        bytesText(a.maxSharedBytesPerBlockOptIn), a.deviceName, a.deviceSms);
  return text + "warps, blocks, registers and shared memory are what one SM holds\n";
}

std::string line(std::string_view label, std::string_view value) {
  return fmt::format("  {:<38} {}\n", label, value);
}

std::string carveoutsText(const Arch &a) {
  std::vector<std::string> sizes;
  for (unsigned bytes : a.sharedCarveouts)
    sizes.push_back(fmt::format("{}", bytes / 1024));
  return joinAnd(sizes) + " KB";
}

/// Lines of a group that are not plain numbers.
std::string furtherLines(const Arch &a, std::string_view group) {
  if (group == "threads")
    return line("block dimensions x, y, z, at most", fmt::format("{}", fmt::join(a.maxBlockDim, ", "))) +
           line("grid dimensions x, y, z, at most", fmt::format("{}", fmt::join(a.maxGridDim, ", ")));
  return group == "sharedMemory" ? line("possible sizes (carveout)", carveoutsText(a)) : "";
}

std::string groupText(const Arch &a, std::string_view group, std::string_view title) {
  std::string text = fmt::format("\n{}\n", title);
  for (const arch::NumberField &field : arch::numberFields())
    if (field.group == group && (a.*field.member != 0 || field.zero == arch::NumberField::Never))
      text += line(field.label, valueText(field, a.*field.member));
  return text + furtherLines(a, group);
}

std::string featuresText(const Arch &a) {
  std::string has, lacks;
  for (arch::Feature feature : arch::allFeatures())
    (a.has(feature) ? has : lacks) += fmt::format("  {:<22} {}\n", nameOf(feature), aboutOf(feature));
  std::string text = has.empty() ? "" : "\nfeatures\n" + has;
  return lacks.empty() ? text : text + "\nnot supported\n" + lacks;
}

/// Three classes a line, each with the cycles to the next instruction that needs its result.
std::string latenciesText(const Arch &a) {
  if (!a.latencies)
    return "";
  std::string text = "\nlatencies in cycles\n", line;
  unsigned inLine = 0;
  for (const auto &[name, cycles] : a.latencies->cycles) {
    line += fmt::format("  {:<18} {:>7}", name, cycles);
    if (++inLine % 3 == 0)
      text += std::exchange(line, "") + "\n";
  }
  return text + (line.empty() ? "" : line + "\n") + fmt::format("  from: {}\n", a.latencies->source);
}

std::string page(const Arch &a) {
  std::string text =
      fmt::format("{}: {}, compute capability {}\n", a.name, a.generation, a.computeCapability());
  text += groupText(a, "threads", "threads");
  text += groupText(a, "registers", "registers (32 bits)");
  text += groupText(a, "sharedMemory", "shared memory");
  text += groupText(a, "caches", "caches");
  text += groupText(a, "barriers", "barriers");
  text += groupText(a, "device", fmt::format("numbers of: {}", a.deviceName));
  return text + featuresText(a) + latenciesText(a) + fmt::format("\nfrom: {}\n", a.source);
}

Json pageJson(const Arch &a) {
  Json json = {{"schema", "heddle.arch/1"}};
  json.update(toJson(a));
  return json;
}

std::vector<std::string> limitNames(const arch::Occupancy &o) {
  std::vector<std::string> names;
  for (arch::Resource resource : o.limits)
    names.emplace_back(nameOf(resource));
  return names;
}

std::string stepText(const arch::OccupancyStep &step) {
  std::vector<std::string> needs;
  if (step.registersPerThreadAtMost)
    needs.push_back(
        fmt::format("at most {} per thread", counted(*step.registersPerThreadAtMost, "register")));
  if (step.sharedBytesAtMost)
    needs.push_back(fmt::format("at most {} bytes of shared memory", *step.sharedBytesAtMost));
  return fmt::format("  {:>3} % ({}) with {}\n", std::lround(step.percent),
                     counted(step.blocksPerSm, "block"), joinAnd(needs));
}

/// Steps that ask for the same are one step: the last of them.
std::vector<arch::OccupancyStep> distinctSteps(const Arch &a, const arch::KernelResources &kernel) {
  std::vector<arch::OccupancyStep> distinct;
  for (const arch::OccupancyStep &step : arch::stepsUp(a, kernel)) {
    if (!distinct.empty() && distinct.back().registersPerThreadAtMost == step.registersPerThreadAtMost &&
        distinct.back().sharedBytesAtMost == step.sharedBytesAtMost)
      distinct.pop_back();
    distinct.push_back(step);
  }
  return distinct;
}

std::string occupancyText(const Arch &a, const arch::KernelResources &kernel) {
  arch::Occupancy o = occupancy(a, kernel);
  std::string text;
  for (const std::string &reason : o.impossible)
    text += fmt::format("cannot be launched: {}\n", reason);
  if (o.impossible.empty())
    text = fmt::format("{} % on {}: {} of {} per SM, {} of {} warps; limited by {}\n", std::lround(o.percent),
                       a.name, counted(o.blocksPerSm, "block"), counted(kernel.threadsPerBlock, "thread"),
                       o.warpsPerSm, a.maxWarpsPerSm, joinAnd(limitNames(o)));
  if (o.needsSharedOptIn && o.impossible.empty())
    text += "  the program must set cudaFuncAttributeMaxDynamicSharedMemorySize\n";
  for (const arch::OccupancyStep &step : distinctSteps(a, kernel))
    text += stepText(step);
  return text;
}

Json stepJson(const arch::OccupancyStep &step) {
  Json json = {{"blocksPerSm", step.blocksPerSm}, {"warpsPerSm", step.warpsPerSm}, {"percent", step.percent}};
  if (step.registersPerThreadAtMost)
    json["registersPerThreadAtMost"] = *step.registersPerThreadAtMost;
  if (step.sharedBytesAtMost)
    json["sharedBytesAtMost"] = *step.sharedBytesAtMost;
  return json;
}

Json occupancyJson(const Arch &a, const arch::KernelResources &kernel) {
  arch::Occupancy o = occupancy(a, kernel);
  Json json = {{"schema", "heddle.occupancy/1"},
               {"arch", a.name},
               {"blocksPerSm", o.blocksPerSm},
               {"warpsPerSm", o.warpsPerSm},
               {"percent", o.percent},
               {"limits", limitNames(o)},
               {"impossible", o.impossible},
               {"registersPerBlock", o.registersPerBlock},
               {"sharedBytesPerBlock", o.sharedBytesPerBlock}};
  json["stepsUp"] = Json::array();
  for (const arch::OccupancyStep &step : distinctSteps(a, kernel))
    json["stepsUp"].push_back(stepJson(step));
  return json;
}

void showAll(const std::vector<Arch> &archs, bool asJson) {
  if (!asJson) {
    std::cout << overview(archs);
    return;
  }
  Json json = {{"schema", "heddle.archs/1"}, {"archs", Json::array()}};
  for (const Arch &a : archs)
    json["archs"].push_back(toJson(a));
  std::cout << jsonText(json);
}

void showOne(const Arch &a, const ArchRequest &request) {
  if (request.occupancy && request.json)
    std::cout << jsonText(occupancyJson(a, request.kernel));
  else if (request.occupancy)
    std::cout << occupancyText(a, request.kernel);
  else if (request.json)
    std::cout << jsonText(pageJson(a));
  else
    std::cout << page(a);
}

/// Exit code.
int showArch(const ArchRequest &request, bool colour) {
  Diagnostics diagnostics;
  std::vector<Arch> archs = arch::loadArchs(diagnostics);
  bool tablesAreSound = diagnostics.empty();
  int exitCode = tablesAreSound ? ExitDone : ExitRefused;
  if (request.name.empty())
    showAll(archs, request.json);
  else if (const Arch *a = findArch(request.name, archs, diagnostics))
    showOne(*a, request);
  else
    exitCode = tablesAreSound ? ExitBadUsage : ExitRefused;
  print(std::cerr, diagnostics, colour);
  return exitCode;
}

} // namespace

void addArch(CLI::App &app, Session &session) {
  auto request = std::make_shared<ArchRequest>();
  CLI::App *verb = app.add_subcommand("arch", aboutArch);
  session.operands["arch"].completion.table = Completion::Table::Archs;
  CLI::Option *name = verb->add_option("NAME", request->name,
                                       "sm_90, 9.0, compute_90, hopper, h200... (default: a table of all)");
  CLI::Option *threads =
      verb->add_option("--threads", request->kernel.threadsPerBlock,
                       "threads per block: print the occupancy (default: print the limits)")
          ->needs(name)
          ->check(positiveNumber());
  verb->add_option("--registers", request->kernel.registersPerThread,
                   "registers per thread (default: no limit by registers)")
      ->needs(threads);
  verb->add_option("--shared", request->kernel.dynamicSharedBytes, "bytes of shared memory per block")
      ->needs(threads);
  verb->add_option("--barriers", request->kernel.namedBarriers,
                   "named barriers per block, barrier 0 included (default: no limit by barriers)")
      ->needs(threads);
  verb->add_flag("--json", request->json, "print the same facts as JSON");
  verb->callback([request, threads, &session] {
    request->occupancy = threads->count() > 0;
    session.exitCode = showArch(*request, session.errorColour);
  });
}

} // namespace heddle::cli
