// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A precompiled header is good for one set of flags, so the file's name is made of the command, and of what
// Clang's driver finds by itself: the version of a CUDA toolkit decides which PTX version device
// code is compiled for, and Clang refuses a file that was made for another one.
//
// What follows them in the file may be added: the headers that a program includes first (support/OpeningHeaders). A file with these
// continues the one without them, as Clang permits: it is made in a third of the time and has a third of the size. It is good
// with that one file only, so its record lists that as if it were a header. What takes longest to read comes first, what is different for
// each program last: a toolkit's headers, those of C++, ours. A program and what a transform has made of it share all but the last.
//
// Two things of a command are not part of the name, since they are different for each program and hardly
// ever matter: the folders of -I, and the folder that the compiler is started in. What matters about them is
// which headers they lead to. Beside each file is a record of the headers that it was made of, and of those
// folders that some of them are in. The file is good for another command
//   - if each header still has its size and its time (Clang refuses the file otherwise),
//   - if the command names those folders too, and
//   - if none of the command's folders has another file by which one of the headers might be shadowed. A path does not show by which
//     of its last parts a header was included (sys/param.h, or param.h), so such files that did not matter when it was made are recorded.
// Where none of the files of a name is good, one more is made.
//
// Flags that choose messages, debug information and what is written have no influence on a precompiled header, and none on its
// name: a program that is compiled, checked and compiled with warnings is read from one file.
//
// Programs that were compiled once leave files that are not used again. A process that creates a file removes those
// that were not used for the longest time; the time of the record beside a file is that of its last use.
//
// Many processes may want the same file at the same time. Each makes its own under another name and links it to the name that it is found by.
// The first one stays, since another file may continue it already. The name ends with a hash of the record, so that a file and the record
// beside it always belong together, and files of one name are equally good. Who wants a file that another process or thread is making
// waits for it, where the file system has locks.
#include "support/HeaderCache.h"

#include "support/CudaToolkit.h"
#include "support/LeastUsed.h"
#include "support/LibraryFolder.h"
#include "support/Process.h"
#include "support/Shadowing.h"
#include "support/UserCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// Some 100 files of 10 MB: a user's few programs need two to six each, the tests of Heddle itself more than 100. With half of
/// that, tests removed files that others were about to use.
constexpr uintmax_t largestCacheBytes = uintmax_t(1) << 30;
/// From the decision to use a file until a compiler has opened it there is the start of a process, no more.
constexpr std::chrono::seconds timeToOpen{120};

/// Making a file takes a second or two, on a busy machine more.
constexpr std::chrono::milliseconds longestWait{20000}, timeBetweenTries{20};

/// What keptMacros calls its files.
constexpr std::string_view lateMacrosName = "macros-";

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

/// The files of a make rule "name: file file \ file", in which blanks and # of names have a backslash and $ is doubled.
std::vector<std::string> filesOfRule(const std::string &rule) {
  std::vector<std::string> files;
  std::string name;
  const auto end = [&] {
    if (!name.empty())
      files.push_back(std::exchange(name, {}));
  };
  for (size_t i = std::min(rule.size(), rule.find(": ") + 1); i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (rule[i] == '\\' && next == '\n')
      end(); // the rule goes on in the next line
    else if ((rule[i] == '\\' && (next == ' ' || next == '#')) || (rule[i] == '$' && next == '$'))
      name += rule[++i];
    else if (rule[i] == ' ' || rule[i] == '\n')
      end();
    else
      name += rule[i];
  }
  end();
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

// --- commands
// ---------------------------------------------------------------------------------------------

/// A command taken apart: its -I folders, absolute, and all other words.
struct Command {
  std::vector<fs::path> folders;
  std::vector<std::string> others;
};

/// Flags that a precompiled header is as good with as without.
bool isIrrelevant(const std::string &word) {
  return word == "-S" || word == "-w" || word == "-fcolor-diagnostics" || word == "-fsyntax-only" ||
         word.starts_with("-g") || (word.starts_with("-W") && !word.starts_with("-Wp,")) ||
         word.starts_with("-fpass-plugin=");
}

Command takeApart(const std::vector<std::string> &words) {
  Command command;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-I"))
      command.others.push_back(words[i]);
    else if (words[i].size() > 2)
      command.folders.push_back(fs::absolute(words[i].substr(2)).lexically_normal());
    else if (++i < words.size())
      command.folders.push_back(fs::absolute(words[i]).lexically_normal());
  }
  return command;
}

