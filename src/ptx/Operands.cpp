// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Operands.h"

#include "ptx/Matrix.h"
#include "ptx/Video.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

/// ld.global.v8.b32 and mma have 8, wmma 16 with f64 fragments far below; more is a mistake.
constexpr size_t kMaxElements = 128;

bool isName(const Token &token) { return token.kind == TokenKind::Word && token.text != "WARP_SZ"; }

bool isImage(Op op) { return op >= Op::Tex && op <= Op::Suq; }

/// "%r1.b3210": a register and the parts of it that a video instruction selects.
bool readSelected(const Token &name, Scopes &scopes, Operand &operand) {
  const size_t dot = name.text.rfind('.');
  if (dot == std::string_view::npos)
    return false;
  std::optional<Selector> selector = selectorOf(name.text.substr(dot + 1));
  Binding binding = scopes.find(name.text.substr(0, dot));
  if (!selector || binding.kind != Binding::Kind::Reg)
    return false;
  operand.kind = OperandKind::Reg;
  operand.index = binding.index;
  operand.value = selector->bits();
  return true;
}

Parsed parsedName(const Token &name, Scopes &scopes, const Globals &globals) {
  Parsed parsed;
  parsed.at = name;
  if (Binding binding = scopes.find(name.text); binding.kind != Binding::Kind::None) {
    parsed.operand.kind = binding.kind == Binding::Kind::Reg ? OperandKind::Reg : OperandKind::Var;
    parsed.operand.index = binding.index;
  } else if (std::optional<SpecialReg> special = findSpecial(name.text)) {
    parsed.operand.kind = OperandKind::Special;
    parsed.operand.index = uint32_t(*special);
  } else if (const Global *global = globals.find(name.text)) {
    parsed.operand.kind = global->isFunction ? OperandKind::Func : OperandKind::Var;
    parsed.operand.index = global->index;
  } else if (!readSelected(name, scopes, parsed.operand)) {
    parsed.operand.kind = OperandKind::Label;
  }
  return parsed;
}

/// "+4", "+-4", "-4" after a register or a symbol.
bool readOffset(Cursor &cursor, Operand &operand) {
  while (cursor.peek().is('+') || cursor.peek().is('-')) {
    bool minus = cursor.take().is('-');
    Token at = cursor.peek();
    std::optional<Constant> offset = cursor.constant();
    if (!offset)
      return false;
    if (offset->kind != Constant::Kind::Int) {
      cursor.error(at, "an offset is an integer");
      return false;
    }
    operand.value += minus ? 0 - offset->bits : offset->bits;
  }
  return true;
}

bool readAddress(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out) {
  Parsed address;
  address.at = cursor.take();
  Token base = cursor.peek();
  if (isName(base)) {
    cursor.take();
    address = parsedName(base, scopes, globals);
    OperandKind kind = address.operand.kind;
    if (kind == OperandKind::Label) {
      cursor.error(base, fmt::format("{} is not declared", shown(base)));
      return false;
    }
    const bool isSelected = kind == OperandKind::Reg && address.operand.value != 0;
    if ((kind != OperandKind::Reg && kind != OperandKind::Var) || isSelected) {
      cursor.error(base, fmt::format("wanted a register or a variable as address, found {}", shown(base)));
      return false;
    }
    address.operand.kind = kind == OperandKind::Reg ? OperandKind::AddrReg : OperandKind::AddrVar;
    if (!readOffset(cursor, address.operand))
      return false;
  } else {
    std::optional<Constant> value = cursor.constant();
    if (!value)
      return false;
    address.operand.kind = OperandKind::AddrImm;
    address.operand.value = value->bits;
  }
  out.list.push_back(address);
  while (cursor.accept(',')) {
    if (cursor.peek().is('[')) {
      cursor.wanted("an image coordinate");
      return false;
    }
    size_t first = out.list.size();
    if (!readOperand(cursor, scopes, globals, out))
      return false;
    for (size_t i = first; i < out.list.size(); ++i)
      out.list[i].operand.bracketed = true;
  }
  return cursor.expect(']', "an address");
}

bool readScalar(Cursor &cursor, Scopes &scopes, const Globals &globals, Parsed &parsed) {
  parsed.at = cursor.peek();
  if (parsed.at.is('-') && isName(cursor.peekNext())) {
    Token minus = cursor.take();
    parsed = parsedName(cursor.take(), scopes, globals);
    parsed.at = minus; // what distinguishes it from "!%p"
    parsed.operand.negated = true;
    return true;
  }
  if (isName(parsed.at)) {
    Token name = cursor.take();
    if (name.text == "_")
      return true; // a Sink
    parsed = parsedName(name, scopes, globals);
    if (parsed.operand.kind == OperandKind::Var)
      return readOffset(cursor, parsed.operand);
    return true;
  }
  std::optional<Constant> constant = cursor.constant();
  if (!constant)
    return false;
  parsed.operand.kind = OperandKind::Imm;
  parsed.constant = *constant;
  return true;
}

