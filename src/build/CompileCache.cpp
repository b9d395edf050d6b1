// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As ccache does it. An entry is a file whose name is a hash of all that is known before a compiler runs: the compiler and the
// tools beside it (path, size, time), the words of the command, the state of files and libraries among these, the contents of the
// source and its place, and what of the environment compilers heed. Which other files it reads is known when it has run: the entry
// lists them with their sizes and times, and is good as long as these are the same. A precompiled header is none of this: what it
// was made of is listed too, whether or not one was used.
//
// Where temporary files are is no part of the name. For candidates of a search that is also true of the source; what a compiler writes
// about its place (line tables, __FILE__) is then that of the run that made the entry. A temporary source whose place matters is another
// one each time, and not kept at all.
//
// A header that appears later in a folder that is searched earlier would be found instead (ccache does not notice that without its
// preprocessor mode). So an entry also lists the folders that are searched, and what is in them under a name that was included or
// asked for by __has_include; where there is more, it is not good any more. Only files of the user are read for __has_include.
#include "build/CompileCache.h"

#include "support/Files.h"
#include "support/Paths.h"
#include "support/Shadowing.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

using CacheJson = nlohmann::json;

constexpr const char *cacheFormat = "heddle-compiled-3";
constexpr size_t hashDigits = 32;

std::string contentHash(std::string_view bytes) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bytes));
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, hashDigits);
}

/// Size and time; empty where there is no such file.
std::string stateOfFile(const fs::path &file) {
  std::error_code failed;
  const uintmax_t bytes = fs::file_size(file, failed);
  const auto written = fs::last_write_time(file, failed);
  return failed ? std::string() : fmt::format("{} {}", bytes, written.time_since_epoch().count());
}

/// The compiler, and the programs that nvcc starts.
std::string stateOfTools(const fs::path &compiler) {
  std::error_code ignored;
  const fs::path real = fs::canonical(compiler, ignored), bin = real.parent_path();
  std::string state;
  for (const fs::path &tool :
       {real, bin / "ptxas", bin / "cudafe++", bin.parent_path() / "nvvm" / "bin" / "cicc",
        fs::canonical(findProgram("g++").value_or(fs::path()), ignored)})
    state += fmt::format("{} {}\n", tool.string(), stateOfFile(tool));
  return state;
}

/// Of the file that a word names by its absolute path, alone or after "=": a plugin, a library, a host compiler.
std::string stateOfNamed(const std::string &word) {
  const size_t path = word.starts_with('/') ? 0 : word.find("=/");
  if (path == std::string::npos)
    return {};
  const fs::path file = word.substr(path == 0 ? 0 : path + 1);
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? stateOfFile(file) : std::string();
}

/// Whether the file is in a folder that is made for one run of ours.
bool isTemporary(const fs::path &file) {
  std::error_code ignored;
  const fs::path inside = fs::absolute(file, ignored).lexically_relative(fs::temp_directory_path(ignored));
  return !inside.empty() && inside.begin()->string().starts_with("heddle-");
}

/// These say which file it is by the second, so an entry would be stale at once.
bool asksForTheTime(const std::string &text) {
  return text.find("__TIME__") != std::string::npos || text.find("__DATE__") != std::string::npos ||
         text.find("__TIMESTAMP__") != std::string::npos;
}

/// Files below these are not looked at for names that they ask for: they come with the system.
bool isOfSystem(const std::string &file) { return file.starts_with("/usr/"); }

/// Folders that the words name for includes, in any of the forms "-Ifolder", "-I folder", "-isystem folder" and so on.
std::vector<fs::path> includeFolders(const std::vector<std::string> &words) {
  std::vector<fs::path> folders;
  for (size_t i = 1; i < words.size(); ++i)
    for (const std::string option :
         {"-I", "-isystem", "-iquote", "-idirafter", "--include-path", "--system-include"}) {
      if (!words[i].starts_with(option))
        continue;
      std::string rest = words[i].substr(option.size());
      if (rest.starts_with('='))
        rest.erase(0, 1);
      if (rest.empty() && i + 1 < words.size())
        rest = words[i + 1];
      if (!rest.empty())
        folders.emplace_back(rest);
    }
  return folders;
}

