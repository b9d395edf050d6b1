// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Body.h"

#include "ptx/Cfg.h"
#include "support/Text.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

/// A .loc's place in one word; lines and columns beyond the bits do not occur.
uint64_t locationKey(const SourceLoc &loc) {
  return uint64_t(loc.file & 0xffff) << 48 | uint64_t(loc.line & 0xffffff) << 24 | (loc.column & 0xffffff);
}

bool isCallOperand(OperandKind kind) {
  return kind == OperandKind::Var || kind == OperandKind::Reg || kind == OperandKind::Imm ||
         kind == OperandKind::Sink;
}

} // namespace

const Form &FormCache::of(std::string_view mnemonic) {
  if (const uint32_t *found = indices.find(mnemonic))
    return forms[*found];
  forms.push_back(decodeMnemonic(mnemonic));
  names.emplace_back(mnemonic);
  indices.set(names.back(), uint32_t(forms.size() - 1));
  return forms.back();
}

void BodyReader::read(uint32_t functionIndex) {
  index = functionIndex;
  loc = kNone;
  locsHere.clear();
  failed = done = false;
  function().isDefined = true;
  checker.emplace(cursor, scopes, module, function());
  while (!done && !cursor.atEnd())
    statement();
  if (!done)
    cursor.wanted(fmt::format("'}}' at the end of function '{}'", function().name));
  scopes.finish();
  finishFunction(done && !failed);
}

/// A function always ends in an instruction that does not go on, so that nothing ever runs past its end.
void BodyReader::finishFunction(bool sound) {
  Function &f = function();
  auto isEnd = [&](uint32_t target) { return target == f.instrs.size(); };
  bool isNamed =
      std::any_of(f.labels.begin(), f.labels.end(), [&](const Label &l) { return isEnd(l.instr); });
  if (f.instrs.empty() || isNamed || !neverFallsThrough(f.instrs.back())) {
    Instr ret;
    ret.op = Op::Ret;
    ret.firstOperand = uint32_t(f.operands.size());
    ret.line = cursor.peek().line;
    ret.loc = loc;
    f.instrs.push_back(ret);
  }
  // With an error some label may be unresolved, and the module is not to be used anyway.
  if (sound &&
      std::none_of(f.operands.begin(), f.operands.end(),
                   [](const Operand &o) {
                     return (o.kind == OperandKind::Label || o.kind == OperandKind::Targets) &&
                            o.index == kNone;
                   }) &&
      std::none_of(f.targetLists.begin(), f.targetLists.end(), [](const std::vector<uint32_t> &list) {
        return std::find(list.begin(), list.end(), kNone) != list.end();
      }))
    buildCfg(f);
}

void BodyReader::statement() {
  const Token &token = cursor.peek();
  switch (token.kind) {
  case TokenKind::Directive: return directive();
  case TokenKind::Word: return instruction();
  default: break;
  }
  if (token.is('@'))
    return instruction();
  if (token.is('{')) {
    Token brace = cursor.take();
    if (!scopes.open(brace)) {
      failed = true;
      cursor.skipStatement();
    }
  } else if (token.is('}')) {
    cursor.take();
    if (scopes.depth() == 1)
      done = true;
    else
      scopes.close();
  } else if (!cursor.accept(';')) {
    failed = true;
    cursor.wanted("an instruction, a label or a directive");
    cursor.take();
    cursor.skipStatement();
  }
}

void BodyReader::directive() {
  Token token = cursor.take();
  if (token.text == ".loc")
    return readLoc();
  if (token.text == ".reg")
    return readRegisters();
  Linkage linkage = Linkage::Internal;
  if (token.text == ".extern" || token.text == ".visible" || token.text == ".weak") {
    linkage = token.text == ".extern" ? Linkage::Extern : Linkage::Visible;
    token = cursor.take();
  }
  if (std::optional<Space> space = spaceOfDirective(token.text))
    return readVariables(*space, linkage);
  if (token.text == ".pragma") { // hints to a compiler; nothing in them changes what the code computes
    cursor.skipStatement();
    return;
  }
  failed = true;
  cursor.error(token, fmt::format("{} is no directive of a function body", shown(token)));
  cursor.skipStatement();
}

