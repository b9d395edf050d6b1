// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/CachedCompile.h"

#include "support/Paths.h"

#include <algorithm>
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

ProcessResult oneByOne(const build::CompileCache &cache, const CompileCommand &command) {
  TemporaryFolder folder;
  std::vector<std::string> objects;
  std::string messages;
  double seconds = 0;
  const auto passOn = [&](ProcessResult done) {
    done.standardOutput = messages += done.standardOutput + done.standardError;
    done.seconds = seconds += done.seconds;
    return done;
  };
  for (const fs::path &source : command.sources) {
    const fs::path object = folder.path() / (std::to_string(objects.size()) + ".o");
    std::vector<std::string> words = wordsWith(command, {source.string()}, object);
    words.emplace_back("-c");
    ProcessResult done = passOn(cache.run({words, source, object, {}}, command.seconds));
    if (!done.succeeded())
      return done;
    objects.push_back(object.string());
  }
  return passOn(runProcess(wordsWith(command, objects, command.program), {}, command.seconds));
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
                                       : oneByOne(cache, command);
}

} // namespace heddle::tune
