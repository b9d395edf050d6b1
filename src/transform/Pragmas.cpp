// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang forgets pragmas that it does not know, so they are found in the raw tokens of the file. Raw tokens
// leave comments and strings behind, which a search for the words would not.
#include "transform/Pragmas.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace heddle::transform {
namespace {

std::string_view textOfLine(const std::string &text, size_t offset) {
  size_t begin = text.rfind('\n', offset);
  begin = begin == std::string::npos ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', offset), text.size());
  return std::string_view(text).substr(begin, end - begin);
}

} // namespace

std::optional<Pragma> firstPragma(const std::string &file, const std::string &text) {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = true;
  Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
  Token token;
  auto isWord = [&](llvm::StringRef word) {
    return token.is(tok::raw_identifier) && token.getRawIdentifier() == word && !token.isAtStartOfLine();
  };
  while (!lexer.LexFromRawLexer(token)) {
    if (!token.is(tok::hash) || !token.isAtStartOfLine())
      continue;
    size_t offset = size_t(lexer.getBufferLocation() - text.data());
    lexer.LexFromRawLexer(token);
    if (!isWord("pragma"))
      continue;
    lexer.LexFromRawLexer(token);
    if (!isWord("heddle"))
      continue;
    std::string_view line = textOfLine(text, offset);
    size_t begin = size_t(lexer.getBufferLocation() - line.data());
    Pragma found;
    found.text = line.substr(std::min(begin, line.size()));
    found.line = 1 + unsigned(std::count(text.begin(), text.begin() + long(line.data() - text.data()), '\n'));
    found.location = {file, found.line, unsigned(begin) + 1, unsigned(line.size()) + 1, std::string(line)};
    return found;
  }
  return std::nullopt;
}

} // namespace heddle::transform