/// Folders that an #include may be found in: those of the command, and those of the files that have one.
std::vector<std::string> searchedFolders(const CompileStep &step, const std::vector<std::string> &read) {
  std::set<std::string> folders;
  std::error_code ignored;
  const auto add = [&](const fs::path &folder) {
    folders.insert(fs::absolute(folder, ignored).lexically_normal().string());
  };
  for (const fs::path &folder : includeFolders(step.command))
    add(folder);
  if (!isTemporary(step.source))
    add(fs::absolute(step.source, ignored).parent_path());
  for (const std::string &file : read)
    if (!isOfSystem(file))
      add(fs::absolute(file, ignored).parent_path());
  return {folders.begin(), folders.end()};
}

/// The names that a text asks for by __has_include; nothing where they are not all in the text.
std::optional<std::vector<std::string>> namesAskedFor(const std::string &text) {
  std::vector<std::string> names;
  constexpr std::string_view word = "__has_include";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t open = text.find_first_not_of(" \t", at + word.size());
    if (open == std::string::npos || text[open] != '(')
      continue; // "defined __has_include"
    const size_t begin = text.find_first_not_of(" \t", open + 1);
    if (begin == std::string::npos || (text[begin] != '"' && text[begin] != '<'))
      return std::nullopt; // a macro
    const size_t end = text.find(text[begin] == '"' ? '"' : '>', begin + 1);
    if (end == std::string::npos)
      return std::nullopt;
    names.push_back(text.substr(begin + 1, end - begin - 1));
  }
  return names;
}

/// Files that are there and might be found by an #include or __has_include of this compilation. Where there is another one, it is out
/// of date.
std::set<std::string> findable(const std::vector<std::string> &folders, const std::vector<std::string> &read,
                               const std::vector<std::string> &names) {
  std::set<std::string> files;
  std::error_code ignored;
  for (const fs::path folder : folders) {
    files.merge(shadowing(folder, read));
    for (const std::string &name : names)
      if (fs::exists(folder / name, ignored))
        files.insert((folder / name).string());
  }
  return files;
}

} // namespace

std::vector<std::string> filesOfMakeRule(const std::string &rule) {
  std::vector<std::string> files;
  std::string word;
  const auto end = [&] {
    if (!word.empty())
      files.push_back(std::exchange(word, {}));
  };
  // The target ends at the first colon before a space; there is none in a target that we name.
  for (size_t i = std::min(rule.size(), rule.find(": ") + 1); i < rule.size(); ++i) {
    const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\'))
      word += rule[++i];
    else if (c == '$' && next == '$')
      word += rule[++i];
    else if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || (c == '\\' && (next == '\n' || next == '\r')))
      end();
    else
      word += c;
  }
  end();
  return files;
}

CompileCache CompileCache::ofUser(SourcePlace place) {
  return CompileCache(KeptFiles::ofUser("HEDDLE_COMPILE_CACHE", "compiled", contentHash), place);
}

CompileCache::CompileCache(const fs::path &folder, uintmax_t mostBytes, SourcePlace place)
    : CompileCache(KeptFiles(folder, contentHash, mostBytes), place) {}

bool CompileCache::isKept(const CompileStep &step) const {
  return files && !(place == SourcePlace::Matters && isTemporary(step.source)) &&
         !asksForTheTime(contentsOf(step.source));
}

std::string CompileCache::keyOf(const CompileStep &step) const {
  std::error_code ignored;
  std::string all = fmt::format("{}\n{}{}\n", cacheFormat, stateOfTools(step.command.front()),
                                fs::current_path(ignored).string());
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS",
                           "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_PATH", "CCC_OVERRIDE_OPTIONS",
                           "COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH"}) {
    const char *value = std::getenv(name);
    all += fmt::format("{}={}\n", name, value ? value : "");
  }
  const auto placeOf = [&](const std::string &word) -> std::string {
    if (word == step.source)
      return "<source>";
    if (word == step.output)
      return "<output>";
    const auto found = std::ranges::find(step.further, fs::path(word));
    return found == step.further.end() ? "" : fmt::format("<{}>", found - step.further.begin());
  };
  const auto add = [&](const std::string &text) { all += fmt::format("{}:{}\n", text.size(), text); };
  for (const std::string &word : step.command) {
    const std::string temporary = placeOf(word);
    add(temporary.empty() ? word + stateOfNamed(word) : temporary);
  }
  for (const fs::path &library : step.linked)
    add(library.string() + stateOfFile(library));
  add(place == SourcePlace::Matters ? fs::absolute(step.source, ignored).string()
                                    : step.source.filename().string()); // its extension chooses a language
  add(contentsOf(step.source));
  for (const fs::path &file : step.further)
    add(contentsOf(file));
  return contentHash(all);
}