void BodyReader::readRegisters() {
  Token at = cursor.peek();
  std::optional<Type> type;
  if (at.kind == TokenKind::Directive)
    type = findType(at.text.substr(1));
  if (!type || kindOf(*type) == TypeKind::Opaque || kindOf(*type) == TypeKind::Narrow) {
    failed = true;
    cursor.wanted("the type of a register");
    cursor.skipStatement();
    return;
  }
  cursor.take();
  do {
    Token name = cursor.peek();
    if (!cursor.expectName("a register's name"))
      break;
    if (!cursor.accept('<')) {
      failed |= scopes.declareRegister(name, *type) == kNone;
      continue;
    }
    std::optional<uint64_t> count = cursor.expectInteger("how many registers");
    if (!count || !cursor.expect('>', "the number of registers"))
      break;
    scopes.declareRange(name, *type, *count);
  } while (cursor.accept(','));
  if (cursor.accept(';'))
    return;
  failed = true;
  cursor.wanted("',' or ';' in a register declaration");
  cursor.skipStatement();
}

void BodyReader::readVariables(Space space, Linkage linkage) {
  std::optional<Declared> first = readDeclarator(cursor, space), declared = first;
  while (declared) {
    if (!readInitializer(cursor, globals, *declared))
      break;
    Variable &variable = declared->variable;
    variable.function = index;
    variable.linkage = linkage;
    Function &f = function();
    if (space == Space::Param) {
      variable.offset = scopes.allocateCallArea(variable.bytes, variable.align);
    } else if (space == Space::Local) {
      variable.offset = (f.localBytes + variable.align - 1) / variable.align * variable.align;
      f.localBytes = variable.offset + variable.bytes;
      f.localAlign = std::max(f.localAlign, variable.align);
    }
    uint32_t number = uint32_t(module.variables.size());
    scopes.bindVariable(declared->name, number);
    variable.name = scopes.unique(variable.name);
    module.variables.push_back(std::move(variable));
    f.locals.push_back(number);
    if (cursor.accept(';'))
      return;
    if (!cursor.expect(',', "a variable"))
      break;
    declared = readNextDeclarator(cursor, *first);
  }
  failed = true;
  cursor.skipStatement();
}

void BodyReader::readLoc() {
  SourceLoc location;
  std::optional<uint64_t> file = cursor.expectInteger("a file number"), line, column;
  if (file)
    line = cursor.expectInteger("a line number");
  if (line)
    column = cursor.expectInteger("a column number");
  if (!column)
    return;
  location.file = uint32_t(*file);
  location.line = uint32_t(*line);
  location.column = uint32_t(*column);
  uint32_t number = uint32_t(module.locs.size());
  while (cursor.accept(',')) {
    std::optional<std::string_view> word = cursor.expectName("'function_name' or 'inlined_at'");
    if (!word)
      return;
    if (*word == "function_name") {
      NamedLoc named{number, cursor.peek().text};
      if (cursor.peek().kind == TokenKind::Directive)
        cursor.take();
      else if (!cursor.expectName("a label of the debug strings"))
        return;
      if (cursor.accept('+'))
        named.offset = cursor.expectInteger("an offset").value_or(0);
      namedLocs.push_back(named);
    } else {
      SourceLoc outer;
      std::optional<uint64_t> outerFile = cursor.expectInteger("a file number"), outerLine, outerColumn;
      if (outerFile)
        outerLine = cursor.expectInteger("a line number");
      if (outerLine)
        outerColumn = cursor.expectInteger("a column number");
      if (!outerColumn)
        return;
      outer.file = uint32_t(*outerFile);
      outer.line = uint32_t(*outerLine);
      outer.column = uint32_t(*outerColumn);
      // The place of the call has a .loc of its own before this one, which carries the chain further out.
      auto found = locsHere.find(locationKey(outer));
      if (found != locsHere.end()) {
        location.inlinedAt = found->second;
      } else {
        module.locs.push_back(outer);
        location.inlinedAt = number++;
        if (!namedLocs.empty() && namedLocs.back().loc == location.inlinedAt)
          namedLocs.back().loc = number;
      }
    }
  }
  module.locs.push_back(location);
  locsHere[locationKey(location)] = number;
  loc = number;
}

void BodyReader::labelled(const Token &name) {
  if (cursor.acceptDirective(".branchtargets"))
    return readBranchTargets(name);
  if (cursor.acceptDirective(".callprototype"))
    return readPrototype(name);
  if (cursor.acceptDirective(".calltargets"))
    return readCallTargets(name);
  uint32_t next = uint32_t(function().instrs.size());
  scopes.defineLabel(name, Scopes::LabelKind::Instr, next);
  function().labels.push_back({scopes.unique(name.text), next});
}

