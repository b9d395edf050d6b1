// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/NvccEnvironment.h"

#include <cstdlib>

namespace heddle::source {
namespace {

std::vector<std::string> expandedWords(std::string_view value) {
  std::vector<std::string> words;
  for (const CommandWord &word : withResponseFiles(wordsOfVariable(value), Dialect::Nvcc))
    words.push_back(word.text);
  return words;
}

std::string_view valueOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

} // namespace

std::vector<std::string> wordsOfVariable(std::string_view value) {
  std::vector<std::string> words;
  std::string word;
  bool isQuoted = false;
  for (char c : value) {
    const bool isBlank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (c == '"')
      isQuoted = !isQuoted;
    if (!isBlank || isQuoted) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  if (!word.empty())
    words.push_back(word);
  return words;
}

CompilerCommand withVariables(const CompilerCommand &command, std::string_view prepended,
                              std::string_view appended) {
  const std::vector<std::string> before = expandedWords(prepended), after = expandedWords(appended);
  if (command.dialect != Dialect::Nvcc || (before.empty() && after.empty()))
    return command;
  std::vector<std::string> texts;
  for (const CommandWord &word : command.words)
    texts.push_back(word.text);
  texts.insert(texts.end(), after.begin(), after.end());
  texts.insert(texts.begin() + long(command.compilerWords), before.begin(), before.end());

  CompilerCommand all = readCommand(texts);
  all.words = command.words;
  std::vector<CommandInput> given;
  for (CommandInput input : all.inputs)
    if (const size_t first = command.compilerWords + before.size();
        input.word >= first && input.word - before.size() < command.words.size()) {
      input.word -= before.size();
      given.push_back(input);
    }
  all.inputs = given;
  return all;
}

CompilerCommand withEnvironment(const CompilerCommand &command) {
  return withVariables(command, valueOf("NVCC_PREPEND_FLAGS"), valueOf("NVCC_APPEND_FLAGS"));
}

} // namespace heddle::source