std::optional<ProcessResult> CompileCache::find(const std::string &key, const CompileStep &step) const {
  const std::optional<std::string> kept = files->find(key);
  if (!kept)
    return std::nullopt;
  const std::string &entry = *kept;
  const size_t begin = entry.find('\n');
  const CacheJson json = CacheJson::parse(entry.substr(0, begin), nullptr, false);
  if (begin == std::string::npos || !json.is_object())
    return std::nullopt;
  std::vector<std::string> read;
  for (const CacheJson &each : json["read"]) {
    read.push_back(each[0].get<std::string>());
    if (stateOfFile(read.back()) != each[1].get<std::string>())
      return std::nullopt;
  }
  if (findable(json["folders"], read, json["names"]) != json["findable"].get<std::set<std::string>>())
    return std::nullopt;
  ProcessResult done;
  done.exitCode = 0;
  const size_t said = json["output"], complained = json["error"];
  done.standardOutput = entry.substr(begin + 1, said);
  done.standardError = entry.substr(begin + 1 + said, complained);
  if (!step.output.empty() &&
      writeFile(step.output, std::string_view(entry).substr(begin + 1 + said + complained)))
    return std::nullopt;
  std::error_code ignored;
  if (!step.output.empty() && json.value("executable", false))
    fs::permissions(step.output, fs::perms::owner_exec, fs::perm_options::add, ignored);
  return done;
}

void CompileCache::keep(const std::string &key, const CompileStep &step, const ProcessResult &done,
                        const std::vector<std::string> &read) const {
  std::error_code ignored;
  CacheJson json = {{"output", done.standardOutput.size()},
                    {"error", done.standardError.size()},
                    {"executable", (fs::status(step.output, ignored).permissions() & fs::perms::owner_exec) !=
                                       fs::perms::none},
                    {"read", CacheJson::array()}};
  std::vector<std::string> paths, names;
  const auto addNames = [&](const std::string &file) {
    const std::optional<std::vector<std::string>> more = namesAskedFor(contentsOf(file));
    if (more)
      names.insert(names.end(), more->begin(), more->end());
    return more.has_value();
  };
  if (step.hasIncludes && !addNames(step.source.string()))
    return;
  for (const std::string &file : read) {
    const std::string state = stateOfFile(file);
    if (state.empty())
      return; // it was there for the compiler, and is not any more
    if (!isOfSystem(file) && (asksForTheTime(contentsOf(file)) || !addNames(file)))
      return;
    paths.push_back(fs::absolute(file, ignored).string());
    json["read"].push_back({paths.back(), state});
  }
  const std::vector<std::string> folders =
      step.hasIncludes ? searchedFolders(step, read) : std::vector<std::string>();
  json["folders"] = folders;
  json["names"] = names;
  json["findable"] = findable(folders, paths, names);
  std::string rest = json.dump(-1, ' ', false, CacheJson::error_handler_t::replace) + "\n" +
                     done.standardOutput + done.standardError;
  if (!step.output.empty())
    rest += contentsOf(step.output);
  files->keep(key, rest);
}

ProcessResult CompileCache::run(const CompileStep &step, double seconds) const {
  const auto command = [&] { return step.faster ? step.faster() : step.command; };
  if (!isKept(step))
    return runProcess(command(), {}, seconds);
  const std::string key = keyOf(step);
  if (std::optional<ProcessResult> found = find(key, step))
    return *found;
  TemporaryFolder temporary;
  const fs::path rule = temporary.path() / "rule";
  std::vector<std::string> asking = command();
  if (step.hasIncludes)
    asking.insert(asking.end(), {"-MD", "-MF", rule.string()});
  ProcessResult done = runProcess(asking, {}, seconds);
  if (!done.succeeded())
    return done;
  std::vector<std::string> read = filesOfMakeRule(contentsOf(rule));
  const bool isListed = !step.hasIncludes || !read.empty();
  std::erase_if(read, [&](const std::string &file) {
    return file == step.source || std::ranges::find(step.further, fs::path(file)) != step.further.end();
  });
  if (isListed)
    keep(key, step, done, read);
  return done;
}

} // namespace heddle::build