/// Leaves out macros of the command line that no header asks for (LateMacros.h), unless a file that the user includes follows and may
/// ask for them. They are then defined after what is precompiled.
void leaveOutLateMacros(std::vector<std::string> &words, const fs::path &cache) {
  std::error_code ignored;
  const auto last = std::find(words.rbegin(), words.rend(), "-include");
  if (last == words.rend() || last == words.rbegin())
    return;
  const auto option = std::prev(last.base());
  const fs::path file = *std::next(option);
  if (file.parent_path() == fs::absolute(cache, ignored) &&
      file.filename().string().starts_with(lateMacrosName))
    words.erase(option, option + 2);
}

/// Whether a word, or what follows its option or its `=`, is a file or folder by a relative path.
bool isRelativePath(const std::string &word) {
  std::string path = word;
  for (std::string_view option : {"-isystem", "-idirafter", "-iquote", "-include", "-isysroot"})
    if (word.starts_with(option))
      path = word.substr(option.size());
  if (path.starts_with('-'))
    path = path.substr(std::min(path.size(), path.find('=') + 1));
  std::error_code ignored;
  return !path.empty() && !path.starts_with('-') && !path.starts_with('/') && fs::exists(path, ignored);
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

// --- records
// ----------------------------------------------------------------------------------------------

/// What is beside a precompiled file.
struct Record {
  std::vector<fs::path> folders; // -I folders that headers of it are in
  std::set<std::string>
      passedOver; // files in -I folders that have the name of a header and were not included
  std::vector<std::string> headers; // all of them, by their paths
  std::string state;                // of the headers, when the file was made
};

constexpr std::string_view folderLine = "folder ", passedOverLine = "not ";

std::string textOf(const Record &record) {
  std::string text;
  for (const fs::path &folder : record.folders)
    text += fmt::format("{}{}\n", folderLine, folder.string());
  for (const std::string &file : record.passedOver)
    text += fmt::format("{}{}\n", passedOverLine, file);
  return text + record.state;
}

Record readRecord(const fs::path &file) {
  Record record;
  std::istringstream lines(contents(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(folderLine)) {
      record.folders.emplace_back(line.substr(folderLine.size()));
      continue;
    }
    if (line.starts_with(passedOverLine)) {
      record.passedOver.insert(line.substr(passedOverLine.size()));
      continue;
    }
    const size_t path = line.find(' ', std::min(line.size(), line.find(' ') + 1));
    record.headers.push_back(line.substr(std::min(line.size(), path + 1)));
    record.state += line + "\n";
  }
  return record;
}

bool isInside(const fs::path &file, const fs::path &folder) {
  const fs::path plain = file.lexically_normal();
  return std::mismatch(folder.begin(), folder.end(), plain.begin(), plain.end()).first == folder.end();
}

bool isGoodFor(const Record &record, const std::vector<fs::path> &folders) {
  auto isNamed = [&](const fs::path &folder) {
    return std::find(folders.begin(), folders.end(), folder) != folders.end();
  };
  return !record.headers.empty() && stateOf(record.headers) == record.state &&
         std::all_of(record.folders.begin(), record.folders.end(), isNamed) &&
         std::all_of(folders.begin(), folders.end(), [&](const fs::path &folder) {
           return std::ranges::includes(record.passedOver, shadowing(folder, record.headers));
         });
}

Record recordOf(const std::vector<std::string> &headers, const std::vector<fs::path> &folders) {
  Record record{{}, {}, headers, stateOf(headers)};
  std::copy_if(folders.begin(), folders.end(), std::back_inserter(record.folders),
               [&](const fs::path &folder) {
                 return std::any_of(headers.begin(), headers.end(),
                                    [&](const std::string &header) { return isInside(header, folder); });
               });
  for (const fs::path &folder : folders)
    record.passedOver.merge(shadowing(folder, headers));
  return record;
}

/// Whether one of the headers has one of the names in its text, be it as a part of another.
bool mentionsAny(const Record &record, const std::vector<std::string> &names) {
  return std::ranges::any_of(record.headers, [&](const fs::path &header) {
    if (header.extension() == ".pch") // the one that is continued; its headers are in the record too
      return false;
    const std::string text = contents(header);
    return std::ranges::any_of(names, [&](const std::string &name) { return text.find(name) != text.npos; });
  });
}

fs::path recordBeside(const fs::path &precompiled) { return precompiled.string() + ".state"; }

std::vector<fs::path> precompiledNamed(const fs::path &cache, const std::string &name) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(cache, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name) && file.ends_with(".pch"))
      found.push_back(entry.path());
  }
  return found;
}