void BodyReader::readBranchTargets(const Token &name) {
  Function &f = function();
  uint32_t list = uint32_t(f.targetLists.size());
  f.targetLists.emplace_back();
  f.targetListNames.push_back(scopes.unique(name.text));
  do {
    Token label = cursor.peek();
    if (!cursor.expectName("a label"))
      break;
    scopes.useLabelInList(label, list, uint32_t(f.targetLists[list].size()));
    f.targetLists[list].push_back(kNone);
  } while (cursor.accept(','));
  scopes.defineLabel(name, Scopes::LabelKind::Targets, list);
  if (!cursor.expect(';', "'.branchtargets'")) {
    failed = true;
    cursor.skipStatement();
  }
}

/// "(.param .b32 _, .param .align 8 .b8 _[16])"; the '(' is taken already.
bool BodyReader::readSlots(std::vector<Prototype::Slot> &slots) {
  if (cursor.accept(')'))
    return true;
  do {
    bool isReg = cursor.acceptDirective(".reg");
    if (!isReg && !cursor.acceptDirective(".param")) {
      cursor.wanted("'.param' or '.reg'");
      return false;
    }
    std::optional<Declared> declared = readDeclarator(cursor, Space::Param);
    if (!declared)
      return false;
    const Variable &v = declared->variable;
    slots.push_back({v.type, v.align, v.bytes, v.isArray, isReg});
  } while (cursor.accept(','));
  return cursor.expect(')', "the parameters of a prototype");
}

void BodyReader::readPrototype(const Token &name) {
  Prototype prototype;
  prototype.name = scopes.unique(name.text);
  bool good = !cursor.accept('(') || readSlots(prototype.results);
  good = good && cursor.expectName("'_' for the function's name").has_value();
  good = good && (!cursor.accept('(') || readSlots(prototype.params));
  while (good && cursor.peek().kind == TokenKind::Directive) {
    prototype.noReturn |= cursor.take().text == ".noreturn";
    if (cursor.peek().kind == TokenKind::Integer) // .abi_preserve N
      cursor.take();
  }
  scopes.defineLabel(name, Scopes::LabelKind::Proto, uint32_t(function().prototypes.size()));
  function().prototypes.push_back(std::move(prototype));
  if (!good || !cursor.expect(';', "'.callprototype'")) {
    failed = true;
    cursor.skipStatement();
  }
}

/// A list of possible callees says the same as a prototype: that of any of them.
void BodyReader::readCallTargets(const Token &name) {
  Prototype prototype;
  prototype.name = scopes.unique(name.text);
  auto addSlots = [&](const std::vector<Param> &params, std::vector<Prototype::Slot> &slots) {
    for (const Param &param : params)
      if (param.variable != kNone) {
        const Variable &v = module.variables[param.variable];
        slots.push_back({v.type, v.align, v.bytes, v.isArray, false});
      }
  };
  bool isFirst = true;
  do {
    Token callee = cursor.peek();
    const Global *global = callee.kind == TokenKind::Word ? globals.find(callee.text) : nullptr;
    if (!global || !global->isFunction) {
      cursor.wanted("a declared function");
      failed = true;
      break;
    }
    cursor.take();
    if (isFirst) {
      addSlots(module.functions[global->index].results, prototype.results);
      addSlots(module.functions[global->index].params, prototype.params);
    }
    isFirst = false;
  } while (cursor.accept(','));
  scopes.defineLabel(name, Scopes::LabelKind::Proto, uint32_t(function().prototypes.size()));
  function().prototypes.push_back(std::move(prototype));
  if (!cursor.expect(';', "'.calltargets'")) {
    failed = true;
    cursor.skipStatement();
  }
}

bool BodyReader::readGuard(Guard &guard) {
  guard.negated = cursor.accept('!');
  Token name = cursor.peek();
  if (!cursor.expectName("a predicate register after '@'"))
    return false;
  Binding binding = scopes.find(name.text);
  if (binding.kind != Binding::Kind::Reg || function().registers[binding.index].cls != RegClass::Pred) {
    cursor.error(name, fmt::format("{} is not a predicate register", shown(name)));
    return false;
  }
  guard.reg = binding.index;
  return true;
}

