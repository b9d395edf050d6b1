// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Manifest.h"

#include "support/ExitCode.h"
#include "support/Files.h"

#include <nlohmann/json.hpp>

#include <set>
#include <stdexcept>

namespace heddle::runner {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char *kSchema = "heddle.plan/2";

Json manifestJson(const Candidate &candidate) {
  Json json = {{"id", candidate.id},
               {"configuration", candidate.configuration},
               {"files", candidate.files},
               {"flags", candidate.flags}};
  if (candidate.predictedMicros)
    json["predicted_micros"] = *candidate.predictedMicros;
  return json;
}

/// A key that is not read would be ignored silently: a typing error, or a newer Heddle's.
void expectOnly(const Json &json, const std::set<std::string> &known, const std::string &where) {
  for (const auto &[key, value] : json.items())
    if (!known.count(key))
      throw std::invalid_argument("there is no \"" + key + "\" in " + where + " of " + kSchema);
}

Candidate candidateFrom(const Json &json) {
  expectOnly(json, {"id", "configuration", "files", "flags", "predicted_micros"}, "a candidate");
  Candidate candidate;
  candidate.id = json.at("id");
  candidate.configuration = json.at("configuration");
  candidate.files = json.at("files").get<std::vector<std::string>>();
  candidate.flags = json.value("flags", std::vector<std::string>());
  if (json.contains("predicted_micros"))
    candidate.predictedMicros = json["predicted_micros"].get<double>();
  return candidate;
}

verify::Tolerance toleranceFrom(const std::string &words) {
  if (std::optional<verify::Tolerance> tolerance = verify::readTolerance(words))
    return *tolerance;
  throw std::invalid_argument("\"tolerance\" must be as in ulp=4, rel=1e-6 or abs=1e-9");
}

Manifest manifestFrom(const Json &json) {
  expectOnly(json,
             {"schema", "program", "arch", "flags", "arguments", "compile_seconds", "run_seconds", "warm_ups",
              "rounds", "copies", "compares_copies", "tolerance", "candidates"},
             "a manifest");
  Manifest manifest;
  manifest.program = json.value("program", "");
  manifest.arch = json.value("arch", manifest.arch);
  manifest.flags = json.value("flags", std::vector<std::string>());
  manifest.arguments = json.value("arguments", std::vector<std::string>());
  manifest.compileSeconds = json.value("compile_seconds", manifest.compileSeconds);
  manifest.runSeconds = json.value("run_seconds", manifest.runSeconds);
  manifest.warmUps = json.value("warm_ups", manifest.warmUps);
  manifest.rounds = json.value("rounds", manifest.rounds);
  manifest.copies = json.value("copies", manifest.copies);
  manifest.comparesCopies = json.value("compares_copies", manifest.comparesCopies);
  if (json.contains("tolerance"))
    manifest.tolerance = toleranceFrom(json["tolerance"]);
  for (const Json &candidate : json.at("candidates"))
    manifest.candidates.push_back(candidateFrom(candidate));
  return manifest;
}

/// What a person who wrote a manifest by hand may have got wrong; empty where nothing.
std::string complaintAbout(const Manifest &manifest) {
  if (manifest.candidates.empty())
    return "it names no candidates";
  if (manifest.rounds == 0)
    return "\"rounds\" must be at least 1";
  std::set<std::string> seen;
  for (const Candidate &candidate : manifest.candidates) {
    if (candidate.id.empty() || !seen.insert(candidate.id).second)
      return "candidate ids must differ, but '" + candidate.id + "' is there more than once";
    // The id names files beside the manifest.
    if (candidate.id.find('/') != std::string::npos || candidate.id.front() == '.')
      return "a candidate's id cannot be '" + candidate.id + "': it is used as a file's name";
    if (candidate.files.empty())
      return "candidate '" + candidate.id + "' has no files";
  }
  return "";
}

} // namespace

std::string manifestText(const Manifest &manifest) {
  Json json = {{"schema", kSchema},
               {"program", manifest.program},
               {"arch", manifest.arch},
               {"flags", manifest.flags},
               {"arguments", manifest.arguments},
               {"compile_seconds", manifest.compileSeconds},
               {"run_seconds", manifest.runSeconds},
               {"warm_ups", manifest.warmUps},
               {"rounds", manifest.rounds},
               {"copies", manifest.copies},
               {"compares_copies", manifest.comparesCopies},
               {"candidates", Json::array()}};
  if (!manifest.tolerance.isExact())
    json["tolerance"] = verify::textOf(manifest.tolerance);
  for (const Candidate &candidate : manifest.candidates)
    json["candidates"].push_back(manifestJson(candidate));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

bool writeManifest(const std::filesystem::path &file, const Manifest &manifest) {
  return !writeFile(file, manifestText(manifest));
}

std::optional<Manifest> readManifest(const std::filesystem::path &file, std::string &error, int *exitCode) {
  auto ends = [&](int code) {
    if (exitCode)
      *exitCode = code;
  };
  std::variant<std::string, FileFailure> text = readFile(file);
  if (auto *failure = std::get_if<FileFailure>(&text)) {
    error = file.string() + ": " + failure->text() + "\nhint: heddle tune --plan DIR writes such a folder";
    ends(failure->exitCode());
    return std::nullopt;
  }
  ends(ExitDoesNotCompile);
  try {
    Json json = Json::parse(std::get<std::string>(text));
    if (json.value("schema", "") != kSchema) {
      error = file.string() + ": \"schema\" must be \"" + kSchema + "\"";
      return std::nullopt;
    }
    Manifest manifest = manifestFrom(json);
    std::string complaint = complaintAbout(manifest);
    if (complaint.empty())
      return manifest;
    error = file.string() + ": " + complaint;
  } catch (const std::exception &problem) {
    error = file.string() + ": " + problem.what();
  }
  return std::nullopt;
}

} // namespace heddle::runner