/// A precompiled file of that name that is good for a command with these folders.
std::optional<fs::path> findGood(const fs::path &cache, const std::string &name,
                                 const std::vector<fs::path> &folders) {
  for (const fs::path &file : precompiledNamed(cache, name))
    if (isGoodFor(readRecord(recordBeside(file)), folders))
      return file;
  return std::nullopt;
}

/// Gives a complete file the name that others find it by, unless another process was first.
void publish(const std::string &mine, const fs::path &file) {
  std::error_code error;
  fs::create_hard_link(mine, file, error);
  if (!fs::exists(file, error))
    fs::copy_file(mine, file, fs::copy_options::skip_existing, error);
  fs::remove(mine, error);
}

/// Writes a file that is not there yet, under the name `mine` first: a precompiled header remembers what it was made of, and when
/// that was written.
void makeOnce(const fs::path &file, const std::string &text, const std::string &mine) {
  std::error_code error;
  if (fs::exists(file, error))
    return;
  std::ofstream(mine, std::ios::binary) << text;
  publish(mine, file);
}

/// A file that includes these headers.
fs::path fileIncluding(const std::vector<std::string> &headers, const fs::path &cache,
                       const std::string &mine) {
  const fs::path file =
      cache / (headers.empty() ? "nothing.cu" : fmt::format("includes-{:016x}.cu", hashOf(headers)));
  std::string text;
  for (const std::string &header : headers)
    text += "#include <" + header + ">\n";
  makeOnce(file, text, mine);
  return file;
}

/// A name in the cache that no other process and no other thread has.
std::string nameOfMine(const fs::path &cache, const std::string &name) {
  static std::atomic<unsigned> count = 0; // a process may read several programs at once
  return (cache / fmt::format("{}.{}.{}", name, getpid(), ++count)).string();
}

/// Held while a file is made; its own process and others wait for it. Where there are no locks nobody waits, and a file is made twice.
class MakingLock {
public:
  explicit MakingLock(fs::path path)
      : file(std::move(path)), descriptor(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    // Not for ever: who holds it may have been stopped (^Z).
    for (auto left = longestWait; left.count() > 0 && isHeldByAnother(); left -= timeBetweenTries)
      std::this_thread::sleep_for(timeBetweenTries);
  }
  ~MakingLock() {
    std::error_code ignored;
    fs::remove(file, ignored);
    if (descriptor >= 0)
      close(descriptor);
  }
  MakingLock(const MakingLock &) = delete;
  MakingLock &operator=(const MakingLock &) = delete;

private:
  bool isHeldByAnother() const {
    return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }

  fs::path file;
  int descriptor;
};

/// What is to be precompiled: what a command includes by itself, and after it these headers.
struct Wanted {
  Command command;
  std::vector<std::string> opening;
  fs::path cache;
};

/// With the plugin that makes the file quicker to use (src/passes), where it is there and this Clang loads it.
bool precompile(const std::vector<std::string> &command) {
  std::error_code ignored;
  const fs::path plugin = libraryFolder() / "libheddle_forget_checked.so";
  if (fs::exists(plugin, ignored)) {
    std::vector<std::string> withPlugin = command;
    withPlugin.push_back("-fplugin=" + plugin.string());
    const ProcessResult done = runProcess(withPlugin);
    if (done.succeeded() || done.standardError.find(plugin.filename().string()) == std::string::npos)
      return done.succeeded();
  }
  return runProcess(command).succeeded();
}

