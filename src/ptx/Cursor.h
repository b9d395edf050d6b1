// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Isa.h"
#include "ptx/Lexer.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::ptx {

/// A constant as written: which bits it becomes depends on the type of the operand it represents.
struct Constant {
  enum class Kind : uint8_t { Int, F32, F64 } kind = Kind::Int;
  bool isUnsigned = false;
  uint64_t bits = 0;
};

/// The bits of a constant as a value of `type`, zero above its width; nothing where PTX allows no such
/// constant (an integer for .f32).
std::optional<uint64_t> bitsAs(const Constant &constant, Type type);

/// Reads tokens one at a time and reports what is wrong. After too many errors it stops: every token is then
/// the end of the text, so that callers need no case of their own for it.
class Cursor {
public:
  Cursor(std::string_view text, const std::string &path, Diagnostics &diagnostics);

  const Token &peek() const { return current; }
  /// The token after the one that peek() gives.
  Token peekNext() const { return stopped ? current : Lexer(lexer).next(); }
  Token take();
  bool atEnd() const { return current.kind == TokenKind::End; }
  bool accept(char c);
  bool acceptDirective(std::string_view directive);
  /// Takes `c`, or says that it was wanted `after` something.
  bool expect(char c, std::string_view after);
  std::optional<std::string_view> expectName(std::string_view what);
  std::optional<uint64_t> expectInteger(std::string_view what);
  /// A constant expression of integers, or one floating-point constant.
  std::optional<Constant> constant();

  void error(const Token &at, std::string text);
  void wanted(std::string_view what);
  SourceLocation locationOf(const Token &token) const;

  /// Moves past the next ';' at this brace depth, or up to a '}' that closes more than was opened here.
  void skipStatement();
  bool skipPastBrace();
  void skipLine();

private:
  std::optional<Constant> unary(unsigned depth);
  std::optional<Constant> binary(unsigned depth, int minPrecedence);
  std::optional<Constant> ternary(unsigned depth);

  std::string path;
  Diagnostics &diagnostics;
  Lexer lexer;
  Token current;
  unsigned errors = 0;
  bool stopped = false;
};

/// "'foo'", or "the end of the file".
std::string shown(const Token &token);

} // namespace heddle::ptx
