// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A precompiled header is good for one command line, so the file's name is made of the whole command, and of what Clang's driver finds by
// itself: the version of a CUDA toolkit decides which PTX version device
// code is compiled for, and Clang refuses a file that was made for another one. Clang also refuses a file whose
// headers have changed; we look first and build it again, by the same two facts that Clang goes by: each
// header's size and time.
//
// Programs that were compiled once leave files that are not used again. A process that creates a file removes those
// that were not used for the longest time; the time of the state beside a file is that of its last use.
//
// Many processes may want the same file at the same time. Each makes its own under another name and renames
// it, which replaces whatever is there at once; who reads the old one goes on reading it.
#include "support/HeaderCache.h"

#include "support/CudaToolkit.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// 100 files of 10 MB. The tests of Heddle itself use some 60 of them again and again.
constexpr uintmax_t largestCacheBytes = uintmax_t(1) << 30;
/// From the decision to use a file until a compiler has opened it there is the start of a process, no more.
constexpr std::chrono::seconds timeToOpen{120};

std::string contents(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// FNV-1a: the same on every machine and in every run, which std::hash does not promise.
uint64_t hashOf(const std::vector<std::string> &words) {
  uint64_t hash = 14695981039346656037u;
  for (const std::string &word : words)
    for (size_t i = 0; i <= word.size(); ++i) // the closing zero keeps "a b" and "ab" apart
      hash = (hash ^ static_cast<unsigned char>(word.c_str()[i])) * 1099511628211u;
  return hash;
}

/// The files of a make rule "name: file file \ file".
std::vector<std::string> filesOfRule(const std::string &rule) {
  std::vector<std::string> files;
  std::istringstream words(rule.substr(std::min(rule.size(), rule.find(": ") + 1)));
  for (std::string word; words >> word;)
    if (word != "\\")
      files.push_back(word);
  return files;
}

/// A line for each header: what must be the same for the precompiled file to be good. Empty where one is
/// gone.
std::string stateOf(const std::vector<std::string> &headers) {
  std::string state;
  for (const std::string &header : headers) {
    std::error_code sizeError, timeError;
    uintmax_t bytes = fs::file_size(header, sizeError);
    fs::file_time_type time = fs::last_write_time(header, timeError);
    if (sizeError || timeError)
      return {};
    state += fmt::format("{} {} {}\n", bytes, time.time_since_epoch().count(), header);
  }
  return state;
}

/// Folders where Clang's driver looks for a toolkit if none is given.
std::vector<fs::path> foldersOfDriver() {
  std::vector<fs::path> folders = toolkitFolders();
  std::error_code ignored;
  if (std::optional<fs::path> ptxas = findProgram("ptxas"))
    folders.push_back(fs::canonical(*ptxas, ignored).parent_path().parent_path());
  folders.emplace_back("/usr/lib/cuda");
  for (const fs::directory_entry &entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-"))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

/// What decides about a precompiled file beside the words of the command: the compiler, and the version of
/// each toolkit, which is in its cuda.h.
std::string surroundings(const std::string &compiler) {
  std::string state = stateOf({compiler});
  for (const fs::path &folder : foldersOfDriver())
    state += stateOf({(folder / "include" / "cuda.h").string()});
  return state;
}

bool isGood(const fs::path &precompiled, const fs::path &stateFile) {
  std::error_code ignored;
  if (!fs::exists(precompiled, ignored))
    return false;
  const std::string state = contents(stateFile);
  std::vector<std::string> headers;
  std::istringstream lines(state);
  for (std::string bytes, time, header; lines >> bytes >> time && std::getline(lines, header);)
    headers.push_back(header.substr(1));
  return !headers.empty() && stateOf(headers) == state;
}

/// Compiles nothing but what the command includes by itself; false where that fails.
bool make(const std::vector<std::string> &command, const fs::path &precompiled, const fs::path &stateFile) {
  std::error_code error;
  fs::create_directories(precompiled.parent_path(), error);
  static std::atomic<unsigned> count = 0; // a process may read several programs at once
  const std::string mine = fmt::format("{}.{}.{}", precompiled.string(), getpid(), ++count);
  const std::string rule = mine + ".rule", state = mine + ".state";
  // A file that never changes, in a folder of its own: a precompiled header remembers what it was made of.
  const fs::path nothing = precompiled.parent_path() / "nothing.cu";
  if (!fs::exists(nothing, error))
    std::ofstream{nothing};
  std::vector<std::string> making = command;
  for (const std::string &word :
       {std::string("-emit-pch"), std::string("-o"), mine, std::string("-dependency-file"), rule,
        std::string("-MT"), std::string("headers"), std::string("-sys-header-deps")})
    making.insert(making.end(), {"-Xclang", word});
  // What the headers instantiate is instantiated now, not by everyone who reads the file.
  making.insert(making.end(), {"-fpch-instantiate-templates", "-fsyntax-only", nothing.string()});
  bool made = runProcess(making).succeeded();
  if (made) {
    std::ofstream(state) << stateOf(filesOfRule(contents(rule)));
    // The state comes last: with the old one beside it, a new file is only made once more.
    fs::rename(mine, precompiled, error);
    fs::rename(state, stateFile, error);
  }
  for (const std::string &left : {mine, rule, state})
    fs::remove(left, error);
  limitHeaderCache(precompiled.parent_path(), largestCacheBytes, timeToOpen);
  return made && isGood(precompiled, stateFile);
}

} // namespace

std::vector<std::string> withCachedHeaders(std::vector<std::string> command) {
  const char *folder = std::getenv("HEDDLE_HEADER_CACHE");
  if (!folder || !*folder)
    return command;
  std::error_code ignored;
  std::vector<std::string> key = command;
  key.push_back(fs::current_path(ignored).string()); // which -I. and similar flags depend on
  key.push_back(surroundings(command.front()));
  const fs::path precompiled = fs::path(folder) / fmt::format("{:016x}.pch", hashOf(key));
  const fs::path stateFile = precompiled.string() + ".state";
  if (!isGood(precompiled, stateFile) && !make(command, precompiled, stateFile))
    return command;
  fs::last_write_time(stateFile, fs::file_time_type::clock::now(), ignored); // of its last use
  command.insert(command.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled.string()});
  return command;
}

void limitHeaderCache(const fs::path &folder, uintmax_t bytes, std::chrono::seconds spared) {
  struct Entry {
    fs::file_time_type used;
    fs::path precompiled;
    uintmax_t bytes;
  };
  std::error_code ignored;
  std::vector<Entry> entries;
  uintmax_t total = 0;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, ignored)) {
    if (file.path().extension() != ".pch")
      continue;
    std::error_code isGone, hasNoState;
    const uintmax_t size = file.file_size(isGone);
    if (isGone)
      continue; // another process has removed it
    const auto used = fs::last_write_time(file.path().string() + ".state", hasNoState);
    entries.push_back({hasNoState ? file.last_write_time(ignored) : used, file.path(), size});
    total += size;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  const fs::file_time_type youngest = fs::file_time_type::clock::now() - spared;
  for (const Entry &entry : entries) {
    if (total <= bytes || entry.used > youngest)
      return;
    fs::remove(entry.precompiled, ignored);
    fs::remove(entry.precompiled.string() + ".state", ignored);
    total -= entry.bytes;
  }
}

} // namespace heddle
