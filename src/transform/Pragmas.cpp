// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang forgets pragmas that it does not know, so they are found in the raw tokens of the file. Raw tokens
// leave comments and strings behind, which a search for the words would not.
#include "transform/Pragmas.h"

#include "source/Program.h"
#include "source/Unit.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace clang;

namespace heddle::transform {
namespace {

std::string_view textOfLine(const std::string &text, size_t offset) {
  size_t begin = text.rfind('\n', offset);
  begin = begin == std::string::npos ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', offset), text.size());
  return std::string_view(text).substr(begin, end - begin);
}

/// Where the line ends whose last word ends at `offset`: a backslash or a comment may hide line ends.
size_t endOfDirective(const std::string &text, size_t offset) {
  const llvm::StringRef all = text;
  bool isLineComment = false; // in which /* begins nothing
  while (offset < text.size() && text[offset] != '\n') {
    const llvm::StringRef rest = all.substr(offset);
    isLineComment |= rest.starts_with("//");
    if (!isLineComment && rest.starts_with("/*"))
      offset = std::min(all.find("*/", offset + 2), text.size() - 2) + 2;
    else if (rest.starts_with("\\\r\n"))
      offset += 3;
    else
      offset += rest.starts_with("\\\n") ? 2 : 1;
  }
  return offset;
}

/// Reads the pragmas of a text one by one.
class PragmaReader {
public:
  PragmaReader(const std::string &file, const std::string &text)
      : file(file), text(text),
        lexer(clang::SourceLocation(), options(), text.data(), text.data(), text.data() + text.size()) {
    lexer.LexFromRawLexer(token);
  }

  std::optional<Pragma> next() {
    while (token.isNot(tok::eof)) {
      const bool isDirective = token.is(tok::hash) && token.isAtStartOfLine();
      const size_t hash = offset();
      lexer.LexFromRawLexer(token);
      if (!isDirective || !isWord("pragma"))
        continue;
      lexer.LexFromRawLexer(token);
      if (isWord("heddle"))
        return read(hash);
    }
    return std::nullopt;
  }

private:
  static LangOptions options() {
    LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = true;
    return options;
  }
  size_t offset() { return lexer.getCurrentBufferOffset() - token.getLength(); }
  bool isWord(llvm::StringRef word) const {
    return token.is(tok::raw_identifier) && token.getRawIdentifier() == word && !token.isAtStartOfLine();
  }

  /// The words from here to the end of the line, each at its distance from the first.
  Pragma read(size_t hash) {
    const size_t begin = lexer.getCurrentBufferOffset();
    size_t end = begin;
    Pragma found;
    for (lexer.LexFromRawLexer(token); token.isNot(tok::eof) && !token.isAtStartOfLine();
         lexer.LexFromRawLexer(token)) {
      found.text.append(offset() - end, ' ').append(text, offset(), token.getLength());
      end = lexer.getCurrentBufferOffset();
    }
    const std::string_view line = textOfLine(text, hash);
    const size_t lineBegin = size_t(line.data() - text.data());
    found.line = 1 + unsigned(std::count(text.begin(), text.begin() + long(lineBegin), '\n'));
    const size_t close = endOfDirective(text, end);
    found.lines = 1 + unsigned(std::count(text.begin() + long(lineBegin), text.begin() + long(close), '\n'));
    // Locations within the directive are columns of one line.
    const std::string shown =
        found.lines == 1 ? std::string(line) : text.substr(lineBegin, begin - lineBegin) + found.text;
    found.location = {file, found.line, unsigned(begin - lineBegin) + 1, unsigned(shown.size()) + 1, shown};
    return found;
  }

  const std::string &file, &text;
  Lexer lexer;
  clang::Token token;
};

} // namespace

std::optional<Pragma> firstPragma(const std::string &file, const std::string &text) {
  return PragmaReader(file, text).next();
}

std::vector<Pragma> skippedPragmas(const source::Program &program, const std::string &text) {
  std::set<unsigned> read;
  for (const source::Unit *unit : {&program.device(), &program.host()})
    for (clang::SourceLocation at : unit->pragmas()) {
      const SourceManager &sources = unit->sources();
      if (at = sources.getExpansionLoc(at); sources.isWrittenInMainFile(at))
        read.insert(sources.getSpellingLineNumber(at));
    }
  std::vector<Pragma> skipped;
  PragmaReader reader(program.file().string(), text);
  while (std::optional<Pragma> pragma = reader.next())
    if (!read.contains(pragma->line))
      skipped.push_back(std::move(*pragma));
  return skipped;
}

void refusePragmaOperators(const source::Program &program, Diagnostics &diagnostics) {
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> refused; // both sides read them
  for (const source::Unit *unit : {&program.device(), &program.host()})
    for (const source::PragmaOperator &each : unit->pragmaOperators())
      if (const SourceLocation at = unit->location(each.location);
          refused.insert({at.file, at.line, at.column, each.text}).second)
        diagnostics.refuse(at, fmt::format("_Pragma(\"heddle {}\") is not applied", each.text))
            .withHint(fmt::format("write it as a line: #pragma heddle {}", each.text));
}

} // namespace heddle::transform
