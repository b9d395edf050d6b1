// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/CompilerOptions.h"

#include "source/NvccOptions.h"

#include <clang/Options/Options.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <regex>

namespace heddle::source {
namespace {

bool isClangs(const std::string &word) {
  const std::vector<const char *> words = {word.c_str(), "value"};
  unsigned missingAt = 0, missingCount = 0;
  const llvm::opt::InputArgList all = clang::getDriverOptTable().ParseArgs(
      words, missingAt, missingCount, llvm::opt::Visibility(clang::options::ClangOption));
  return all.size() > 0 && !(*all.begin())->getOption().matches(clang::options::OPT_UNKNOWN) &&
         !(*all.begin())->getOption().matches(clang::options::OPT_INPUT);
}

std::string archIn(const std::string &value) {
  static const std::regex generation("(?:sm|compute)_([0-9]+[a-z]?)");
  std::smatch found;
  return std::regex_search(value, found, generation) ? "sm_" + found[1].str() : "";
}

} // namespace

bool isCompilerOption(const std::string &word) { return readNvccWord(word) || isClangs(word); }

bool takesNextWord(const std::string &word) {
  const std::optional<NvccWord> read = readNvccWord(word);
  // "-O file.cu" is an error for nvcc, and an optimized file for Clang.
  return read && !read->hasValue && read->option->value != NvccOption::Value::None &&
         read->option->name != "O" && read->option->name != "m";
}

std::vector<ArchOption> archOptions(const std::vector<std::string> &words) {
  std::vector<ArchOption> all;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::optional<NvccWord> read = readNvccWord(words[i]);
    const bool hasNext = takesNextWord(words[i]) && i + 1 < words.size();
    if (read && read->option->role == NvccOption::Role::Architecture)
      all.push_back({hasNext ? words[i] + " " + words[i + 1] : words[i],
                     archIn(hasNext ? words[i + 1] : std::string(read->value))});
    i += hasNext;
  }
  return all;
}

} // namespace heddle::source
