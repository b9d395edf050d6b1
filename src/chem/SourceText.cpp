// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/SourceText.h"

#include "support/ExitCode.h"
#include "support/Files.h"

#include <algorithm>
#include <cctype>

namespace heddle::chem {
namespace {

/// Some editors put it before the first letter of a file.
constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

char upper(char c) { return char(std::toupper(static_cast<unsigned char>(c))); }

bool isBlankLetter(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\0'; }

} // namespace

std::optional<SourceText> readSource(const std::filesystem::path &file, Diagnostics &diagnostics) {
  std::variant<std::string, FileFailure> text = readFile(file);
  if (auto *failure = std::get_if<FileFailure>(&text)) {
    // A wrong name is the user's to mend, like a wrong line; that the system fails is not.
    if (failure->exitCode() == ExitInputOutput)
      throw FileError(std::move(*failure));
    diagnostics.error({.file = file.string()}, failure->text());
    return std::nullopt;
  }
  return SourceText{file.string(), std::get<std::string>(std::move(text))};
}

SourceLocation Line::at(size_t column, size_t length) const {
  return {*file, number, unsigned(column) + 1, unsigned(column + length) + 1, text};
}

SourceLocation Line::whole() const {
  std::string_view inner = trimmed(code());
  return inner.empty() ? at(0) : at(size_t(inner.data() - text.data()), inner.size());
}

bool Line::isBlank() const { return trimmed(code()).empty(); }

std::vector<Line> splitLines(const SourceText &source) {
  std::vector<Line> lines;
  for (size_t begin = source.text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
       begin < source.text.size();) {
    size_t end = std::min(source.text.find_first_of("\r\n", begin), source.text.size());
    std::string text = source.text.substr(begin, end - begin);
    size_t content = std::min(text.find('!'), text.size());
    lines.push_back({&source.name, unsigned(lines.size()) + 1, std::move(text), 0, content});
    begin = end + (source.text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return lines;
}

std::vector<Word> splitWords(std::string_view text, size_t firstColumn) {
  std::vector<Word> words;
  for (size_t i = 0; i < text.size();) {
    if (isBlankLetter(text[i])) {
      ++i;
      continue;
    }
    size_t begin = i;
    while (i < text.size() && !isBlankLetter(text[i]))
      ++i;
    words.push_back({text.substr(begin, i - begin), firstColumn + begin});
  }
  return words;
}

std::vector<Word> splitWords(const Line &line) { return splitWords(line.code(), line.begin); }

std::string upperCase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), upper);
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlankLetter(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlankLetter(text.back()))
    text.remove_suffix(1);
  return text;
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return upper(x) == upper(y); });
}

} // namespace heddle::chem