bool readVector(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out) {
  Parsed vector;
  vector.at = cursor.take();
  vector.operand.kind = OperandKind::Vector;
  vector.operand.index = uint32_t(out.elements.size());
  do {
    Parsed element;
    if (!readScalar(cursor, scopes, globals, element))
      return false;
    out.elements.push_back(element);
  } while (cursor.accept(','));
  size_t count = out.elements.size() - vector.operand.index;
  if (count > kMaxElements) {
    cursor.error(vector.at, fmt::format("a vector of {} elements, at most {} are read", count, kMaxElements));
    return false;
  }
  vector.operand.count = uint8_t(count);
  out.list.push_back(vector);
  return cursor.expect('}', "a vector");
}

} // namespace

bool readOperand(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out) {
  if (cursor.peek().is('['))
    return readAddress(cursor, scopes, globals, out);
  if (cursor.peek().is('{'))
    return readVector(cursor, scopes, globals, out);
  Parsed parsed;
  if (cursor.peek().is('!')) {
    Token bang = cursor.take();
    if (cursor.peek().kind != TokenKind::Word) {
      cursor.error(bang, "'!' goes before a predicate register");
      return false;
    }
    parsed = parsedName(cursor.take(), scopes, globals);
    parsed.operand.negated = true;
  } else if (!readScalar(cursor, scopes, globals, parsed)) {
    return false;
  }
  out.list.push_back(parsed);
  return true;
}

bool readOperands(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out) {
  out.clear();
  if (cursor.peek().is(';'))
    return true;
  do {
    if (!readOperand(cursor, scopes, globals, out))
      return false;
    if (cursor.accept('|')) {
      size_t first = out.list.size();
      if (!readOperand(cursor, scopes, globals, out))
        return false;
      out.list[first].followsBar = true;
    }
  } while (cursor.accept(','));
  return true;
}

bool OperandChecker::fail(const Parsed &parsed, std::string_view wanted) {
  if (parsed.operand.kind == OperandKind::Label)
    return undeclared(parsed);
  cursor.error(parsed.at, fmt::format("wanted {}, found {}", wanted, shown(parsed.at)));
  return false;
}

bool OperandChecker::undeclared(const Parsed &parsed) {
  cursor.error(parsed.at, fmt::format("{} is not declared", shown(parsed.at)));
  return false;
}

bool OperandChecker::setImmediate(Parsed &parsed, Type type) {
  std::optional<uint64_t> bits = bitsAs(parsed.constant, type);
  if (!bits)
    return fail(parsed, fmt::format("a constant of type .{}", text(type)));
  parsed.operand.value = *bits;
  return true;
}

/// Puts "mov.bN %moved, operand" before the current instruction and has that register represent the operand.
void OperandChecker::moveIntoRegister(Parsed &parsed, Type type) {
  constexpr Type kMovTypes[kNumRegClasses] = {Type::Pred, Type::B16, Type::B32, Type::B64, Type::B128};
  Type movType = kMovTypes[unsigned(classOf(type))];
  uint32_t reg = scopes.addRegister("%moved", movType);
  Instr mov;
  mov.op = Op::Mov;
  mov.types[0] = movType;
  mov.numOperands = 2;
  mov.firstOperand = uint32_t(function.operands.size());
  mov.line = current->line;
  mov.column = current->column;
  mov.loc = current->loc;
  Operand destination;
  destination.kind = OperandKind::Reg;
  destination.index = reg;
  function.operands.push_back(destination);
  function.operands.push_back(parsed.operand);
  function.instrs.push_back(mov);
  parsed.operand = destination;
}

bool OperandChecker::checkRegister(const Parsed &parsed, Type type, bool mayBeWider) {
  const Register &reg = function.registers[parsed.operand.index];
  RegClass wanted = classOf(type);
  bool isWider = mayBeWider && reg.cls > wanted && wanted != RegClass::Pred;
  if (reg.cls == wanted || isWider)
    return true;
  cursor.error(parsed.at, fmt::format("register '{}' is of type .{}, but .{} is wanted here", parsed.at.text,
                                      text(reg.type), text(type)));
  return false;
}

