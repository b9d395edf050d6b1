// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Lexer.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <string>

namespace heddle::ptx {
namespace {

enum CharClass : uint8_t { Other = 0, Follow = 1, Digit = 2, Start = 4, Blank = 8 };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c)
    table[c] = table[c - 'a' + 'A'] = Follow | Start;
  for (int c = '0'; c <= '9'; ++c)
    table[c] = Follow | Digit;
  table['_'] = table['$'] = Follow | Start;
  table['%'] = Start;
  table[' '] = table['\t'] = table['\r'] = table['\v'] = table['\f'] = Blank;
  return table;
}
constexpr std::array<uint8_t, 256> kClasses = makeClasses();

bool is(char c, CharClass cls) { return kClasses[uint8_t(c)] & cls; }

int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace

Token Lexer::make(TokenKind kind, size_t from) const {
  Token token;
  token.kind = kind;
  token.text = text.substr(from, at - from);
  token.line = line;
  token.column = uint32_t(from - lineStart + 1);
  return token;
}

Token Lexer::bad(size_t from, std::string_view problem) const {
  Token token = make(TokenKind::Bad, from);
  token.problem = problem;
  return token;
}

void Lexer::skipBlank() {
  while (at < text.size()) {
    char c = text[at];
    if (is(c, Blank)) {
      ++at;
    } else if (c == '\n') {
      newLine();
      ++at;
    } else if (c == '/' && peek(1) == '/') {
      skipLine();
    } else if (c == '/' && peek(1) == '*') {
      for (at += 2; at < text.size() && !(text[at] == '*' && peek(1) == '/'); ++at)
        if (text[at] == '\n')
          newLine();
      at = at + 2 < text.size() ? at + 2 : text.size();
    } else {
      return;
    }
  }
}

void Lexer::skipLine() {
  size_t end = text.find('\n', at);
  at = end == std::string_view::npos ? text.size() : end;
}

bool Lexer::skipPastBrace() {
  for (; at < text.size(); ++at) {
    if (text[at] == '\n')
      newLine();
    if (text[at] == '}') {
      ++at;
      return true;
    }
  }
  return false;
}

std::string_view Lexer::lineOf(const Token &token) const {
  size_t offset = size_t(token.text.data() - text.data());
  if (token.text.data() == nullptr || offset > text.size())
    return "";
  size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  size_t end = text.find('\n', begin);
  return text.substr(begin, (end == std::string_view::npos ? text.size() : end) - begin);
}

/// A name. A dot or "::" directly followed by a letter or digit goes on with it, so that mnemonics and
/// "%tid.x" come whole, while the ':' of a label ends it.
Token Lexer::word(size_t from) {
  ++at;
  for (;;) {
    while (at < text.size() && is(text[at], Follow))
      ++at;
    if (peek() == '.' && is(peek(1), Follow))
      ++at;
    else if (peek() == ':' && peek(1) == ':' && is(peek(2), Follow))
      at += 2;
    else
      return make(TokenKind::Word, from);
  }
}

Token Lexer::directive(size_t from) {
  for (++at;;) {
    while (at < text.size() && is(text[at], Follow))
      ++at;
    if (!(peek() == ':' && peek(1) == ':' && is(peek(2), Follow)))
      return make(TokenKind::Directive, from);
    at += 2;
  }
}

Token Lexer::floatBits(size_t from, unsigned digits, TokenKind kind) {
  uint64_t value = 0;
  at += 2;
  for (unsigned i = 0; i < digits; ++i, ++at) {
    int digit = hexDigit(peek());
    if (digit < 0)
      return bad(from, digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
    value = value << 4 | uint64_t(digit);
  }
  Token token = make(kind, from);
  token.value = value;
  return token;
}

/// Decimal integer or decimal floating point.
Token Lexer::decimal(size_t from) {
  size_t end = at;
  while (end < text.size() && is(text[end], Digit))
    ++end;
  bool isFloat = end < text.size() && text[end] == '.' && end + 1 < text.size() && is(text[end + 1], Digit);
  if (!isFloat)
    return Token{};
  for (++end; end < text.size() && is(text[end], Digit);)
    ++end;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-'))
      ++exponent;
    if (exponent < text.size() && is(text[exponent], Digit))
      for (end = exponent; end < text.size() && is(text[end], Digit);)
        ++end;
  }
  at = end;
  Token token = make(TokenKind::F64, from);
  token.value = std::bit_cast<uint64_t>(std::strtod(std::string(token.text).c_str(), nullptr));
  return token;
}

Token Lexer::number(size_t from) {
  char second = peek() == '0' ? peek(1) : '\0';
  if (second == 'f' || second == 'F')
    return floatBits(from, 8, TokenKind::F32);
  if (second == 'd' || second == 'D')
    return floatBits(from, 16, TokenKind::F64);
  if (Token token = decimal(from); token.kind == TokenKind::F64)
    return token;

  unsigned base = 10;
  if (second == 'x' || second == 'X')
    base = 16, at += 2;
  else if ((second == 'b' || second == 'B') && (peek(2) == '0' || peek(2) == '1'))
    base = 2, at += 2;
  else if (is(second, Digit))
    base = 8, at += 1;
  uint64_t value = 0;
  bool overflow = false;
  size_t digits = at;
  for (int digit; (digit = hexDigit(peek())) >= 0 && unsigned(digit) < base; ++at) {
    overflow |= value > (~uint64_t(0) - unsigned(digit)) / base;
    value = value * base + unsigned(digit);
  }
  bool empty = at == digits;
  bool isUnsigned = peek() == 'U' || peek() == 'u';
  if (isUnsigned)
    ++at;
  if (empty || is(peek(), Follow)) {
    while (is(peek(), Follow))
      ++at;
    return bad(from, "not a number");
  }
  if (overflow)
    return bad(from, "number does not fit into 64 bits");
  Token token = make(TokenKind::Integer, from);
  token.value = value;
  token.isUnsigned = isUnsigned;
  return token;
}

Token Lexer::string(size_t from) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n')
      ++at;
  if (at >= text.size() || text[at] == '\n')
    return bad(from, "string is not closed on its line");
  ++at;
  Token token = make(TokenKind::String, from);
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

Token Lexer::punct(size_t from) {
  constexpr std::string_view kSingle = "{}()[],;:@!%|&^~+-*/<>=?";
  constexpr std::string_view kDouble[] = {"<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
  for (std::string_view two : kDouble)
    if (text.substr(at, 2) == two) {
      at += 2;
      return make(TokenKind::Punct, from);
    }
  char c = text[at++];
  if (c != '\0' && kSingle.find(c) != std::string_view::npos)
    return make(TokenKind::Punct, from);
  while (at < text.size() && uint8_t(text[at]) >= 0x80) // the rest of a UTF-8 character
    ++at;
  return bad(from, "unexpected character");
}

Token Lexer::next() {
  skipBlank();
  size_t from = at;
  if (at >= text.size())
    return make(TokenKind::End, from);
  char c = text[at];
  if (is(c, Start))
    return c == '%' && !is(peek(1), Follow) ? punct(from) : word(from);
  if (is(c, Digit))
    return number(from);
  if (c == '.' && is(peek(1), Follow))
    return directive(from);
  if (c == '"')
    return string(from);
  return punct(from);
}

} // namespace heddle::ptx
