// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/Cache.h"

#include "support/Files.h"
#include "support/Process.h"
#include "support/UserCache.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/SHA256.h>

#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::launcher {
namespace {

/// A build that goes on every few weeks finds its results again. They are small: a source file each.
constexpr std::chrono::hours longestUnused{24 * 30};

constexpr const char *descriptionName = "heddle.json";

llvm::json::Object toJson(const Message::Line &line) {
  return llvm::json::Object{{"location", line.location}, {"text", line.text}, {"snippet", line.snippet}};
}

Message::Line lineFrom(const llvm::json::Object &json) {
  return {json.getString("location").value_or("").str(), json.getString("text").value_or("").str(),
          json.getString("snippet").value_or("").str()};
}

std::string description(const std::string &name, const Transformed &result) {
  llvm::json::Array messages, embedded;
  for (const std::string &file : result.embedded)
    embedded.push_back(file);
  for (const Message &message : result.messages) {
    llvm::json::Array notes;
    for (const Message::Line &note : message.notes)
      notes.push_back(toJson(note));
    messages.push_back(llvm::json::Object{{"warning", toJson(message.warning)},
                                          {"notes", std::move(notes)},
                                          {"remark", message.kind == Message::Kind::Remark}});
  }
  llvm::json::Object all{{"file", result.text ? name : ""},
                         {"embedded", std::move(embedded)},
                         {"messages", std::move(messages)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all))).str();
}

std::optional<Cache::Entry> entryFrom(const fs::path &folder) {
  const auto text = readFile(folder / descriptionName);
  if (!std::holds_alternative<std::string>(text))
    return std::nullopt;
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(std::get<std::string>(text));
  const llvm::json::Object *all = json ? json->getAsObject() : nullptr;
  if (!all) {
    if (!json)
      llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  Cache::Entry entry;
  if (const std::string name = all->getString("file").value_or("").str(); !name.empty())
    entry.file = folder / name;
  if (const llvm::json::Array *embedded = all->getArray("embedded"))
    for (const llvm::json::Value &each : *embedded)
      entry.embedded.push_back(each.getAsString().value_or("").str());
  if (const llvm::json::Array *messages = all->getArray("messages"))
    for (const llvm::json::Value &each : *messages) {
      const llvm::json::Object *object = each.getAsObject();
      if (!object || !object->getObject("warning") || !object->getArray("notes"))
        return std::nullopt;
      Message message;
      message.warning = lineFrom(*object->getObject("warning"));
      if (object->getBoolean("remark").value_or(false))
        message.kind = Message::Kind::Remark;
      for (const llvm::json::Value &note : *object->getArray("notes"))
        message.notes.push_back(note.getAsObject() ? lineFrom(*note.getAsObject()) : Message::Line());
      entry.messages.push_back(std::move(message));
    }
  std::error_code ignored;
  return entry.file.empty() || fs::is_regular_file(entry.file, ignored) ? std::optional(entry) : std::nullopt;
}

} // namespace

fs::path Cache::usualFolder() {
  if (const char *ours = std::getenv("HEDDLE_LAUNCHER_CACHE"); ours && *ours)
    return ours;
  if (std::optional<fs::path> users = userCacheFolder("launcher"))
    return *users;
  std::error_code ignored;
  return fs::temp_directory_path(ignored) / fmt::format("heddle-launcher-{}", getuid());
}

std::optional<Cache::Entry> Cache::find(const std::string &key) const {
  std::optional<Entry> entry = entryFrom(folder / key);
  std::error_code ignored;
  if (entry) // the time of the last use
    fs::last_write_time(folder / key / descriptionName, fs::file_time_type::clock::now(), ignored);
  return entry;
}

Cache::Entry Cache::keep(const std::string &key, const std::string &name, const Transformed &result) const {
  const fs::path mine = folder / fmt::format("{}.{}", key, getpid()), entry = folder / key;
  if (std::optional<FileFailure> failure = makeFolder(mine))
    throw FileError(*failure);
  if (result.text)
    writeFileOrThrow(mine / name, *result.text);
  writeFileOrThrow(mine / descriptionName, description(name, result));
  std::error_code error, ignored;
  fs::rename(mine, entry, error);
  if (error) { // another process was faster, or something that cannot be read is there
    if (entryFrom(entry)) {
      fs::remove_all(mine, ignored);
    } else {
      const fs::path broken = mine.string() + ".broken";
      fs::rename(entry, broken, ignored);
      fs::rename(mine, entry, ignored);
      fs::remove_all(broken, ignored);
    }
  }
  removeOld();
  if (std::optional<Entry> kept = entryFrom(entry))
    return *kept;
  throw FileError({entry, FileFailure::Doing::Read, error.value()});
}

void Cache::removeOld() const {
  std::error_code ignored;
  const fs::file_time_type oldest = fs::file_time_type::clock::now() - longestUnused;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored)) {
    std::error_code isGone;
    fs::file_time_type used = fs::last_write_time(entry.path() / descriptionName, isGone);
    if (isGone)
      used = fs::last_write_time(entry.path(), isGone);
    if (!isGone && used < oldest)
      fs::remove_all(entry.path(), ignored);
  }
}

std::string keyOf(const std::vector<std::string> &parts) {
  llvm::SHA256 hash;
  for (const std::string &part : parts) {
    hash.update(std::to_string(part.size()) + ":"); // keeps "ab", "c" and "a", "bc" apart
    hash.update(part);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 40);
}

} // namespace heddle::launcher