bool OperandChecker::checkScalar(const OperandSpec &spec, Type type, Parsed &parsed) {
  Operand &operand = parsed.operand;
  const bool changesSign = operand.negated && parsed.at.is('-');
  if (changesSign && !spec.maySelect)
    return fail(parsed, "an operand without '-' before a name");
  if (operand.negated && !changesSign && type != Type::Pred)
    return fail(parsed, "an operand without '!'");
  if (operand.isReg() && operand.value != 0 && !spec.maySelect)
    return fail(parsed, "a register without a selector");
  switch (operand.kind) {
  case OperandKind::Reg: return checkRegister(parsed, type, spec.mayBeWider);
  case OperandKind::Sink: return spec.maySink || fail(parsed, "an operand that is not '_'");
  case OperandKind::Imm:
    return spec.isWritten ? fail(parsed, "a register to write") : setImmediate(parsed, type);
  case OperandKind::Special:
  case OperandKind::Var:
  case OperandKind::Func:
    if (spec.isWritten)
      return fail(parsed, "a register to write");
    if ((operand.kind != OperandKind::Special && classOf(type) < RegClass::B32) || operand.negated)
      return fail(parsed, fmt::format("an operand of type .{}", text(type)));
    moveIntoRegister(parsed, type);
    return true;
  default: return fail(parsed, spec.isWritten ? "a register to write" : "a register or a constant");
  }
}

bool OperandChecker::checkVector(const OperandSpec &spec, Type type, unsigned width, Parsed &vector,
                                 ParsedOperands &all) {
  if (vector.operand.kind != OperandKind::Vector)
    return fail(vector, fmt::format("a vector of {} elements in braces", width));
  if (vector.operand.count != width) {
    cursor.error(vector.at,
                 fmt::format("wanted a vector of {} elements, found {}", width, vector.operand.count));
    return false;
  }
  OperandSpec element = spec;
  element.maySink = spec.isWritten;
  for (unsigned i = 0; i < width; ++i)
    if (!checkScalar(element, type, all.elements[vector.operand.index + i]))
      return false;
  return true;
}

bool OperandChecker::checkAny(bool isWritten, Parsed &parsed) {
  switch (parsed.operand.kind) {
  case OperandKind::Reg:
    return (parsed.operand.value == 0 && !parsed.at.is('-')) ||
           fail(parsed, "a register without a selector or sign");
  case OperandKind::Sink: return isWritten || fail(parsed, "an operand that is not '_'");
  case OperandKind::Imm:
    return isWritten ? fail(parsed, "a register to write") : setImmediate(parsed, Type::None);
  case OperandKind::Special:
  case OperandKind::Var:
  case OperandKind::Func: {
    if (isWritten)
      return fail(parsed, "a register to write");
    if (parsed.operand.kind == OperandKind::Var && parsed.operand.bracketed &&
        kindOf(module.variables[parsed.operand.index].type) == TypeKind::Opaque)
      return true; // the sampler of a texture access: a name, not an address
    bool isWide = parsed.operand.kind == OperandKind::Special ? bitsOf(SpecialReg(parsed.operand.index)) == 64
                                                              : module.addressBits == 64;
    moveIntoRegister(parsed, isWide ? Type::B64 : Type::B32);
    return true;
  }
  default: return fail(parsed, "a register or a constant");
  }
}

bool OperandChecker::checkAnyVector(bool isWritten, Parsed &parsed, ParsedOperands &all) {
  if (parsed.operand.kind != OperandKind::Vector)
    return checkAny(isWritten, parsed);
  for (unsigned i = 0; i < parsed.operand.count; ++i)
    if (!checkAny(isWritten, all.elements[parsed.operand.index + i]))
      return false;
  return true;
}

bool OperandChecker::checkAddress(Parsed &parsed) {
  if (!parsed.operand.isAddress())
    return fail(parsed, "an address in brackets");
  if (parsed.operand.kind != OperandKind::AddrReg)
    return true;
  RegClass cls = function.registers[parsed.operand.index].cls;
  if (cls == RegClass::B32 || cls == RegClass::B64)
    return true;
  return fail(parsed, "a 32- or 64-bit register as address");
}

bool OperandChecker::checkMovScalar(Type type, Parsed &parsed, bool isWritten) {
  OperandSpec spec;
  spec.isWritten = isWritten;
  OperandKind kind = parsed.operand.kind;
  bool isSymbol = kind == OperandKind::Var || kind == OperandKind::Func;
  if (isWritten || (kind != OperandKind::Special && !isSymbol))
    return checkScalar(spec, type, parsed);
  bool fits = isSymbol ? bitsOf(type) >= 32 : true;
  return fits || fail(parsed, fmt::format("a value of type .{}", text(type)));
}

