// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Declarations.h"

#include "ptx/Rows.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

/// No GPU has more memory than this; above it sizes would begin to overflow.
constexpr uint64_t kMaxBytes = uint64_t(1) << 44;
constexpr uint64_t kMaxAlign = 1u << 20;
/// Braces inside braces of an initializer.
constexpr unsigned kMaxDims = 16;

/// What may precede the type: alignment, attributes, pointer notes of kernel parameters.
bool readQualifier(Cursor &cursor, Variable &variable) {
  Token at = cursor.peek();
  if (cursor.acceptDirective(".align")) {
    Token number = cursor.peek();
    std::optional<uint64_t> align = cursor.expectInteger("an alignment in bytes");
    if (!align)
      return false;
    if (*align == 0 || *align > kMaxAlign || (*align & (*align - 1)) != 0) {
      cursor.error(number, fmt::format("alignment {} is not a power of two up to {}", *align, kMaxAlign));
      return false;
    }
    variable.align = uint32_t(*align);
    return true;
  }
  if (cursor.acceptDirective(".attribute")) {
    if (!cursor.expect('(', "'.attribute'"))
      return false;
    for (unsigned depth = 1; depth > 0 && !cursor.atEnd();) {
      Token token = cursor.take();
      if (token.is('('))
        ++depth;
      else if (token.is(')'))
        --depth;
      else if (token.isDirective(".managed"))
        variable.isManaged = true;
    }
    return true;
  }
  if (at.isDirective(".v2") || at.isDirective(".v4")) {
    cursor.take();
    variable.vec = at.text[2] == '2' ? 2 : 4;
    return true;
  }
  return false;
}

/// ".ptr .global .align 8": what a pointer parameter points at. Only a hint; read and dropped.
bool readPointerNote(Cursor &cursor) {
  if (!cursor.acceptDirective(".ptr"))
    return true;
  if (spaceOfDirective(cursor.peek().text))
    cursor.take();
  if (cursor.acceptDirective(".align"))
    return cursor.expectInteger("an alignment in bytes").has_value();
  return true;
}

std::optional<Type> readType(Cursor &cursor) {
  Token token = cursor.peek();
  std::optional<Type> type;
  if (token.kind == TokenKind::Directive)
    type = findType(token.text.substr(1));
  if (!type) {
    cursor.wanted("a type");
    return type;
  }
  cursor.take();
  return type;
}

bool readDims(Cursor &cursor, Variable &variable) {
  while (cursor.accept('[')) {
    variable.isArray = true;
    if (cursor.accept(']')) {
      variable.dims.push_back(0);
      continue;
    }
    Token at = cursor.peek();
    std::optional<Constant> count = cursor.constant();
    if (!count || !cursor.expect(']', "an array length"))
      return false;
    if (variable.dims.size() >= kMaxDims || count->kind != Constant::Kind::Int || count->bits > kMaxBytes) {
      cursor.error(at, fmt::format("array '{}' is too large", variable.name));
      return false;
    }
    variable.dims.push_back(count->bits);
  }
  return true;
}

bool setSize(Cursor &cursor, const Token &at, Variable &variable) {
  variable.count = 1;
  uint64_t element = uint64_t(bytesOf(variable.type)) * variable.vec;
  for (uint64_t dim : variable.dims) {
    if (dim != 0 && variable.count > kMaxBytes / element / dim) {
      cursor.error(at, fmt::format("array '{}' is too large", variable.name));
      return false;
    }
    variable.count *= dim;
  }
  variable.bytes = variable.count * element;
  return true;
}

std::optional<Declared> readNamed(Cursor &cursor, Variable variable) {
  Declared declared{std::move(variable), cursor.peek()};
  std::optional<std::string_view> name = cursor.expectName("a variable's name");
  if (!name)
    return std::nullopt;
  declared.variable.name = std::string(*name);
  declared.variable.line = declared.name.line;
  if (!readDims(cursor, declared.variable) || !setSize(cursor, declared.name, declared.variable))
    return std::nullopt;
  return declared;
}

