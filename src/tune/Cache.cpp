// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Cache.h"

#include "support/Files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char *format = "heddle.tune-cache/2";

std::string dumped(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string headerOf(const Problem &problem) {
  return dumped({{"format", format},
                 {"problem", problem.digest()},
                 {"program", problem.file.filename().string()},
                 {"arguments", problem.arguments},
                 {"arch", problem.arch}});
}

std::string lineOf(const Kept &kept) {
  Json json = {{"configuration", kept.configuration}};
  if (!kept.digest.empty())
    json["program"] = kept.digest;
  if (!kept.sameAs.empty())
    json["same_as"] = kept.sameAs;
  json["result"] = Json::parse(runner::toJson(kept.result));
  return dumped(json);
}

std::optional<Kept> keptFrom(const std::string &line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("result"))
    return std::nullopt;
  std::optional<runner::Result> result = runner::resultFromJson(json["result"].dump());
  if (!result)
    return std::nullopt;
  return Kept{json.value("configuration", ""), json.value("program", ""), json.value("same_as", ""), *result};
}

/// A file in lines; what follows the last line's end was cut short.
struct Lines {
  std::vector<std::string> whole;
  size_t bytes = 0; ///< of the whole ones
};

Lines linesOf(const fs::path &file) {
  const std::string all = contentsOf(file);
  Lines lines;
  for (size_t end; (end = all.find('\n', lines.bytes)) != std::string::npos; lines.bytes = end + 1)
    lines.whole.push_back(all.substr(lines.bytes, end - lines.bytes));
  return lines;
}

/// The problem that a file's first line names; empty where it is no such file.
std::string problemOf(const Lines &lines) {
  Json header = lines.whole.empty() ? Json() : Json::parse(lines.whole.front(), nullptr, false);
  const bool isOurs = header.is_object() && header.value("format", "") == format;
  return isOurs ? header.value("problem", "") : std::string();
}

std::vector<Kept> keptIn(const Lines &lines) {
  std::vector<Kept> all;
  for (size_t i = 1; i < lines.whole.size(); ++i)
    if (std::optional<Kept> kept = keptFrom(lines.whole[i]))
      all.push_back(std::move(*kept));
  return all;
}

/// A search whose baseline failed ended there. Whatever was mended since (the program, a file that it reads, the compiler), its results
/// are of no use.
bool isOfAFailedBaseline(const std::vector<Kept> &all) {
  const std::string baseline = Configuration().str();
  return std::ranges::all_of(all, [&](const Kept &kept) {
    return kept.configuration == baseline && kept.result.status != runner::Status::Measured;
  });
}

/// One write, so that a kill leaves a whole line or a torn one but never two mixed; then down to the disk.
bool writeLine(int descriptor, const std::string &line) {
  const std::string whole = line + "\n";
  for (size_t at = 0; at < whole.size();) {
    ssize_t count = write(descriptor, whole.data() + at, whole.size() - at);
    if (count < 0 && errno != EINTR)
      return false;
    at += count > 0 ? size_t(count) : 0;
  }
  return fsync(descriptor) == 0;
}

/// A process that was killed a moment ago may have children that have not noticed yet, and they hold the file too.
bool lock(int descriptor) {
  for (unsigned tries = 0; tries < 20; ++tries) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

} // namespace

std::unique_ptr<Cache> Cache::open(const fs::path &file, const Problem &problem, std::string &error) {
  std::unique_ptr<Cache> cache(new Cache);
  cache->descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (cache->descriptor < 0) {
    error = FileFailure{file, FileFailure::Doing::Write, errno}.str();
    return nullptr;
  }
  if (!lock(cache->descriptor)) {
    error = fmt::format("another search writes to '{}'", file.string());
    return nullptr;
  }
  Lines lines = linesOf(file);
  const std::string whose = problemOf(lines);
  if (!whose.empty() && isOfAFailedBaseline(keptIn(lines)))
    lines = {};
  if (!lines.whole.empty() && whose != problem.digest()) {
    error = whose.empty() ? fmt::format("'{}' holds no results of heddle tune", file.string())
                          : fmt::format("'{}' holds results of another program, or of this one with other "
                                        "arguments, flags, tolerance or text",
                                        file.string());
    return nullptr;
  }
  const bool isClean = ftruncate(cache->descriptor, off_t(lines.bytes)) == 0;
  if (!isClean || (lines.whole.empty() && !writeLine(cache->descriptor, headerOf(problem)))) {
    error = FileFailure{file, FileFailure::Doing::Write, errno}.str();
    return nullptr;
  }
  cache->known = keptIn(lines);
  return cache;
}

Cache::~Cache() {
  if (descriptor >= 0)
    close(descriptor);
}

const Kept *Cache::find(const std::string &id, bool predicts, const std::string &device) const {
  using runner::Status;
  for (size_t i = known.size(); i-- > 0;) {
    const runner::Result &result = known[i].result;
    const bool couldNotBeMade = result.status == Status::Refused || result.status == Status::FailsCheck;
    const bool isSameKind = result.predicted == predicts && (device.empty() || result.device == device);
    if (result.id == id && result.status != Status::Lost && (couldNotBeMade || isSameKind))
      return &known[i];
  }
  return nullptr;
}

bool Cache::append(const Evaluation &evaluation) {
  return append(
      Kept{evaluation.configuration.str(), evaluation.digest, evaluation.sameAs, evaluation.result});
}

bool Cache::append(const Kept &kept) {
  known.push_back(kept);
  return writeLine(descriptor, lineOf(kept));
}

std::optional<std::vector<Kept>> readKept(const fs::path &file) {
  Lines lines = linesOf(file);
  return problemOf(lines).empty() ? std::nullopt : std::optional(keptIn(lines));
}

} // namespace heddle::tune