/// mov.b32 d, {a, b}: the elements together are as wide as the type.
bool OperandChecker::checkMovElements(Type type, Parsed &vector, ParsedOperands &all, bool isWritten) {
  unsigned count = vector.operand.count;
  unsigned bits = bitsOf(type) / count;
  if (bits * count != bitsOf(type) || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
    cursor.error(vector.at, fmt::format("{} elements do not make up type .{}", count, text(type)));
    return false;
  }
  OperandSpec spec;
  spec.isWritten = isWritten;
  spec.maySink = isWritten;
  Type element = bits == 8 ? Type::B8 : bits == 16 ? Type::B16 : bits == 32 ? Type::B32 : Type::B64;
  for (unsigned i = 0; i < count; ++i) {
    Parsed &parsed = all.elements[vector.operand.index + i];
    bool isFloat = parsed.operand.kind == OperandKind::Imm && parsed.constant.kind != Constant::Kind::Int;
    Type asType = isFloat && bits == 32 ? Type::F32 : isFloat && bits == 64 ? Type::F64 : element;
    if (!checkScalar(spec, asType, parsed))
      return false;
  }
  return true;
}

bool OperandChecker::checkMov(const Instr &instr, ParsedOperands &parsed) {
  Parsed &to = *chosen[0].main, &from = *chosen[1].main;
  Type type = instr.type();
  bool packs = from.operand.kind == OperandKind::Vector, unpacks = to.operand.kind == OperandKind::Vector;
  if (packs && unpacks)
    return fail(from, "a single value to take apart");
  if (packs)
    return checkMovScalar(type, to, true) && checkMovElements(type, from, parsed, false);
  if (!unpacks)
    return checkMovScalar(type, to, true) && checkMovScalar(type, from, false);
  OperandSpec source;
  return checkScalar(source, type, from) && checkMovElements(type, to, parsed, true);
}

/// Operands to words of the row. What is optional may be left out, also in the middle: brackets and braces distinguish
/// them.
bool OperandChecker::assign(const Row &row, size_t spec, size_t item, std::vector<Item> &out) const {
  if (spec == row.operands.size())
    return item == items.size();
  const OperandSpec &word = row.operands[spec];
  if (word.kind == OperandSpec::Kind::Rest)
    return true;
  size_t wordsLeft = 0;
  for (size_t i = spec; i < row.operands.size(); ++i)
    wordsLeft += !row.operands[i].isOptional && row.operands[i].kind != OperandSpec::Kind::Rest;
  if (item < items.size() && items.size() - item >= wordsLeft) {
    bool isAddress = items[item].main->operand.isAddress();
    if (isAddress == (word.kind == OperandSpec::Kind::Address) && (!items[item].pred || word.mayHavePred)) {
      out[spec] = items[item];
      if (assign(row, spec + 1, item + 1, out))
        return true;
    }
  }
  out[spec] = {};
  return word.isOptional && assign(row, spec + 1, item, out);
}

bool OperandChecker::match(const Token &mnemonic, const Row &row, ParsedOperands &parsed) {
  items.clear();
  for (Parsed &p : parsed.list) {
    if (p.operand.bracketed) {
      if (isImage(row.info->op))
        continue;
      cursor.error(p.at, fmt::format("'{}' takes one address in brackets and nothing else", row.info->text));
      return false;
    }
    if (!p.followsBar)
      items.push_back({&p, nullptr});
    else
      items.back().pred = &p;
  }
  chosen.assign(row.operands.size(), {});
  if (assign(row, 0, 0, chosen))
    return true;
  cursor.error(mnemonic, fmt::format("the {} operands do not fit '{}', which takes \"{}\"", items.size(),
                                     row.info->text, row.info->operands));
  return false;
}