/// Writes the elements of one initializer, one after the other, into Variable::init.
class InitializerReader {
public:
  InitializerReader(Cursor &c, const Globals &g, Variable &v)
      : cursor(c), globals(g), variable(v), element(bytesOf(v.type)) {}

  bool run() {
    if (!cursor.peek().is('{'))
      return readElement() && fits();
    return readList(0) && fits();
  }

private:
  bool readList(unsigned depth) {
    Token brace = cursor.take();
    if (depth >= kMaxDims) {
      cursor.error(brace, "initializer is nested too deeply");
      return false;
    }
    uint64_t start = at;
    while (!cursor.accept('}')) {
      if (!(cursor.peek().is('{') ? readList(depth + 1) : readElement()))
        return false;
      if (!cursor.accept(',') && !cursor.peek().is('}')) {
        cursor.wanted("',' or '}' in an initializer");
        return false;
      }
    }
    // An inner list that gives fewer elements than its row has leaves the rest of the row zero.
    uint64_t row = rowBytes(depth);
    if (depth > 0 && row != 0 && at < start + row)
      at = start + row;
    return true;
  }

  uint64_t rowBytes(unsigned depth) const {
    uint64_t bytes = uint64_t(element) * variable.vec;
    for (size_t i = depth; i < variable.dims.size(); ++i)
      bytes *= variable.dims[i];
    return bytes;
  }

  bool fits() {
    if (!variable.isArray || variable.dims[0] != 0) {
      if (at <= variable.bytes)
        return true;
      cursor.error(cursor.peek(), fmt::format("initializer of '{}' has {} bytes, the variable {}",
                                              variable.name, at, variable.bytes));
      return false;
    }
    uint64_t row = std::max<uint64_t>(1, rowBytes(1));
    variable.dims[0] = (at + row - 1) / row;
    variable.count = variable.dims[0] * (row / (uint64_t(element) * variable.vec));
    variable.bytes = variable.dims[0] * row;
    return true;
  }

  bool readElement() {
    Token token = cursor.peek();
    if (token.kind == TokenKind::Word && token.text != "WARP_SZ")
      return readAddress(element, 0);
    std::optional<Constant> constant = cursor.constant();
    if (!constant)
      return false;
    if (constant->kind == Constant::Kind::Int && cursor.accept('('))
      return readMasked(token, constant->bits);
    std::optional<uint64_t> bits = bitsAs(*constant, variable.type);
    if (!bits) {
      cursor.error(token, fmt::format("{} is no constant of type .{}", shown(token), text(variable.type)));
      return false;
    }
    return write(token, *bits, element);
  }

  /// "0xff00(sym)": one byte of an address.
  bool readMasked(const Token &token, uint64_t mask) {
    unsigned shift = 0;
    while (shift < 64 && mask != uint64_t(0xff) << shift)
      shift += 8;
    if (shift == 64) {
      cursor.error(token, fmt::format("mask {} does not choose one byte of an address", shown(token)));
      return false;
    }
    return readAddress(1, uint8_t(shift)) && cursor.expect(')', "a masked address");
  }

  /// sym, sym+8, generic(sym)+8
  bool readAddress(unsigned bytes, uint8_t shift) {
    Token name = cursor.take();
    bool generic = name.text == "generic" && cursor.peek().is('(');
    if (generic) {
      cursor.take();
      name = cursor.take();
    }
    const Global *global = name.kind == TokenKind::Word ? globals.find(name.text) : nullptr;
    if (!global) {
      cursor.error(name, fmt::format("{} is not a variable or function declared before", shown(name)));
      return false;
    }
    Relocation reloc{at, uint8_t(bytes), shift, global->isFunction, generic, global->index, 0};
    if (!readAddend(reloc) || (generic && !cursor.expect(')', "generic(...")) || !readAddend(reloc))
      return false;
    if (bytes != 1 && bytes != 4 && bytes != 8) {
      cursor.error(name, fmt::format("an address does not fit into type .{}", text(variable.type)));
      return false;
    }
    if (!write(name, 0, bytes))
      return false;
    variable.relocs.push_back(reloc);
    return true;
  }

