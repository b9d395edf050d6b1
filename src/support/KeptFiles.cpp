// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/KeptFiles.h"

#include "support/Files.h"
#include "support/LeastUsed.h"
#include "support/UserCache.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// Another process may be about to read what was used a moment ago.
constexpr std::chrono::seconds sparedSeconds{60};

} // namespace

std::optional<KeptFiles> KeptFiles::ofUser(const char *variable, std::string_view name, Hash hash) {
  const char *wanted = std::getenv(variable);
  if (!wanted || !*wanted) {
    std::optional<fs::path> usual = userCacheFolder(name);
    return usual ? std::optional(KeptFiles(*usual, hash)) : std::nullopt;
  }
  if (std::string_view(wanted) == "off" || whyNotFillable(wanted))
    return std::nullopt;
  std::error_code ignored;
  return KeptFiles(fs::absolute(wanted, ignored), hash);
}

std::optional<std::string> KeptFiles::find(const std::string &name) const {
  std::string entry = contentsOf(folder / name);
  const size_t end = entry.find('\n');
  if (end == std::string::npos || hash(std::string_view(entry).substr(end + 1)) != entry.substr(0, end))
    return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(folder / name, fs::file_time_type::clock::now(), ignored); // of its last use
  entry.erase(0, end + 1);
  return entry;
}

void KeptFiles::keep(const std::string &name, std::string_view content) const {
  static std::atomic<unsigned> count = 0; // a process may make several at once
  const fs::path mine = folder / fmt::format("{}.{}.{}", name, getpid(), ++count);
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  if (writeFile(mine, fmt::format("{}\n{}", hash(content), content)))
    fs::remove(mine, ignored);
  else
    fs::rename(mine, folder / name, ignored);
  removeUnused();
}

void KeptFiles::removeUnused() const {
  std::error_code ignored;
  std::vector<CacheEntry> entries;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, ignored)) {
    std::error_code isGone;
    CacheEntry entry{file.last_write_time(isGone), file.file_size(isGone), {file.path()}};
    if (!isGone) // another process may have removed it
      entries.push_back(std::move(entry));
  }
  removeLeastUsed(std::move(entries), mostBytes, sparedSeconds);
}

} // namespace heddle
