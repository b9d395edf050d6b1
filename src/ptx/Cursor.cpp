// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Cursor.h"

#include "ptx/Parser.h"

#include <algorithm>
#include <bit>

namespace heddle::ptx {
namespace {

/// Parentheses and unary operators inside each other in one constant. No compiler nests ten; recursion must
/// end somewhere.
constexpr unsigned kMaxConstantDepth = 64;

/// A message shows this much of what it found and of the line.
constexpr size_t kMaxShown = 60;
constexpr size_t kMaxLineShown = 200;

struct BinaryOp {
  std::string_view text;
  int precedence;
};

constexpr BinaryOp kBinaryOps[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7},
    {">", 7},  {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

const BinaryOp *binaryOp(const Token &token) {
  if (token.kind != TokenKind::Punct)
    return nullptr;
  const BinaryOp *op = std::find_if(std::begin(kBinaryOps), std::end(kBinaryOps),
                                    [&](const BinaryOp &o) { return o.text == token.text; });
  return op == std::end(kBinaryOps) ? nullptr : op;
}

uint64_t signedDivide(int64_t a, int64_t b, bool remainder) {
  if (b == -1) // the one quotient that overflows wraps, as everywhere in PTX
    return remainder ? 0 : 0 - uint64_t(a);
  return uint64_t(remainder ? a % b : a / b);
}

/// PTX ISA, "Integer constant expression evaluation": 64 bits, unsigned where either side is.
std::optional<Constant> apply(std::string_view op, const Constant &a, const Constant &b) {
  bool isUnsigned = a.isUnsigned || b.isUnsigned;
  uint64_t x = a.bits, y = b.bits;
  auto sx = int64_t(x), sy = int64_t(y);
  auto number = [&](uint64_t bits) { return Constant{Constant::Kind::Int, isUnsigned, bits}; };
  auto truth = [](bool value) { return Constant{Constant::Kind::Int, false, value}; };
  if (op == "+")
    return number(x + y);
  if (op == "-")
    return number(x - y);
  if (op == "*")
    return number(x * y);
  if (op == "/" || op == "%") {
    if (y == 0)
      return std::nullopt;
    bool rest = op == "%";
    return number(isUnsigned ? (rest ? x % y : x / y) : signedDivide(sx, sy, rest));
  }
  if (op == "<<")
    return number(y < 64 ? x << y : 0);
  if (op == ">>")
    return number(a.isUnsigned ? (y < 64 ? x >> y : 0) : uint64_t(sx >> std::min<uint64_t>(y, 63)));
  if (op == "&")
    return number(x & y);
  if (op == "|")
    return number(x | y);
  if (op == "^")
    return number(x ^ y);
  if (op == "&&")
    return truth(x && y);
  if (op == "||")
    return truth(x || y);
  if (op == "==")
    return truth(x == y);
  if (op == "!=")
    return truth(x != y);
  if (op == "<")
    return truth(isUnsigned ? x < y : sx < sy);
  if (op == "<=")
    return truth(isUnsigned ? x <= y : sx <= sy);
  if (op == ">")
    return truth(isUnsigned ? x > y : sx > sy);
  return truth(isUnsigned ? x >= y : sx >= sy);
}

} // namespace

std::optional<uint64_t> bitsAs(const Constant &constant, Type type) {
  using Kind = Constant::Kind;
  if (type == Type::Pred)
    return constant.kind == Kind::Int ? std::optional<uint64_t>(constant.bits != 0) : std::nullopt;
  if (type == Type::F32 && constant.kind != Kind::F32)
    return constant.kind == Kind::F64
               ? std::optional<uint64_t>(std::bit_cast<uint32_t>(float(std::bit_cast<double>(constant.bits))))
               : std::nullopt;
  if (type == Type::F64 && constant.kind != Kind::F64)
    return constant.kind == Kind::F32 ? std::optional<uint64_t>(std::bit_cast<uint64_t>(
                                            double(std::bit_cast<float>(uint32_t(constant.bits)))))
                                      : std::nullopt;
  unsigned bits = bitsOf(type);
  if (constant.kind == Kind::F64 && bits < 64 && type != Type::None)
    return std::nullopt;
  if (constant.kind == Kind::F32 && bits < 32 && type != Type::None)
    return std::nullopt;
  return bits == 0 || bits >= 64 ? constant.bits : constant.bits & ((uint64_t(1) << bits) - 1);
}

std::string shown(const Token &token) {
  if (token.kind == TokenKind::End)
    return "the end of the file";
  std::string text(token.text.substr(0, kMaxShown));
  for (char &c : text)
    if (uint8_t(c) < 0x20 || c == 0x7f)
      c = '?';
  return "'" + text + (token.text.size() > kMaxShown ? "...'" : "'");
}

Cursor::Cursor(std::string_view source, const std::string &name, Diagnostics &into)
    : path(name), diagnostics(into), lexer(source) {
  take();
}

Token Cursor::take() {
  Token taken = current;
  if (!stopped)
    current = lexer.next();
  if (current.kind == TokenKind::Bad && !stopped) {
    error(current, fmt::format("{}: {}", shown(current), current.problem));
    // What represents the bad token is a name that nothing has; the message above is the one that counts.
    current.kind = stopped ? TokenKind::End : TokenKind::Word;
  }
  return taken;
}

bool Cursor::accept(char c) {
  if (!current.is(c))
    return false;
  take();
  return true;
}

bool Cursor::acceptDirective(std::string_view directive) {
  if (!current.isDirective(directive))
    return false;
  take();
  return true;
}

bool Cursor::expect(char c, std::string_view after) {
  if (accept(c))
    return true;
  error(current, fmt::format("wanted '{}' after {}, found {}", c, after, shown(current)));
  return false;
}

std::optional<std::string_view> Cursor::expectName(std::string_view what) {
  if (current.kind == TokenKind::Word)
    return take().text;
  wanted(what);
  return std::nullopt;
}

std::optional<uint64_t> Cursor::expectInteger(std::string_view what) {
  if (current.kind == TokenKind::Integer)
    return take().value;
  wanted(what);
  return std::nullopt;
}

void Cursor::wanted(std::string_view what) {
  error(current, fmt::format("wanted {}, found {}", what, shown(current)));
}

SourceLocation Cursor::locationOf(const Token &token) const {
  std::string line(lexer.lineOf(token).substr(0, kMaxLineShown));
  for (char &c : line)
    if (c == '\0' || c == '\r')
      c = ' ';
  unsigned end = token.column + unsigned(std::max<size_t>(1, std::min(token.text.size(), kMaxLineShown)));
  return {path, token.line, token.column, end, std::move(line)};
}

void Cursor::error(const Token &at, std::string message) {
  if (stopped)
    return;
  diagnostics.error(locationOf(at), std::move(message));
  if (++errors < kMaxErrors)
    return;
  diagnostics.error(locationOf(at), fmt::format("{} errors, the rest of the file is not read", errors));
  stopped = true;
  current = Token{};
}

void Cursor::skipStatement() {
  for (unsigned depth = 0; !atEnd(); take()) {
    if (current.is('{')) {
      ++depth;
    } else if (current.is('}')) {
      if (depth == 0)
        return;
      --depth;
    } else if (current.is(';') && depth == 0) {
      take();
      return;
    }
  }
}

bool Cursor::skipPastBrace() {
  bool found = !stopped && lexer.skipPastBrace();
  take();
  return found;
}

void Cursor::skipLine() {
  lexer.skipLine();
  take();
}

std::optional<Constant> Cursor::constant() { return ternary(0); }

std::optional<Constant> Cursor::ternary(unsigned depth) {
  std::optional<Constant> condition = binary(depth, 1);
  if (!condition || !current.is('?'))
    return condition;
  take();
  if (depth >= kMaxConstantDepth) {
    error(current, "constant expression is nested too deeply");
    return std::nullopt;
  }
  std::optional<Constant> yes = ternary(depth + 1);
  if (!yes || !expect(':', "the first choice of '?'"))
    return std::nullopt;
  std::optional<Constant> no = ternary(depth + 1);
  return condition->bits != 0 ? yes : no;
}

std::optional<Constant> Cursor::binary(unsigned depth, int minPrecedence) {
  std::optional<Constant> left = unary(depth);
  while (left) {
    const BinaryOp *op = binaryOp(current);
    if (!op || op->precedence < minPrecedence)
      return left;
    Token at = take();
    std::optional<Constant> right = binary(depth, op->precedence + 1);
    if (!right)
      return std::nullopt;
    if (left->kind != Constant::Kind::Int || right->kind != Constant::Kind::Int) {
      error(at, "a constant expression is made of integers");
      return std::nullopt;
    }
    left = apply(op->text, *left, *right);
    if (!left)
      error(at, "division by zero in a constant expression");
  }
  return left;
}

std::optional<Constant> Cursor::unary(unsigned depth) {
  if (depth >= kMaxConstantDepth) {
    error(current, "constant expression is nested too deeply");
    return std::nullopt;
  }
  using Kind = Constant::Kind;
  Token token = current;
  switch (token.kind) {
  case TokenKind::Integer: take(); return Constant{Kind::Int, token.isUnsigned, token.value};
  case TokenKind::F32: take(); return Constant{Kind::F32, false, token.value};
  case TokenKind::F64: take(); return Constant{Kind::F64, false, token.value};
  case TokenKind::Punct: break;
  default:
    if (token.kind == TokenKind::Word && token.text == "WARP_SZ") {
      take();
      return Constant{Kind::Int, false, 32};
    }
    wanted("a constant");
    return std::nullopt;
  }
  if (accept('(')) {
    // A cast, "(.s64)" or "(.u64)", or an expression in parentheses.
    bool toUnsigned = current.isDirective(".u64");
    if (toUnsigned || current.isDirective(".s64")) {
      take();
      if (!expect(')', "the type of a cast"))
        return std::nullopt;
      std::optional<Constant> value = unary(depth + 1);
      if (value)
        value->isUnsigned = toUnsigned;
      return value;
    }
    std::optional<Constant> value = ternary(depth + 1);
    return value && expect(')', "a constant expression") ? value : std::nullopt;
  }
  constexpr std::string_view kUnary = "+-~!";
  if (token.text.size() != 1 || kUnary.find(token.text[0]) == std::string_view::npos) {
    wanted("a constant");
    return std::nullopt;
  }
  take();
  std::optional<Constant> value = unary(depth + 1);
  if (!value)
    return value;
  if (value->kind != Kind::Int) {
    uint64_t sign = value->kind == Kind::F32 ? uint64_t(1) << 31 : uint64_t(1) << 63;
    if (token.is('-'))
      value->bits ^= sign;
    else if (!token.is('+'))
      error(token, "a floating-point constant takes no such sign");
    return value;
  }
  if (token.is('-'))
    value->bits = 0 - value->bits;
  else if (token.is('~'))
    value->bits = ~value->bits;
  else if (token.is('!'))
    value->bits = value->bits == 0;
  return value;
}

} // namespace heddle::ptx
