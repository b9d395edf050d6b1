// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/ResponseFiles.h"

#include "source/NvccOptions.h"
#include "support/Files.h"

#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

namespace heddle::source {
namespace {

/// A file that names itself would never end.
constexpr unsigned deepestFile = 16;

class Expansion {
public:
  Expansion(Dialect dialect, const std::filesystem::path &folder) : dialect(dialect), folder(folder) {}

  void add(const std::vector<std::string> &words, unsigned depth) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (depth == 0)
        given = i;
      const std::string *next = i + 1 < words.size() ? &words[i + 1] : nullptr;
      const Named named = filesNamedBy(words[i], next);
      if (depth < deepestFile && !named.files.empty() && addFiles(named.files, depth))
        i += named.usesNext;
      else
        result.push_back({words[i], depth > 0, given});
    }
  }

  std::vector<CommandWord> result;

private:
  struct Named {
    std::vector<std::string> files = {};
    bool usesNext = false;
  };

  Named filesNamedBy(const std::string &word, const std::string *next) const {
    if (dialect == Dialect::Clang)
      return word.size() > 1 && word[0] == '@' ? Named{{word.substr(1)}} : Named{};
    for (const char *name : {"-optf", "--optf", "-options-file", "--options-file"}) {
      const std::string withValue = std::string(name) + "=";
      if (word.starts_with(withValue))
        return {valuesOf(word.substr(withValue.size()))};
      if (word == name && next)
        return {valuesOf(*next), true};
    }
    return {};
  }

  bool addFiles(const std::vector<std::string> &files, unsigned depth) {
    std::vector<std::string> words;
    for (const std::string &file : files) {
      const auto text = readFile(folder / file);
      if (!std::holds_alternative<std::string>(text))
        return false;
      llvm::BumpPtrAllocator memory;
      llvm::StringSaver saver(memory);
      llvm::SmallVector<const char *> found;
      llvm::cl::TokenizeGNUCommandLine(std::get<std::string>(text), saver, found);
      words.insert(words.end(), found.begin(), found.end());
    }
    add(words, depth + 1);
    return true;
  }

  const Dialect dialect;
  const std::filesystem::path &folder;
  size_t given = 0;
};

} // namespace

std::vector<CommandWord> withResponseFiles(const std::vector<std::string> &words, Dialect dialect,
                                           const std::filesystem::path &folder) {
  Expansion expansion(dialect, folder);
  expansion.add(words, 0);
  return std::move(expansion.result);
}

} // namespace heddle::source
