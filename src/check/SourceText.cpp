// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/SourceText.h"

#include "ptx/Module.h"

#include <fstream>
#include <set>
#include <sstream>

namespace heddle::check {
namespace {

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Where a word is, from `from` on; npos: nowhere.
size_t findWord(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isWordChar(text[at - 1])) && (end == text.size() || !isWordChar(text[end])))
      return at;
  }
  return std::string_view::npos;
}

bool hasWord(std::string_view text, std::string_view word) {
  return findWord(text, word) != std::string_view::npos;
}

} // namespace

std::vector<std::string> sourcesOf(const ptx::Module &module) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const ptx::SourceFile &file : module.files) {
    if (!seen.insert(file.path).second)
      continue;
    std::ifstream in(file.path);
    std::stringstream text;
    text << in.rdbuf();
    if (in)
      texts.push_back(text.str());
  }
  return texts;
}

LaunchesSeen launchesOf(std::string_view text, std::string_view kernel) {
  LaunchesSeen seen;
  for (size_t at = findWord(text, kernel); at != std::string_view::npos;
       at = findWord(text, kernel, at + 1)) {
    size_t next = text.find_first_not_of(" \t\n\r", at + kernel.size());
    if (next != std::string_view::npos && text[next] == '<' && text.substr(next, 3) != "<<<") {
      int depth = 0; // template arguments
      do {
        depth += text[next] == '<';
        depth -= text[next] == '>';
        ++next;
      } while (depth > 0 && next < text.size());
      next = text.find_first_not_of(" \t\n\r", next);
    }
    const bool isPlain = next != std::string_view::npos && text.substr(next, 3) == "<<<";
    seen.plain |= isPlain;
    const size_t begin = text.find_last_of(";{}", at);
    const std::string_view before = text.substr(begin == std::string_view::npos ? 0 : begin,
                                                at - (begin == std::string_view::npos ? 0 : begin));
    seen.cooperative |= before.find("LaunchCooperativeKernel") != std::string_view::npos;
    if (isPlain || before.find("cudaLaunch") != std::string_view::npos)
      seen.at.push_back(at);
  }
  return seen;
}

bool isDeclaredConst(std::string_view text, std::string_view name) {
  bool isFound = false;
  for (size_t at = findWord(text, name); at != std::string_view::npos; at = findWord(text, name, at + 1)) {
    // The declaration so far: what follows the last statement, block or directive.
    const size_t begin = text.find_last_of(";{}#", at);
    const std::string_view before = text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                                                at - (begin == std::string_view::npos ? 0 : begin + 1));
    if (!hasWord(before, "__device__") && !hasWord(before, "__constant__"))
      continue;
    if (before.find_first_of("=(") != std::string_view::npos)
      return false; // part of an initializer or of a function: who knows
    const size_t pointer = before.rfind('*');
    const std::string_view own = pointer == std::string_view::npos ? before : before.substr(pointer);
    if (!hasWord(own, "const") && !hasWord(before, "constexpr"))
      return false;
    isFound = true;
  }
  return isFound;
}

} // namespace heddle::check