bool OperandChecker::checkItem(const Instr &instr, const OperandSpec &spec, const Item &item,
                               ParsedOperands &parsed) {
  using Kind = OperandSpec::Kind;
  if (!item.main)
    return true;
  if (item.pred) {
    OperandSpec pred;
    pred.isWritten = pred.maySink = true;
    if (!checkScalar(pred, Type::Pred, *item.pred))
      return false;
  }
  Type type = spec.fixed != Type::None ? spec.fixed : instr.types[spec.typeIndex];
  if (spec.widens && instr.mods.mul == MulMode::Wide)
    type = bitsOf(type) == 16 ? Type::B32 : Type::B64;
  switch (spec.kind) {
  case Kind::Typed: return checkScalar(spec, type, *item.main);
  case Kind::Vector: {
    unsigned width = instr.mods.vectorWidth();
    if (width == 1) {
      // Surface accesses write a single value in braces.
      if (item.main->operand.kind == OperandKind::Vector && item.main->operand.count == 1)
        *item.main = Parsed(parsed.elements[item.main->operand.index]);
      return checkScalar(spec, type, *item.main);
    }
    if (spec.maySink && item.main->operand.kind == OperandKind::Sink)
      return true;
    return checkVector(spec, type, width, *item.main, parsed);
  }
  case Kind::Any: return checkAny(spec.isWritten, *item.main);
  case Kind::AnyVector: return checkAnyVector(spec.isWritten, *item.main, parsed);
  case Kind::Address: return checkAddress(*item.main);
  case Kind::Imm:
    if (item.main->operand.kind != OperandKind::Imm || item.main->constant.kind != Constant::Kind::Int)
      return fail(*item.main, "an integer constant");
    return setImmediate(*item.main, Type::B64);
  case Kind::Mov:
  case Kind::Label:
  case Kind::Func:
  case Kind::Targets:
  case Kind::Rest: return true; // checked where they are read
  }
  return true;
}

/// Elements first, then the operands themselves, so that those lie side by side.
void OperandChecker::emit(Instr &instr, ParsedOperands &parsed) {
  for (Parsed &p : parsed.list) {
    if (p.operand.kind != OperandKind::Vector)
      continue;
    uint32_t first = p.operand.index;
    p.operand.index = uint32_t(function.operands.size());
    for (unsigned i = 0; i < p.operand.count; ++i)
      function.operands.push_back(parsed.elements[first + i].operand);
  }
  const Row &row = rowOf(instr.op);
  instr.firstOperand = uint32_t(function.operands.size());
  size_t spec = 0;
  for (size_t i = 0; i < parsed.list.size(); ++i) {
    function.operands.push_back(parsed.list[i].operand);
    while (spec < chosen.size() && !chosen[spec].main) // optional and left out
      ++spec;
    if (parsed.list[i].operand.bracketed || parsed.list[i].followsBar || spec >= chosen.size())
      continue;
    bool hasPred = i + 1 < parsed.list.size() && parsed.list[i + 1].followsBar;
    if (row.operands[spec].mayHavePred && !hasPred)
      function.operands.push_back(Operand{});
    ++spec;
  }
  instr.numOperands = uint16_t(function.operands.size() - instr.firstOperand);
}

/// Image coordinates, and what a row's "*" represents.
bool OperandChecker::isUnnamed(const Parsed &p) const {
  if (p.operand.bracketed)
    return true;
  return std::none_of(chosen.begin(), chosen.end(),
                      [&](const Item &item) { return item.main == &p || item.pred == &p; });
}

/// A conversion of one value to a pair reads one for each half, and random bits if it rounds by them.
bool OperandChecker::checkConversion(const Token &mnemonic, const Instr &instr) {
  const auto isPair = [](Type type) { return text(type).ends_with("x2"); };
  const size_t halves = isPair(instr.types[0]) && !isPair(instr.types[1]) ? 2 : 1;
  const size_t wanted = 1 + halves + (instr.mods.rnd == Rounding::Rs ? 1 : 0);
  if (items.size() == wanted)
    return true;
  cursor.error(mnemonic,
               fmt::format("'{}' to '.{}' from '.{}' takes {} operands, found {}", info(instr.op).text,
                           text(instr.types[0]), text(instr.types[1]), wanted, items.size()));
  return false;
}

bool OperandChecker::check(const Token &mnemonic, Instr &instr, ParsedOperands &parsed) {
  current = &instr;
  const Row &row = rowOf(instr.op);
  if (!match(mnemonic, row, parsed) || (instr.op == Op::Cvt && !checkConversion(mnemonic, instr)))
    return false;
  for (Parsed &p : parsed.list)
    if (isUnnamed(p) && !checkAnyVector(false, p, parsed))
      return false;
  if (instr.op == Op::Mov) {
    if (!checkMov(instr, parsed))
      return false;
  } else {
    for (size_t i = 0; i < row.operands.size(); ++i)
      if (!checkItem(instr, row.operands[i], chosen[i], parsed))
        return false;
  }
  emit(instr, parsed);
  return checkMatrix(mnemonic, instr);
}

bool OperandChecker::checkMatrix(const Token &mnemonic, const Instr &instr) {
  std::string problem = matrixProblem(function, instr);
  if (problem.empty())
    problem = videoProblem(function, instr);
  if (problem.empty())
    return true;
  cursor.error(mnemonic, problem);
  return false;
}

} // namespace heddle::ptx
