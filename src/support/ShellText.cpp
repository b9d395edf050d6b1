// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ShellText.h"

namespace heddle {

std::string shellWord(const std::string &word) {
  const bool isPlain =
      !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789-_=+./,:@%") == std::string::npos;
  if (isPlain)
    return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::string shellCommand(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + shellWord(word);
  return text;
}

} // namespace heddle
