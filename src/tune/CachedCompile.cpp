// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/CachedCompile.h"

#include "support/Paths.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <utility>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using runner::CompileCommand;

/// The words with others in the place of the sources, and another output.
std::vector<std::string> wordsWith(const CompileCommand &command, const std::vector<std::string> &sources,
                                   const fs::path &output) {
  std::vector<std::string> words;
  bool arePlaced = false;
  for (const std::string &word : command.words) {
    const bool isSource = std::ranges::find(command.sources, fs::path(word)) != command.sources.end();
    if (!isSource)
      words.push_back(word == command.program ? output.string() : word);
    else if (!std::exchange(arePlaced, true))
      words.insert(words.end(), sources.begin(), sources.end());
  }
  return words;
}

/// `-x cu` is about all files that follow, objects too.
bool namesALanguage(const std::vector<std::string> &words) {
  return std::ranges::any_of(
      words, [](const std::string &word) { return word.starts_with("-x") || word.starts_with("--x"); });
}

/// Libraries and objects, which are in no list of files that a compiler has read: a program that is linked to them is not kept.
bool linksOthers(const std::vector<std::string> &words) {
  return std::ranges::any_of(words, [](const std::string &word) {
    const std::string extension = fs::path(word).extension();
    const bool isLibrary = word.starts_with("-l") && word != "-lineinfo";
    return isLibrary || word.starts_with("-L") || word.starts_with("--library") || extension == ".o" ||
           extension == ".a" || extension == ".so";
  });
}

/// Each file by itself, all at the same time, and then the linker. Messages are in the order of the files.
ProcessResult filesApart(const build::CompileCache &cache, const CompileCommand &command) {
  TemporaryFolder folder;
  std::vector<std::string> objects;
  std::vector<std::future<ProcessResult>> compilers;
  const auto start = std::chrono::steady_clock::now();
  for (const fs::path &source : command.sources) {
    const fs::path object = folder.path() / (std::to_string(objects.size()) + ".o");
    objects.push_back(object.string());
    compilers.push_back(std::async(std::launch::async, [&, source, object] {
      std::vector<std::string> words = wordsWith(command, {source.string()}, object);
      words.emplace_back("-c");
      return cache.run({words, source, object, {}}, command.seconds);
    }));
  }
  std::string messages;
  std::optional<ProcessResult> failed;
  for (std::future<ProcessResult> &compiler : compilers) {
    ProcessResult done = compiler.get();
    messages += done.standardOutput + done.standardError;
    if (!done.succeeded() && !failed)
      failed = std::move(done);
  }
  ProcessResult done =
      failed ? *failed : runProcess(wordsWith(command, objects, command.program), {}, command.seconds);
  done.standardOutput = (failed ? "" : messages) + done.standardOutput + done.standardError;
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return done;
}

} // namespace

ProcessResult compileCached(const build::CompileCache &cache, const CompileCommand &command) {
  if (command.sources.size() == 1 && !linksOthers(command.words)) {
    ProcessResult done =
        cache.run({command.words, command.sources.front(), command.program, {}}, command.seconds);
    done.standardOutput += done.standardError;
    return done;
  }
  return namesALanguage(command.words) ? runToEnd(unattended(command.words, command.folder, command.seconds))
                                       : filesApart(cache, command);
}

} // namespace heddle::tune