/// Compiles nothing but that, in continuation of `first` where there is one. Null where that fails.
std::optional<fs::path> make(const Wanted &wanted, const std::optional<fs::path> &first,
                             const std::string &name) {
  const Command &command = wanted.command;
  std::error_code error;
  const std::string mine = nameOfMine(wanted.cache, name);
  const std::string rule = mine + ".rule", state = mine + ".state";
  const fs::path input = fileIncluding(wanted.opening, wanted.cache, mine);
  std::vector<std::string> making = command.others;
  for (const fs::path &folder : command.folders)
    making.push_back("-I" + folder.string());
  std::vector<std::string> words = {"-emit-pch", "-o",  mine,      "-dependency-file",
                                    rule,        "-MT", "headers", "-sys-header-deps"};
  if (first)
    words.insert(words.end(), {"-include-pch", first->string()});
  for (const std::string &word : words)
    making.insert(making.end(), {"-Xclang", word});
  // What the headers instantiate is instantiated now, not by everyone who reads the file.
  making.insert(making.end(), {"-fpch-instantiate-templates", "-fsyntax-only", input.string()});
  std::optional<fs::path> made;
  if (precompile(making)) {
    std::vector<std::string> headers = filesOfRule(contents(rule)); // also those of `first`
    if (first)
      headers.push_back(first->string());
    const std::string record = textOf(recordOf(headers, command.folders));
    made = wanted.cache / fmt::format("{}{:016x}.pch", name, hashOf({record}));
    std::ofstream(state) << record;
    publish(mine, *made);
    fs::rename(state, recordBeside(*made), error); // last: files are found by it
  }
  for (const std::string &left : {mine, rule, state})
    fs::remove(left, error);
  limitHeaderCache(wanted.cache, largestCacheBytes, timeToOpen);
  return made && isGoodFor(readRecord(recordBeside(*made)), command.folders) ? made : std::nullopt;
}

/// Of headers that a program begins with: a toolkit's, those of C++, ours.
int levelOf(const std::string &header) {
  if (header.starts_with("heddle/"))
    return 2;
  return header.find_first_of("./") == std::string::npos ? 1 : 0;
}

/// What is to be precompiled first: all but the headers of the last level.
Wanted before(const Wanted &wanted) {
  Wanted less = wanted;
  const int last = levelOf(wanted.opening.back());
  std::erase_if(less.opening, [&](const std::string &header) { return levelOf(header) == last; });
  return less;
}

/// How the names of files begin that are what is wanted, in continuation of `first` where there is one.
std::string nameOf(const Wanted &wanted, const std::optional<fs::path> &first) {
  std::error_code ignored;
  std::vector<std::string> key = wanted.command.others;
  std::erase_if(key, isIrrelevant);
  if (std::any_of(key.begin(), key.end(), isRelativePath))
    key.push_back(fs::current_path(ignored).string());
  key.push_back(surroundings(wanted.command.others.front()));
  key.insert(key.end(), wanted.opening.begin(), wanted.opening.end());
  if (first)
    key.push_back(first->filename().string());
  return fmt::format("{:016x}-", hashOf(key));
}

/// Files that are what is wanted if none of their headers has changed.
std::vector<fs::path> candidatesFor(const Wanted &wanted) {
  if (wanted.opening.empty())
    return precompiledNamed(wanted.cache, nameOf(wanted, std::nullopt));
  std::vector<fs::path> all;
  for (const fs::path &first : candidatesFor(before(wanted)))
    for (const fs::path &each : precompiledNamed(wanted.cache, nameOf(wanted, first)))
      all.push_back(each);
  return all;
}

void noteUse(const fs::path &precompiled) {
  std::error_code ignored;
  fs::last_write_time(recordBeside(precompiled), fs::file_time_type::clock::now(), ignored);
}

/// One that is there. Its record has the headers of those that it continues too, and these files themselves: what they depend on is looked at
/// once, not again for each.
std::optional<fs::path> foundFor(const Wanted &wanted) {
  for (const fs::path &file : candidatesFor(wanted)) {
    const Record record = readRecord(recordBeside(file));
    if (!isGoodFor(record, wanted.command.folders))
      continue;
    noteUse(file);
    for (const std::string &header : record.headers)
      if (header.ends_with(".pch"))
        noteUse(header);
    return file;
  }
  return std::nullopt;
}

