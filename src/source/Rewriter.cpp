// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Rewriter.h"

#include "source/TextEdits.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>

using namespace clang;

namespace heddle::source {
namespace {

/// Byte offsets of a range in its file: macros count where they are used.
struct Bytes {
  FileID file;
  unsigned begin = 0, end = 0;
};

Bytes bytesOf(const Unit &unit, SourceRange range) {
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

/// The text of the file, with its lines.
EditText writtenText(const Unit &unit, const Bytes &bytes) {
  const SourceManager &sources = unit.sources();
  EditText text(sources.getBufferData(bytes.file).slice(bytes.begin, bytes.end).str());
  if (bytes.file != sources.getMainFileID())
    return text;
  const unsigned first = sources.getLineNumber(bytes.file, bytes.begin);
  for (unsigned i = 0; i <= std::ranges::count(text.text, '\n'); ++i)
    text.origins.push_back(first + i);
  return text;
}

std::string trimmedRight(std::string text) {
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

/// The end of the first line; not inside a comment that goes over several lines.
size_t firstNewline(const std::string &text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n')
      return i;
    if (text.compare(i, 2, "//") == 0)
      return text.find('\n', i);
    if (text.compare(i, 2, "/*") == 0)
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
  }
  return std::string::npos;
}

const Stmt *withoutAttributes(const Stmt *statement) {
  while (auto *attributed = dyn_cast<AttributedStmt>(statement))
    statement = attributed->getSubStmt();
  return statement;
}

/// The statement whose end is the end of this one.
const Stmt *lastStatement(const Stmt *statement) {
  for (;;) {
    const Stmt *inner = nullptr;
    if (auto *branch = dyn_cast<IfStmt>(statement))
      inner = branch->getElse() ? branch->getElse() : branch->getThen();
    else if (auto *loop = dyn_cast<ForStmt>(statement))
      inner = loop->getBody();
    else if (auto *whileLoop = dyn_cast<WhileStmt>(statement))
      inner = whileLoop->getBody();
    else if (auto *rangeLoop = dyn_cast<CXXForRangeStmt>(statement))
      inner = rangeLoop->getBody();
    else if (auto *choice = dyn_cast<SwitchStmt>(statement))
      inner = choice->getBody();
    else if (auto *label = dyn_cast<SwitchCase>(statement))
      inner = label->getSubStmt();
    else if (auto *attributed = dyn_cast<AttributedStmt>(statement))
      inner = attributed->getSubStmt();
    if (!inner)
      return statement;
    statement = inner;
  }
}

/// Ends with its last token. In an instantiation Clang puts an empty block in place of what `if constexpr`
/// discards, with the range of the discarded statement: that has braces only where the text does.
bool includesItsEnd(const Unit &unit, const Stmt *statement) {
  auto *block = dyn_cast<CompoundStmt>(statement);
  if (!block)
    return isa<NullStmt, DeclStmt>(statement);
  const SourceManager &sources = unit.sources();
  return *sources.getCharacterData(sources.getSpellingLoc(block->getLBracLoc())) == '{';
}

} // namespace

SourceRange wholeStatement(const Unit &unit, const Stmt *statement) {
  SourceRange range = statement->getSourceRange();
  if (includesItsEnd(unit, lastStatement(statement)))
    return range;
  TokenEdit tokens = tokensOf(unit, range);
  llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
  if (tokens.end < all.size() && all[tokens.end].kind() == tok::semi)
    range.setEnd(all[tokens.end].location());
  return range;
}

bool hasConditionalText(const Unit &unit, SourceRange range) {
  const Bytes bytes = bytesOf(unit, range);
  llvm::StringRef rest = unit.sources().getBufferData(bytes.file).slice(bytes.begin, bytes.end);
  while (!rest.empty()) {
    auto [line, below] = rest.split('\n');
    line = line.trim();
    if (line.consume_front("#"))
      for (const char *word : {"if", "el", "endif", "include", "define", "undef"})
        if (line.ltrim().starts_with(word))
          return true;
    rest = below;
  }
  return false;
}

Gap::Gap(const EditText &between, std::string_view before, std::optional<std::string> depth) {
  const std::string &text = between.text;
  const size_t first = firstNewline(text);
  sameLine = Code::written({trimmedRight(text.substr(0, first)), between.origins}, before);
  if (first == std::string::npos)
    return;
  hasNewline = true;
  const size_t last = text.rfind('\n');
  indent = text.substr(last + 1);
  std::string whole = last == first ? std::string() : text.substr(first + 1, last - first);
  // A comment right before the statement, on its line: it stays with the lines above.
  if (size_t word = indent.find_first_not_of(" \t"); word != std::string::npos) {
    whole += trimmedRight(indent) + "\n";
    indent.resize(word);
  }
  const size_t above = size_t(std::count(text.begin(), text.begin() + long(first) + 1, '\n'));
  lines = Code::writtenLines(whole, depth.value_or(indent),
                             above < between.origins.size() ? between.origins[above] : 0);
}

Code BlockPart::around(const Code &code) const {
  Code all = lead;
  return all.add(Code(code).join(trail));
}

// Reading
// -------------------------------------------------------------------------------------------------------------

Code Rewriter::code(SourceRange range, const std::vector<Replacement> &parts) {
  std::variant<EditText, Diagnostic> rendered = renderLines(unit, range, parts);
  if (auto *text = std::get_if<EditText>(&rendered))
    return Code::written(*text, indentOf(range.getBegin()));
  if (!failure)
    failure = std::get<Diagnostic>(rendered);
  return {};
}

Code Rewriter::statement(const Stmt *statement, const std::vector<Replacement> &parts) {
  return code(wholeStatement(unit, statement), parts);
}

std::string Rewriter::text(SourceRange range, const std::vector<Replacement> &parts) {
  Rendered rendered = render(unit, range, parts);
  if (auto *text = std::get_if<std::string>(&rendered))
    return *text;
  if (!failure)
    failure = std::get<Diagnostic>(rendered);
  return {};
}

std::string Rewriter::text(const Stmt *expression, const std::vector<Replacement> &parts) {
  return text(expression->getSourceRange(), parts);
}

Code Rewriter::head(const ForStmt *loop) {
  return Code("for (").join(code({loop->getInit()->getBeginLoc(), loop->getInc()->getEndLoc()})).join(")");
}

Code Rewriter::behindHead(const ForStmt *loop) {
  Bytes bytes = bytesOf(unit, {loop->getRParenLoc(), wholeStatement(unit, loop).getEnd()});
  ++bytes.begin; // the parenthesis
  return Code::written(writtenText(unit, bytes), indentOf(loop));
}

BlockText Rewriter::block(const Stmt *body) {
  BlockText text;
  body = withoutAttributes(body);
  auto *block = dyn_cast<CompoundStmt>(body);
  if (!block) {
    text.parts.push_back({body, {}, {}});
    return text;
  }
  Bytes whole = bytesOf(unit, block->getSourceRange());
  unsigned at = whole.begin + 1;
  const auto gapUntil = [&](unsigned end, std::optional<std::string> depth = {}) {
    const std::string before = text.parts.empty() ? "" : indentOf(text.parts.back().statement);
    return Gap(writtenText(unit, {whole.file, at, std::max(at, end)}), before, depth);
  };
  for (const Stmt *statement : block->body()) {
    statement = withoutAttributes(statement);
    const Bytes bytes = bytesOf(unit, wholeStatement(unit, statement));
    const Gap gap = gapUntil(bytes.begin);
    if (!text.parts.empty())
      text.parts.back().trail = gap.sameLine;
    text.parts.push_back({statement, gap.lines, {}});
    at = bytes.end;
  }
  std::optional<std::string> depth; // of the statements, not of the brace
  if (!text.parts.empty())
    depth = indentOf(text.parts.back().statement);
  const Gap gap = gapUntil(whole.end - 1, depth);
  if (!text.parts.empty())
    text.parts.back().trail = gap.sameLine;
  text.end = gap.lines;
  return text;
}

std::string Rewriter::indentOf(clang::SourceLocation location) const {
  const std::string line = unit.location(location).sourceLine;
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string Rewriter::indentOf(const Stmt *statement) const {
  return indentOf(isa<CompoundStmt>(statement) ? statement->getEndLoc() : statement->getBeginLoc());
}

std::string Rewriter::stepOf(const Stmt *outer, const Stmt *body) const {
  return stepBeyond(indentOf(outer), body);
}

std::string Rewriter::stepBeyond(const std::string &around, const Stmt *body) const {
  const auto stepTo = [&](const Stmt *statement) {
    const std::string inner = indentOf(withoutAttributes(statement));
    return inner.size() > around.size() && inner.starts_with(around) ? inner.substr(around.size()) : "";
  };
  if (auto *block = dyn_cast<CompoundStmt>(withoutAttributes(body))) {
    for (const Stmt *statement : block->body())
      if (std::string step = stepTo(statement); !step.empty())
        return step;
  } else if (std::string step = stepTo(body); !step.empty()) {
    return step;
  }
  return "  ";
}

unsigned Rewriter::lineOf(const Stmt *statement) const { return unit.location(statement).line; }

// Writing
// -------------------------------------------------------------------------------------------------------------

void Rewriter::replace(Edits &edits, SourceRange range, const Code &code) const {
  edits.replace(unit, range, code.at(indentOf(range.getBegin())));
}

void Rewriter::replace(Edits &edits, const Stmt *statement, const Stmt *parent, const Code &code,
                       bool isSeveral) const {
  const SourceRange range = wholeStatement(unit, statement);
  if (!isSeveral || isa_and_nonnull<CompoundStmt>(parent))
    return edits.replace(unit, range, code.at(indentOf(statement)));
  const clang::SourceLocation before =
      unit.tokens().expandedTokens()[tokensOf(unit, range).begin - 1].location();
  if (unit.location(before).line == unit.location(statement->getBeginLoc()).line)
    return replace(edits, range, Code("{").add(code).add("}"));
  edits.insertAfter(unit, before, " {");
  EditText text = code.at(indentOf(statement));
  text.text += "\n" + indentOf(parent) + "}";
  edits.replace(unit, range, std::move(text));
}

void Rewriter::insertBefore(Edits &edits, const Stmt *statement, const Code &lines) const {
  // A pragma leaves no token: what goes before it goes after the token that it follows.
  const size_t first = tokensOf(unit, withoutAttributes(statement)->getSourceRange()).begin;
  insertBehind(edits, unit.tokens().expandedTokens()[first - 1].location(), lines, statement->getBeginLoc());
}

void Rewriter::insertOnLine(Edits &edits, clang::SourceLocation token, const Code &lines) const {
  const std::string indent = indentOf(token);
  EditText text = lines.at(indent);
  text.text += "\n" + indent;
  edits.insertBefore(unit, token, std::move(text));
}

void Rewriter::insertBehind(Edits &edits, clang::SourceLocation token, const Code &lines,
                            clang::SourceLocation like) const {
  EditText text = Code::blankLine().add(lines).at(indentOf(like));
  edits.insertAfter(unit, token, std::move(text));
}

void Rewriter::insertAtTop(Edits &edits, const CompoundStmt *block, const Code &lines) const {
  const std::string step = stepOf(block, block);
  insertBehind(edits, block->getLBracLoc(), lines.deeper(step), block->getRBracLoc());
}

} // namespace heddle::source