  bool readAddend(Relocation &reloc) {
    while (cursor.peek().is('+') || cursor.peek().is('-')) {
      bool minus = cursor.take().is('-');
      std::optional<Constant> addend = cursor.constant();
      if (!addend)
        return false;
      reloc.addend = int64_t(uint64_t(reloc.addend) + (minus ? 0 - addend->bits : addend->bits));
    }
    return true;
  }

  bool write(const Token &token, uint64_t bits, unsigned bytes) {
    if (variable.isArray && variable.dims[0] == 0 ? at > kMaxBytes : at + bytes > variable.bytes) {
      cursor.error(token, fmt::format("initializer of '{}' is longer than its {} bytes", variable.name,
                                      variable.bytes));
      return false;
    }
    // Rows left short are filled with zeros that the text does not pay for: few elements must not ask for
    // gigabytes of them.
    constexpr uint64_t kMaxZeros = uint64_t(1) << 26;
    written += bytes;
    if (at + bytes > written + kMaxZeros) {
      cursor.error(token, fmt::format("initializer of '{}' leaves more than {} bytes out between its rows",
                                      variable.name, kMaxZeros));
      return false;
    }
    variable.init.resize(at + bytes, 0);
    for (unsigned i = 0; i < bytes; ++i)
      variable.init[at + i] = i < 8 ? uint8_t(bits >> (8 * i)) : 0;
    at += bytes;
    return true;
  }

  Cursor &cursor;
  const Globals &globals;
  Variable &variable;
  unsigned element;
  uint64_t at = 0;      ///< where the next element goes
  uint64_t written = 0; ///< bytes of all elements given
};

} // namespace

std::optional<Space> spaceOfDirective(std::string_view directive) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {".global", Space::Global}, {".const", Space::Const}, {".shared", Space::Shared},
      {".local", Space::Local},   {".param", Space::Param}, {".tex", Space::Global},
  };
  for (auto [word, space] : kSpaces)
    if (word == directive)
      return space;
  return std::nullopt;
}

std::optional<Declared> readDeclarator(Cursor &cursor, Space space) {
  Variable variable;
  variable.space = space;
  variable.align = 0;
  while (readQualifier(cursor, variable)) {
  }
  std::optional<Type> type = readType(cursor);
  if (!type)
    return std::nullopt;
  variable.type = *type;
  if (!readPointerNote(cursor))
    return std::nullopt;
  while (readQualifier(cursor, variable)) {
  }
  if (variable.align == 0)
    variable.align = bytesOf(*type) * variable.vec;
  return readNamed(cursor, std::move(variable));
}

std::optional<Declared> readNextDeclarator(Cursor &cursor, const Declared &first) {
  Variable variable;
  variable.space = first.variable.space;
  variable.type = first.variable.type;
  variable.vec = first.variable.vec;
  variable.align = first.variable.align;
  variable.isManaged = first.variable.isManaged;
  return readNamed(cursor, std::move(variable));
}

bool readInitializer(Cursor &cursor, const Globals &globals, Declared &declared) {
  if (!cursor.accept('='))
    return true;
  if (kindOf(declared.variable.type) ==
      TypeKind::Opaque) { // a sampler's settings: { addr_mode_0 = wrap, ... }
    if (!cursor.peek().is('{')) {
      cursor.wanted("'{'");
      return false;
    }
    return cursor.skipPastBrace();
  }
  return InitializerReader(cursor, globals, declared.variable).run();
}

} // namespace heddle::ptx