/// A mnemonic may be written with blanks before its dots ("setp .ne .s32").
Token BodyReader::joinMnemonic(Token first) {
  if (cursor.peek().kind != TokenKind::Directive)
    return first;
  joined = std::string(first.text);
  while (cursor.peek().kind == TokenKind::Directive)
    joined += cursor.take().text;
  joinedMnemonics.push_back(joined);
  first.text = joinedMnemonics.back();
  return first;
}

/// Token by token, so that comments and line breaks are gone: one blank is where there was any.
void BodyReader::keepUnsupported(const Token &mnemonic, const Form &form, Instr instr) {
  if (cursor.peek().is(':')) {
    failed = true;
    cursor.error(mnemonic, fmt::format("{} cannot be a label", shown(mnemonic)));
    cursor.take();
    return;
  }
  unsigned braces = 0;
  std::string text(mnemonic.text);
  const char *end = nullptr;
  while (!cursor.atEnd() && !cursor.peek().is(';')) {
    if (cursor.peek().is('{'))
      ++braces;
    else if (cursor.peek().is('}') && braces-- == 0)
      break;
    Token token = cursor.take();
    bool isString = token.kind == TokenKind::String;
    if (token.text.data() != end || isString)
      text += ' ';
    text += isString ? fmt::format("\"{}\"", token.text) : std::string(token.text);
    end = isString ? nullptr : token.text.data() + token.text.size();
  }
  if (!cursor.expect(';', "an instruction")) {
    failed = true;
    return;
  }
  instr.op = form.op;
  instr.text = uint32_t(module.texts.size());
  instr.firstOperand = uint32_t(function().operands.size());
  module.texts.push_back(std::move(text));
  module.unsupported.push_back({index, uint32_t(function().instrs.size()), form.name, form.reason});
  function().instrs.push_back(instr);
}

void BodyReader::instruction() {
  Instr instr;
  Token start = cursor.peek();
  if (cursor.accept('@') && !readGuard(instr.guard)) {
    failed = true;
    cursor.skipStatement();
    return;
  }
  Token mnemonic = cursor.peek();
  if (!cursor.expectName("an instruction")) {
    failed = true;
    cursor.skipStatement();
    return;
  }
  if (cursor.peek().is(':') && !instr.guard) {
    cursor.take();
    return labelled(mnemonic);
  }
  mnemonic = joinMnemonic(mnemonic);
  instr.line = start.line;
  instr.column = uint16_t(std::min<uint32_t>(start.column, 0xffff));
  instr.loc = loc;
  const Form &form = forms.of(mnemonic.text);
  if (!form.reason.empty())
    return keepUnsupported(mnemonic, form, instr);
  instr.op = form.op;
  std::copy(std::begin(form.types), std::end(form.types), instr.types);
  instr.mods = form.mods;

  bool good;
  if (instr.op == Op::Bra)
    good = readBranch(instr);
  else if (instr.op == Op::BrxIdx)
    good = readIndexedBranch(mnemonic, instr);
  else if (instr.op == Op::Call)
    good = readCall(mnemonic, instr);
  else
    good = readOperands(cursor, scopes, globals, parsed) && checker->check(mnemonic, instr, parsed);
  if (good)
    function().instrs.push_back(instr);
  failed |= !good;
  if (!good || !cursor.expect(';', "an instruction")) {
    failed = true;
    cursor.skipStatement();
  }
}

bool BodyReader::readBranch(Instr &instr) {
  Token label = cursor.peek();
  if (!cursor.expectName("a label"))
    return false;
  instr.firstOperand = uint32_t(function().operands.size());
  instr.numOperands = 1;
  Operand operand;
  operand.kind = OperandKind::Label;
  function().operands.push_back(operand);
  scopes.useLabel(label, Scopes::LabelKind::Instr, instr.firstOperand);
  return true;
}

bool BodyReader::readIndexedBranch(const Token &mnemonic, Instr &instr) {
  parsed.clear();
  if (!readOperand(cursor, scopes, globals, parsed) || !cursor.expect(',', "the index of 'brx.idx'"))
    return false;
  Token list = cursor.peek();
  if (!cursor.expectName("a .branchtargets list"))
    return false;
  Parsed target;
  target.at = list;
  target.operand.kind = OperandKind::Targets;
  parsed.list.push_back(target);
  if (!checker->check(mnemonic, instr, parsed))
    return false;
  scopes.useLabel(list, Scopes::LabelKind::Targets, instr.firstOperand + 1);
  return true;
}

