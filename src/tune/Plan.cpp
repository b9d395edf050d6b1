// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Plan.h"

#include "runner/Manifest.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "tune/SourceTree.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char *kSchema = "heddle.plan-entries/2";

/// Throws FileError: without the plan there is nothing left to do.
void writeText(const fs::path &file, const std::string &text) {
  if (std::optional<FileFailure> failure = makeFolder(file.parent_path()))
    throw FileError(std::move(*failure));
  writeFileOrThrow(file, text);
}

} // namespace

Plan::Plan(const Problem &problem, fs::path where) : problem(problem), folder(std::move(where)) {}

void Plan::add(const Configuration &configuration, const Made &made) {
  Kept entry;
  entry.configuration = configuration.str();
  entry.result.id = problem.idOf(configuration);
  entry.result.status = made.candidate ? runner::Status::Lost : made.status;
  entry.result.reason = made.reason;
  entry.result.makeSeconds = made.seconds;
  entry.result.failsCheck = made.failsCheck;
  if (made.candidate) {
    entry.digest = made.candidate->digest;
    auto [same, isNew] = known.emplace(entry.digest, entry.result.id);
    if (!isNew)
      entry.sameAs = same->second;
    else
      candidates.push_back(*made.candidate);
    if (isNew)
      candidates.back().id = entry.result.id;
  }
  entries.push_back(std::move(entry));
}

std::string Plan::writeManifest() const {
  if (const fs::path other = problem.fileWithOtherFlags(); !other.empty())
    return whyOneCommandIsWrong(problem, other);
  SourceTree tree(problem, folder);
  if (!tree.addFurther())
    return tree.error();
  runner::Manifest manifest;
  manifest.program = problem.file.filename().string();
  manifest.arch = problem.arch;
  manifest.arguments = problem.arguments;
  manifest.compileSeconds = problem.limits.compile;
  manifest.runSeconds = problem.limits.run;
  manifest.warmUps = warmUps;
  manifest.rounds = rounds;
  manifest.copies = copies;
  manifest.comparesCopies = problem.comparesCopies;
  manifest.tolerance = problem.tolerance;
  for (const Candidate &candidate : candidates) {
    runner::Candidate planned{
        candidate.id, candidate.configuration.str(), {}, candidate.flags, candidate.predictedMicros};
    for (const Candidate::File &file : candidate.files) {
      const std::string name = fmt::format("candidates/{}/{}", candidate.id, file.name);
      writeText(folder / name, file.text);
      if (file.isCompiled)
        planned.files.push_back(name);
      if (!tree.addIncludesOf(file.text))
        return tree.error();
    }
    planned.files.insert(planned.files.end(), tree.further().begin(), tree.further().end());
    manifest.candidates.push_back(std::move(planned));
  }
  manifest.flags = tree.flags();
  manifest.flags.push_back("-Iruntime");
  writeText(folder / "manifest.json", runner::manifestText(manifest));
  return "";
}

void Plan::writeEntries() const {
  Json all = Json::array();
  for (const Kept &entry : entries) {
    Json json = {{"id", entry.result.id}, {"configuration", entry.configuration}};
    if (!entry.digest.empty())
      json["program"] = entry.digest;
    if (!entry.sameAs.empty())
      json["same_as"] = entry.sameAs;
    if (!entry.result.failsCheck.empty())
      json["fails_check"] = entry.result.failsCheck;
    json["make_seconds"] = entry.result.makeSeconds;
    if (entry.result.status != runner::Status::Lost)
      json["result"] = Json::parse(runner::toJson(entry.result));
    all.push_back(std::move(json));
  }
  const Json json = {{"schema", kSchema}, {"problem", problem.digest()}, {"entries", all}};
  writeText(folder / "plan.json", json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// What candidates include of ours, and what times them.
std::string Plan::copyOurFiles() const {
  const std::pair<const char *, const char *> wanted[] = {
      {"runtime/heddle", "runtime/heddle"},
      {"src/runner/timing", "timing"},
      {"src/trace/CopyLog.h", "timing/trace/CopyLog.h"},
      {"src/trace/CopyRecorder.h", "timing/trace/CopyRecorder.h"},
      {"src/trace/preload", "timing/trace/preload"}};
  for (const auto &[from, to] : wanted) {
    const fs::path name = from, source = dataFolder(name.parent_path().string()) / name.filename();
    if (!fs::exists(source))
      return fmt::format("Heddle's own '{}' is not found", from);
    std::error_code failure;
    fs::remove_all(folder / to, failure);
    fs::create_directories((folder / to).parent_path(), failure);
    fs::copy(source, folder / to, fs::copy_options::recursive, failure);
    if (failure)
      return fmt::format("'{}' cannot be copied: {}", source.string(), failure.message());
  }
  return "";
}

/// Files that the program is given to read go with it: it runs in the plan's folder.
std::string Plan::copyArguments() const {
  for (const std::string &argument : problem.arguments) {
    std::error_code failure;
    const fs::path file = fs::path(argument).lexically_normal();
    if (file.is_absolute() || file.empty() || *file.begin() == ".." || !fs::is_regular_file(file, failure))
      continue;
    fs::create_directories((folder / file).parent_path(), failure);
    fs::copy_file(file, folder / file, fs::copy_options::overwrite_existing, failure);
    if (failure)
      return fmt::format("'{}' cannot be copied: {}", argument, failure.message());
  }
  return "";
}

std::string Plan::write() const {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return fmt::format("'{}' cannot be made: {}", folder.string(), failure.message());
  for (const std::string &error : {copyOurFiles(), copyArguments(), writeManifest()})
    if (!error.empty())
      return error;
  writeEntries();
  return "";
}

std::string writePlanOf(const std::vector<Configuration> &configurations, Maker &maker, Plan &plan,
                        const std::function<void(size_t, size_t)> &report) {
  Made baseline = maker.make({});
  if (!baseline.candidate)
    return "the baseline itself cannot be generated: " + baseline.reason;
  plan.add({}, baseline);
  for (size_t i = 0; i < configurations.size(); ++i) {
    plan.add(configurations[i], maker.make(configurations[i]));
    report(i + 1, configurations.size());
  }
  return plan.write();
}

} // namespace heddle::tune