/// The precompiled file, which is made where it is missing. Headers are in the order of their levels.
std::optional<fs::path> precompiledFor(const Wanted &wanted) {
  if (std::optional<fs::path> found = foundFor(wanted))
    return found;
  std::error_code ignored;
  std::optional<fs::path> first;
  if (!wanted.opening.empty()) {
    first = precompiledFor(before(wanted));
    if (!first)
      return std::nullopt;
  }
  const std::string name = nameOf(wanted, first);
  fs::create_directories(wanted.cache, ignored);
  const MakingLock lock(wanted.cache / (name + ".lock"));
  std::optional<fs::path> found =
      findGood(wanted.cache, name, wanted.command.folders); // made by whom we waited for
  if (!found)
    found = make(wanted, first, name);
  if (found)
    noteUse(*found);
  return found;
}

/// None where the user wants none, or where nothing can be kept.
std::optional<fs::path> cacheFolder() {
  const char *wanted = std::getenv("HEDDLE_HEADER_CACHE");
  if (!wanted)
    return userCacheFolder("headers");
  return *wanted && std::string_view(wanted) != "off" ? std::optional<fs::path>(wanted) : std::nullopt;
}

std::optional<fs::path> precompiledFor(const std::vector<std::string> &command,
                                       const std::vector<std::string> &opening, const fs::path &cache) {
  Wanted wanted{takeApart(command), opening, cache};
  leaveOutLateMacros(wanted.command.others, cache);
  std::ranges::stable_sort(wanted.opening, {}, levelOf);
  std::optional<fs::path> precompiled = precompiledFor(wanted);
  if (!precompiled && !opening.empty())
    precompiled = precompiledFor({wanted.command, {}, cache});
  return precompiled;
}

} // namespace

std::vector<std::string> withCachedHeaders(std::vector<std::string> command,
                                           const std::vector<std::string> &opening) {
  return withCachedHeaders(std::move(command), OpeningHeaders{opening, {}, opening});
}

std::vector<std::string> withCachedHeaders(std::vector<std::string> command, const OpeningHeaders &opening) {
  const std::optional<fs::path> cache = cacheFolder();
  if (!cache)
    return command;
  std::optional<fs::path> precompiled = precompiledFor(command, opening.names, *cache);
  if (precompiled && opening.names != opening.beforeMacros &&
      mentionsAny(readRecord(recordBeside(*precompiled)), opening.macros))
    precompiled = precompiledFor(command, opening.beforeMacros, *cache);
  if (!precompiled)
    return command;
  command.insert(command.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled->string()});
  return command;
}

std::optional<fs::path> keptMacros(const std::string &text) {
  std::optional<fs::path> cache = cacheFolder();
  if (!cache)
    cache = userCacheFolder("headers");
  if (!cache)
    return std::nullopt;
  std::error_code error;
  fs::create_directories(*cache, error);
  const fs::path file =
      fs::absolute(*cache, error) / fmt::format("{}{:016x}.h", lateMacrosName, hashOf({text}));
  makeOnce(file, text, nameOfMine(*cache, std::string(lateMacrosName)));
  if (contents(file) == text)
    return file;
  return std::nullopt;
}

void limitHeaderCache(const fs::path &folder, uintmax_t bytes, std::chrono::seconds spared) {
  std::error_code ignored;
  std::vector<CacheEntry> entries;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, ignored)) {
    if (file.path().extension() != ".pch")
      continue;
    std::error_code isGone, hasNoState;
    const uintmax_t size = file.file_size(isGone);
    if (isGone)
      continue; // another process has removed it
    const fs::path state = file.path().string() + ".state";
    const auto used = fs::last_write_time(state, hasNoState);
    entries.push_back({hasNoState ? file.last_write_time(ignored) : used, size, {file.path(), state}});
  }
  removeLeastUsed(std::move(entries), bytes, spared);
}

} // namespace heddle