/// "(a, b)"; the '(' is taken already.
bool BodyReader::readCallList(std::vector<Operand> &list, bool isWritten) {
  if (cursor.accept(')'))
    return true;
  parsed.clear();
  do {
    if (!readOperand(cursor, scopes, globals, parsed))
      return false;
  } while (cursor.accept(','));
  for (Parsed &p : parsed.list) {
    if (p.operand.kind == OperandKind::Var && module.variables[p.operand.index].space != Space::Param) {
      cursor.error(p.at, fmt::format("{} is not a .param variable", shown(p.at)));
      return false;
    }
    bool fits = isCallOperand(p.operand.kind) && !(isWritten && p.operand.kind == OperandKind::Imm) &&
                !p.operand.negated && !p.operand.bracketed && p.operand.value == 0 && !p.followsBar;
    if (!fits) {
      cursor.error(p.at, fmt::format("wanted a parameter of the call, found {}", shown(p.at)));
      return false;
    }
    p.operand.value = p.constant.bits;
    list.push_back(p.operand);
  }
  return cursor.expect(')', "the parameters of a call");
}

bool BodyReader::callFits(const Token &at, const Operand &callee, size_t results, size_t arguments) {
  if (callee.kind == OperandKind::Reg) {
    RegClass cls = function().registers[callee.index].cls;
    if (cls == RegClass::B32 || cls == RegClass::B64)
      return true;
    cursor.error(at, "a function's address is in a 32- or 64-bit register");
    return false;
  }
  const Function &f = module.functions[callee.index];
  if (f.results.size() == results && f.params.size() == arguments)
    return true;
  cursor.error(at, fmt::format("'{}' takes {} and gives {}, the call has {} and {}", f.name,
                               counted(f.params.size(), "parameter"), counted(f.results.size(), "result"),
                               arguments, results));
  return false;
}

bool BodyReader::readCall(const Token &mnemonic, Instr &instr) {
  std::vector<Operand> results, arguments;
  if (cursor.accept('(') && !(readCallList(results, true) && cursor.expect(',', "the results of a call")))
    return false;
  parsed.clear();
  Token name = cursor.peek();
  if (!cursor.peek().is('[') && !readOperand(cursor, scopes, globals, parsed))
    return false;
  Operand callee = parsed.list.empty() ? Operand{} : parsed.list[0].operand;
  if (callee.kind != OperandKind::Func && callee.kind != OperandKind::Reg) {
    cursor.error(name, fmt::format("wanted a declared function to call, found {}", shown(name)));
    return false;
  }
  bool hasPrototype = false;
  Token prototype;
  if (cursor.accept(',')) {
    if (cursor.accept('(')) {
      if (!readCallList(arguments, false))
        return false;
      hasPrototype = cursor.accept(',');
    } else {
      hasPrototype = true;
    }
    prototype = cursor.peek();
    if (hasPrototype && !cursor.expectName("a call prototype"))
      return false;
  }
  if (results.size() > 255 || arguments.size() > 255 || (callee.kind == OperandKind::Reg && !hasPrototype)) {
    cursor.error(mnemonic, callee.kind == OperandKind::Reg && !hasPrototype
                               ? "a call through a register needs a prototype"
                               : "a call of more than 255 parameters");
    return false;
  }
  if (!callFits(name, callee, results.size(), arguments.size()))
    return false;
  std::vector<Operand> &pool = function().operands;
  auto addVector = [&](const std::vector<Operand> &list) {
    Operand vector;
    vector.kind = OperandKind::Vector;
    vector.count = uint8_t(list.size());
    vector.index = uint32_t(pool.size());
    pool.insert(pool.end(), list.begin(), list.end());
    return vector;
  };
  Operand resultVector = addVector(results), argumentVector = addVector(arguments);
  instr.firstOperand = uint32_t(pool.size());
  instr.numOperands = uint16_t(hasPrototype ? 4 : 3);
  pool.insert(pool.end(), {callee, resultVector, argumentVector});
  if (hasPrototype) {
    Operand proto;
    proto.kind = OperandKind::Proto;
    pool.push_back(proto);
    scopes.useLabel(prototype, Scopes::LabelKind::Proto, instr.firstOperand + 3);
  }
  return true;
}

} // namespace heddle::ptx
