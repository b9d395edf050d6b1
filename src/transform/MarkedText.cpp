// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks are put into the text as control characters that no source holds, together with the replacements, by
// the machinery that knows about macros; what comes out is taken apart along them.
#include "transform/MarkedText.h"

#include "source/Unit.h"

#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>

using namespace clang;

namespace heddle::transform {
namespace {

constexpr char opening = '\x01', closing = '\x02', ending = '\x03';

std::string openingMark(unsigned id) { return opening + std::to_string(id) + ending; }
std::string closingMark(unsigned id) { return closing + std::to_string(id) + ending; }

/// Reads marked text; `at` is behind the opening mark of `part`.
class MarkReader {
public:
  explicit MarkReader(const std::string &text) : text(text) {}

  std::unique_ptr<MarkedPart> read(unsigned id) {
    auto part = std::make_unique<MarkedPart>();
    part->id = id;
    for (;;) {
      size_t next = text.find_first_of("\x01\x02", at);
      if (size_t end = std::min(next, text.size()); end > at)
        part->pieces.push_back({text.substr(at, end - at), nullptr});
      if (next == std::string::npos)
        return part;
      size_t end = text.find(ending, next);
      unsigned number = unsigned(std::stoul(text.substr(next + 1, end - next - 1)));
      at = end + 1;
      if (text[next] == closing)
        return part;
      part->pieces.push_back({{}, read(number)});
    }
  }

private:
  const std::string &text;
  size_t at = 0;
};

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

} // namespace

SourceRange wholeStatement(const source::Unit &unit, const Stmt *statement) {
  SourceRange range = statement->getSourceRange();
  const Stmt *last = lastStatement(statement);
  if (isa<CompoundStmt, NullStmt, DeclStmt>(last))
    return range;
  source::TokenEdit tokens = source::tokensOf(unit, range);
  llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
  if (tokens.end < all.size() && all[tokens.end].kind() == tok::semi)
    range.setEnd(all[tokens.end].location());
  return range;
}

std::string MarkedPart::str() const {
  std::string text;
  for (const Piece &piece : pieces)
    text += piece.part ? piece.part->str() : piece.text;
  return text;
}

void MarkedText::replace(SourceRange range, std::string text) {
  source::TokenEdit edit = source::tokensOf(unit, range);
  edit.text = std::move(text);
  if (edit.begin != edit.end)
    replacements.push_back(std::move(edit));
}

void MarkedText::mark(SourceRange range, unsigned id) {
  source::TokenEdit tokens = source::tokensOf(unit, range);
  insertions[tokens.begin].beforeNext += openingMark(id);
  std::string &end = insertions[tokens.end].behindPrevious;
  end = closingMark(id) + end;
}

void MarkedText::markBetween(SourceLocation first, SourceLocation last, unsigned id) {
  insertions[source::tokensOf(unit, {first, first}).end].behindPrevious += openingMark(id);
  std::string &end = insertions[source::tokensOf(unit, {last, last}).begin].beforeNext;
  end = closingMark(id) + end;
}

std::variant<std::unique_ptr<MarkedPart>, Diagnostic> MarkedText::take() const {
  std::vector<source::TokenEdit> edits = replacements;
  for (const auto &[token, insertion] : insertions) {
    if (!insertion.behindPrevious.empty())
      edits.push_back({token, token, insertion.behindPrevious, true});
    if (!insertion.beforeNext.empty())
      edits.push_back({token, token, insertion.beforeNext, false});
  }
  source::Rendered rendered = source::renderTokens(unit, whole, std::move(edits));
  if (auto *refused = std::get_if<Diagnostic>(&rendered))
    return *refused;
  return MarkReader(std::get<std::string>(rendered)).read(none);
}

} // namespace heddle::transform
