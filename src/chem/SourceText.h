// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of an input file, and places in it.
#pragma once

#include "support/Diagnostics.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::chem {

/// A file as bytes; `name` is what messages call it.
struct SourceText {
  std::string name;
  std::string text;
};

/// The bytes of a file, whatever they are; nothing, with an error, where it cannot be read.
std::optional<SourceText> readSource(const std::filesystem::path &file, Diagnostics &diagnostics);

/// One line of a file without its line end. It keeps its file's name, so that a place needs nothing else.
struct Line {
  const std::string *file = nullptr;
  unsigned number = 0;
  std::string text; ///< the whole line, as messages show it
  /// What counts of it: a comment does not, nor the keyword of a block that goes on in the same line.
  size_t begin = 0, end = 0;

  std::string_view code() const { return std::string_view(text).substr(begin, end - begin); }
  bool isBlank() const;
  /// Columns count from 0 here and from 1 in the place.
  SourceLocation at(size_t column, size_t length = 1) const;
  /// The line from its first letter to its last, comments left out.
  SourceLocation whole() const;
};

/// Lines end in LF, CRLF or CR; a comment runs from `!` to the end of the line. The lines point at
/// `source.name`, and words into lines, so these have to stay where they are.
std::vector<Line> splitLines(const SourceText &source);

/// A word of a line and the column, from 0, where it begins.
struct Word {
  std::string_view text;
  size_t column = 0;
};

/// Words between blanks and tabs.
std::vector<Word> splitWords(std::string_view text, size_t firstColumn = 0);
std::vector<Word> splitWords(const Line &line);

std::string upperCase(std::string_view text);
std::string_view trimmed(std::string_view text);
bool equalsIgnoringCase(std::string_view a, std::string_view b);

} // namespace heddle::chem
