// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/LoopText.h"

#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/MarkedText.h"
#include "transform/loops/LoopStudy.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <sstream>

using namespace clang;

namespace heddle::transform {

using analysis::plainStatement;

namespace {

/// Byte offsets of a range in its file: macros count where they are used.
struct Bytes {
  FileID file;
  unsigned begin = 0, end = 0;
};

Bytes bytesOf(const source::Unit &unit, SourceRange range) {
  const SourceManager &sources = unit.sources();
  CharSourceRange written = sources.getExpansionRange(range);
  Bytes bytes;
  bytes.file = sources.getFileID(written.getBegin());
  bytes.begin = sources.getFileOffset(written.getBegin());
  bytes.end = sources.getFileOffset(written.getEnd());
  if (written.isTokenRange())
    bytes.end += Lexer::MeasureTokenLength(written.getEnd(), sources, unit.context().getLangOpts());
  return bytes;
}

std::string strip(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// What stands between two statements: behind the first on its line, and whole lines before the second.
std::pair<std::string, std::string> splitGap(const std::string &gap) {
  size_t line = gap.find('\n');
  if (line == std::string::npos)
    return {strip(gap), ""};
  std::string rest = gap.substr(line + 1);
  size_t last = rest.rfind('\n');
  return {strip(gap.substr(0, line)), last == std::string::npos ? "" : rest.substr(0, last + 1)};
}

} // namespace

std::string moved(const std::string &text, const std::string &from, const std::string &to) {
  if (from == to)
    return text;
  std::string result;
  for (size_t at = 0;;) {
    size_t line = text.find('\n', at);
    result += text.substr(at, line == std::string::npos ? line : line + 1 - at);
    if (line == std::string::npos)
      return result;
    at = line + 1;
    if (text.compare(at, from.size(), from) == 0 && at < text.size() && text[at] != '\n') {
      result += to;
      at += from.size();
    }
  }
}

std::string movedLines(const std::string &lines, const std::string &from, const std::string &to) {
  return lines.empty() ? lines : moved("\n" + lines, from, to).substr(1);
}

namespace {

std::string linesThat(const std::string &lines, bool arePragmas) {
  std::string kept, line;
  std::istringstream in(lines);
  while (std::getline(in, line))
    if (strip(line).starts_with("#") == arePragmas)
      kept += line + "\n";
  return kept;
}

} // namespace

std::string pragmasOf(const std::string &lines) { return linesThat(lines, true); }
std::string commentsOf(const std::string &lines) { return linesThat(lines, false); }

bool hasConditionalText(const source::Unit &unit, SourceRange range) {
  Bytes bytes = bytesOf(unit, range);
  std::string line;
  std::istringstream in(
      std::string(unit.sources().getBufferData(bytes.file).substr(bytes.begin, bytes.end - bytes.begin)));
  while (std::getline(in, line)) {
    std::string words = strip(line);
    if (!words.starts_with("#"))
      continue;
    words = strip(words.substr(1));
    for (const char *word : {"if", "el", "endif", "include", "define", "undef"})
      if (words.starts_with(word))
        return true;
  }
  return false;
}

void replaceStatement(source::Edits &edits, const source::Unit &unit, const Stmt *statement,
                      const Stmt *parent, const std::string &text, bool isSeveral) {
  SourceRange range = wholeStatement(unit, statement);
  if (!isSeveral || isa_and_nonnull<CompoundStmt>(parent)) {
    edits.replace(unit, range, text);
    return;
  }
  LoopText lines(unit);
  SourceLocation before = unit.tokens().expandedTokens()[source::tokensOf(unit, range).begin - 1].location();
  bool isOnOwnLine = unit.place(before).line != unit.place(statement->getBeginLoc()).line;
  std::string own = lines.indentOf(statement), outside = isOnOwnLine ? lines.indentOf(parent) : own;
  if (isOnOwnLine)
    edits.insertAfter(unit, before, " {");
  edits.replace(unit, range, (isOnOwnLine ? "" : "{\n" + own) + text + "\n" + outside + "}");
}

std::string LoopText::range(SourceRange range, const std::vector<source::Replacement> &parts) {
  source::Rendered rendered = source::render(unit, range, parts);
  if (auto *text = std::get_if<std::string>(&rendered))
    return *text;
  if (!failure)
    failure = std::get<Diagnostic>(rendered);
  return {};
}

std::string LoopText::statement(const Stmt *statement, const std::string &indent,
                                const std::vector<source::Replacement> &parts) {
  return moved(range(wholeStatement(unit, statement), parts), indentOf(statement), indent);
}

std::string LoopText::head(const ForStmt *loop, const std::vector<source::Replacement> &parts) {
  return range({loop->getInit()->getBeginLoc(), loop->getInc()->getEndLoc()}, parts);
}

std::string LoopText::written(SourceRange range) const {
  Bytes bytes = bytesOf(unit, range);
  return std::string(unit.sources().getBufferData(bytes.file).substr(bytes.begin, bytes.end - bytes.begin));
}

std::string LoopText::behindHead(const ForStmt *loop, const std::string &indent) {
  SourceRange range = wholeStatement(unit, loop);
  range.setBegin(loop->getRParenLoc());
  return moved(written(range).substr(1), indentOf(loop), indent);
}

BlockText LoopText::block(const Stmt *body) {
  BlockText text;
  body = plainStatement(body);
  auto *block = dyn_cast<CompoundStmt>(body);
  if (!block) {
    text.parts.push_back({body, "", ""});
    return text;
  }
  llvm::StringRef buffer;
  unsigned at = 0;
  auto gapUntil = [&](unsigned end) {
    return splitGap(std::string(buffer.substr(at, end > at ? end - at : 0)));
  };
  Bytes whole = bytesOf(unit, block->getSourceRange());
  buffer = unit.sources().getBufferData(whole.file);
  at = whole.begin + 1;
  for (const Stmt *statement : block->body()) {
    statement = plainStatement(statement);
    Bytes bytes = bytesOf(unit, wholeStatement(unit, statement));
    auto [trail, lead] = gapUntil(bytes.begin);
    if (!text.parts.empty())
      text.parts.back().trail = trail;
    text.parts.push_back({statement, lead, ""});
    at = bytes.end;
  }
  auto [trail, lead] = gapUntil(whole.end - 1);
  if (!text.parts.empty())
    text.parts.back().trail = trail;
  text.end = lead;
  return text;
}

std::string LoopText::indentOf(const Stmt *statement) const {
  std::string line = unit.place(statement->getBeginLoc()).sourceLine;
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string LoopText::stepOf(const Stmt *outer, const Stmt *body) const {
  std::string around = indentOf(outer);
  for (const Stmt *statement : statementsOf(body))
    if (std::string inner = indentOf(statement); inner.size() > around.size() && inner.starts_with(around))
      return inner.substr(around.size());
  return "  ";
}

} // namespace heddle::transform
