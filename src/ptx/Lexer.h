// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::ptx {

enum class TokenKind : uint8_t {
  End,
  Word,      ///< a name or a whole mnemonic: "%r1", "%tid.x", "ld.global.L2::128B.f32"
  Directive, ///< ".reg", with its dot
  Integer,   ///< value; isUnsigned for a U suffix
  F32,       ///< 0f3F800000: value holds the 32 bits
  F64,       ///< 0d3FF0000000000000 or 1.5: value holds the 64 bits
  String,    ///< text without its quotes, escapes as they are
  Punct,     ///< one character, or "<<" ">>" "==" "!=" "<=" ">=" "&&" "||"
  Bad,       ///< anything else; text shows it
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool isUnsigned = false;
  std::string_view text;
  uint32_t line = 1, column = 1;
  uint64_t value = 0;
  std::string_view problem; ///< of a Bad token: what is wrong with it

  bool is(char c) const { return kind == TokenKind::Punct && text.size() == 1 && text[0] == c; }
  bool isPunct(std::string_view p) const { return kind == TokenKind::Punct && text == p; }
  bool isDirective(std::string_view d) const { return kind == TokenKind::Directive && text == d; }
  bool isNumber() const {
    return kind == TokenKind::Integer || kind == TokenKind::F32 || kind == TokenKind::F64;
  }
};

/// Cuts PTX text into tokens. Comments and white space are skipped. Never fails: what fits nothing is Bad.
class Lexer {
public:
  explicit Lexer(std::string_view source) : text(source) {}

  Token next();

  /// Moves past the next '}' without looking at what is before it (a debug section). False at the end.
  bool skipPastBrace();
  /// Moves to the end of this line (an "@@" line of old DWARF).
  void skipLine();
  /// The whole line that begins at or contains byte `token`.
  std::string_view lineOf(const Token &token) const;

private:
  void skipBlank();
  void newLine() {
    ++line;
    lineStart = at + 1;
  }
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  Token make(TokenKind kind, size_t from) const;
  Token bad(size_t from, std::string_view problem) const;
  Token word(size_t from);
  Token directive(size_t from);
  Token number(size_t from);
  Token decimal(size_t from);
  Token floatBits(size_t from, unsigned digits, TokenKind kind);
  Token string(size_t from);
  Token punct(size_t from);

  std::string_view text;
  size_t at = 0;
  size_t lineStart = 0;
  uint32_t line = 1;
};

} // namespace heddle::ptx
