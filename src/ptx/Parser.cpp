// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module's own scope: headers, variables, functions up to their '{', debug sections. Bodies are read by
// BodyReader. Nothing here looks ahead further than one token, and nothing recurses.
#include "ptx/Parser.h"

#include "ptx/Body.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

uint64_t alignedTo(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

class ModuleReader {
public:
  ModuleReader(std::string_view text, Module &m, Diagnostics &diagnostics)
      : cursor(text, m.path, diagnostics), module(m), body(cursor, m, globals) {}

  void run() {
    while (!cursor.atEnd())
      item();
    if (module.versionMajor == 0)
      cursor.error(cursor.peek(), "no .version line: this is not PTX");
    else if (module.target.empty())
      cursor.error(cursor.peek(), "no .target line gives the architecture");
    resolveAliases();
    resolveLocs();
  }

private:
  struct Alias {
    uint32_t name, target;
  };

  void item();
  void readVersion();
  void readTarget();
  void readAddressSize();
  void readFile();
  void readSection();
  void readDebugStrings();
  void readAlias();
  void readVariables(Space space, Linkage linkage);
  uint32_t locationVariable(Declared &declared);
  void readFunction(bool isEntry, Linkage linkage);
  bool readParams(uint32_t function, std::vector<Param> &params);
  bool readParam(uint32_t function, std::vector<Param> &params);
  bool readFunctionDirectives(Function &function);
  bool readNumbers(uint32_t *numbers, unsigned most);
  uint32_t declareFunction(const Token &name, Function &&header, bool isDefinition);
  void skipAttribute();
  void resolveAliases();
  void resolveLocs();

  Cursor cursor;
  Module &module;
  Globals globals;
  BodyReader body;
  std::vector<Alias> aliases;
  NameTable<std::string> debugStrings; ///< label in .debug_str -> the characters from there on
};

Linkage linkageOf(std::string_view directive) {
  if (directive == ".visible")
    return Linkage::Visible;
  if (directive == ".weak")
    return Linkage::Weak;
  if (directive == ".extern")
    return Linkage::Extern;
  return directive == ".common" ? Linkage::Common : Linkage::Internal;
}

void ModuleReader::item() {
  Token token = cursor.peek();
  if (token.is(';')) {
    cursor.take();
    return;
  }
  if (token.is('@')) { // "@@DWARF ...": debug lines of compilers before PTX 2.3
    cursor.skipLine();
    return;
  }
  if (token.kind != TokenKind::Directive) {
    cursor.wanted("a directive");
    cursor.take();
    cursor.skipStatement();
    cursor.accept('}');
    return;
  }
  cursor.take();
  if (token.text == ".version")
    return readVersion();
  if (token.text == ".target")
    return readTarget();
  if (token.text == ".address_size")
    return readAddressSize();
  if (token.text == ".file")
    return readFile();
  if (token.text == ".section")
    return readSection();
  if (token.text == ".alias")
    return readAlias();
  if (token.text == ".loc")
    return body.readLoc();
  if (token.text == ".pragma")
    return cursor.skipStatement();

  Linkage linkage = linkageOf(token.text);
  if (linkage != Linkage::Internal) {
    token = cursor.take();
  }
  if (token.text == ".attribute") {
    skipAttribute();
    token = cursor.take();
  }
  if (token.text == ".entry" || token.text == ".func")
    return readFunction(token.text == ".entry", linkage);
  if (std::optional<Space> space = spaceOfDirective(token.text))
    return readVariables(*space, linkage);
  cursor.error(token, fmt::format("{} is no directive of a module", shown(token)));
  cursor.skipStatement();
  cursor.accept('}');
}

void ModuleReader::skipAttribute() {
  while (!cursor.atEnd() && !cursor.accept(')'))
    cursor.take();
  cursor.accept(')'); // .attribute(.unified(a, b))
}

void ModuleReader::readVersion() {
  Token token = cursor.take();
  size_t dot = token.text.find('.');
  bool good = token.kind == TokenKind::F64 && dot != std::string_view::npos && token.text.size() <= 8 &&
              token.text.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!good) {
    cursor.error(token, fmt::format("wanted a version such as 8.7, found {}", shown(token)));
    return;
  }
  auto number = [](std::string_view digits) {
    unsigned value = 0;
    for (char c : digits)
      value = value * 10 + unsigned(c - '0');
    return value;
  };
  module.versionMajor = number(token.text.substr(0, dot));
  module.versionMinor = number(token.text.substr(dot + 1));
}

void ModuleReader::readTarget() {
  do {
    std::optional<std::string_view> word = cursor.expectName("a target such as sm_90");
    if (!word)
      return;
    if (word->starts_with("sm_") || word->starts_with("compute_")) {
      module.target = std::string(*word);
      module.smVersion = 0;
      for (char c : word->substr(word->find('_') + 1))
        if (c >= '0' && c <= '9' && module.smVersion < 10000)
          module.smVersion = module.smVersion * 10 + unsigned(c - '0');
    } else if (*word == "debug") {
      module.hasDebugTarget = true;
    }
  } while (cursor.accept(','));
}

void ModuleReader::readAddressSize() {
  Token token = cursor.peek();
  std::optional<uint64_t> bits = cursor.expectInteger("32 or 64");
  if (bits && *bits != 32 && *bits != 64)
    cursor.error(token, fmt::format("wanted an address size of 32 or 64, found {}", *bits));
  else if (bits)
    module.addressBits = unsigned(*bits);
}

/// LLVM writes bytes of a file's name that are not ASCII as three octal digits after a backslash.
static std::string withoutEscapes(std::string_view text) {
  auto isOctal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else if (i + 3 < text.size() && isOctal(text[i + 1]) && isOctal(text[i + 2]) && isOctal(text[i + 3])) {
      plain += char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[++i];
    }
  }
  return plain;
}

void ModuleReader::readFile() {
  std::optional<uint64_t> number = cursor.expectInteger("a file number");
  if (!number)
    return;
  if (cursor.peek().kind != TokenKind::String) {
    cursor.wanted("a file's name in quotes");
    return;
  }
  module.files.push_back({uint32_t(*number), withoutEscapes(cursor.take().text)});
  while (cursor.accept(',')) // time stamp and size
    cursor.expectInteger("a time stamp or a size");
}

void ModuleReader::readSection() {
  Token name = cursor.take();
  if (!cursor.peek().is('{')) {
    cursor.wanted("'{' after a section's name");
    return;
  }
  if (name.text == ".debug_str")
    return readDebugStrings();
  if (!cursor.skipPastBrace())
    cursor.error(name, "section is not closed");
}

/// Labels and bytes: "info_string0: .b8 95,90,...,0".
void ModuleReader::readDebugStrings() {
  cursor.take();
  std::vector<std::pair<std::string_view, size_t>> labels;
  std::string bytes;
  while (!cursor.atEnd() && !cursor.accept('}')) {
    Token token = cursor.take();
    if (token.kind == TokenKind::Integer)
      bytes += char(token.value);
    else if (token.kind == TokenKind::Word && cursor.accept(':'))
      labels.emplace_back(token.text, bytes.size());
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    size_t end = i + 1 < labels.size() ? labels[i + 1].second : bytes.size();
    debugStrings.set(labels[i].first, bytes.substr(labels[i].second, end - labels[i].second));
  }
  // The section itself is a name too: ".debug_str+12" points anywhere into it.
  debugStrings.set(".debug_str", std::move(bytes));
}

void ModuleReader::readAlias() {
  uint32_t functions[2] = {kNone, kNone};
  for (unsigned i = 0; i < 2; ++i) {
    Token name = cursor.peek();
    const Global *global = name.kind == TokenKind::Word ? globals.find(name.text) : nullptr;
    if (!global || !global->isFunction) {
      cursor.wanted("a declared function");
      return cursor.skipStatement();
    }
    functions[i] = global->index;
    cursor.take();
    if (i == 0 && !cursor.expect(',', "the name of an alias"))
      return cursor.skipStatement();
  }
  if (module.functions[functions[0]].isDefined || functions[0] == functions[1])
    cursor.error(cursor.peek(), fmt::format("'{}' is defined already and cannot be an alias",
                                            module.functions[functions[0]].name));
  else
    aliases.push_back({functions[0], functions[1]});
  cursor.expect(';', "'.alias'");
}

/// The index of the variable: a new one, or the one that an earlier declaration of the name has.
uint32_t ModuleReader::locationVariable(Declared &declared) {
  const Global *known = globals.find(declared.name.text);
  if (!known) {
    uint32_t number = uint32_t(module.variables.size());
    module.variables.push_back(std::move(declared.variable));
    globals.set(declared.name.text, {false, number});
    return number;
  }
  auto isTentative = [](const Variable &v) {
    return v.linkage == Linkage::Extern || v.linkage == Linkage::Common;
  };
  if (known->isFunction || (!isTentative(module.variables[known->index]) && !isTentative(declared.variable) &&
                            declared.variable.linkage != Linkage::Weak)) {
    cursor.error(declared.name, fmt::format("'{}' is declared twice", declared.name.text));
    return kNone;
  }
  if (isTentative(module.variables[known->index]))
    module.variables[known->index] = std::move(declared.variable);
  return known->index;
}

void ModuleReader::readVariables(Space space, Linkage linkage) {
  std::optional<Declared> first = readDeclarator(cursor, space), declared = first;
  while (declared) {
    declared->variable.linkage = linkage;
    if (!readInitializer(cursor, globals, *declared))
      break;
    locationVariable(*declared);
    if (cursor.accept(';'))
      return;
    if (!cursor.expect(',', "a variable"))
      break;
    declared = readNextDeclarator(cursor, *first);
  }
  cursor.skipStatement();
  cursor.accept('}');
}

bool ModuleReader::readParam(uint32_t function, std::vector<Param> &params) {
  bool isReg = cursor.acceptDirective(".reg");
  if (!isReg && !cursor.acceptDirective(".param")) {
    cursor.wanted("'.param' or ')'");
    return false;
  }
  std::optional<Declared> declared = readDeclarator(cursor, Space::Param);
  if (!declared)
    return false;
  Param param;
  if (isReg) {
    param.reg = body.scopes.declareRegister(declared->name, declared->variable.type);
    if (param.reg == kNone)
      return false;
  } else {
    param.variable = uint32_t(module.variables.size());
    declared->variable.function = function;
    if (declared->name.text != "_") {
      body.scopes.bindVariable(declared->name, param.variable);
      declared->variable.name = body.scopes.unique(declared->variable.name);
    }
    module.variables.push_back(std::move(declared->variable));
  }
  params.push_back(param);
  return true;
}

/// "(...)", the '(' is taken already.
bool ModuleReader::readParams(uint32_t function, std::vector<Param> &params) {
  if (cursor.accept(')'))
    return true;
  do {
    if (!readParam(function, params))
      return false;
  } while (cursor.accept(','));
  return cursor.expect(')', "a function's parameters");
}

bool ModuleReader::readNumbers(uint32_t *numbers, unsigned most) {
  for (unsigned i = 0; i < most; ++i) {
    std::optional<uint64_t> number = cursor.expectInteger("a number");
    if (!number)
      return false;
    numbers[i] = uint32_t(std::min<uint64_t>(*number, ~0u));
    if (i + 1 == most || !cursor.accept(',')) {
      for (unsigned rest = i + 1; rest < most; ++rest)
        numbers[rest] = 1;
      return true;
    }
  }
  return true;
}

/// What is between the parameters and the body.
bool ModuleReader::readFunctionDirectives(Function &function) {
  LaunchBounds &bounds = function.bounds;
  while (cursor.peek().kind == TokenKind::Directive) {
    Token token = cursor.take();
    bool good = true;
    uint32_t ignored[1];
    if (token.text == ".maxntid")
      good = readNumbers(bounds.maxNTid, 3);
    else if (token.text == ".reqntid")
      good = readNumbers(bounds.reqNTid, 3);
    else if (token.text == ".reqnctapercluster")
      good = readNumbers(bounds.reqNCtaPerCluster, 3);
    else if (token.text == ".minnctapersm")
      good = readNumbers(&bounds.minNCtaPerSm, 1);
    else if (token.text == ".maxnreg")
      good = readNumbers(&bounds.maxNReg, 1);
    else if (token.text == ".maxclusterrank")
      good = readNumbers(&bounds.maxClusterRank, 1);
    else if (token.text == ".maxnctapersm" || token.text == ".abi_preserve" ||
             token.text == ".abi_preserve_control")
      good = readNumbers(ignored, 1);
    else if (token.text == ".explicitcluster")
      bounds.explicitCluster = true;
    else if (token.text == ".noreturn")
      function.noReturn = true;
    else if (token.text == ".blocksareclusters") {
    } else if (token.text == ".pragma") {
      if (cursor.peek().kind == TokenKind::String)
        function.pragmas.push_back(std::string(cursor.take().text));
      cursor.accept(';');
    } else {
      cursor.error(token, fmt::format("{} is no directive of a function", shown(token)));
      good = false;
    }
    if (!good)
      return false;
  }
  return true;
}

/// A declaration and the definition after it are one function; so are two declarations.
uint32_t ModuleReader::declareFunction(const Token &name, Function &&header, bool isDefinition) {
  const Global *known = globals.find(name.text);
  uint32_t number = known ? known->index : uint32_t(module.functions.size() - 1);
  if (!known) {
    globals.set(name.text, {true, number});
  } else if (!known->isFunction || (isDefinition && module.functions[number].isDefined)) {
    cursor.error(name, fmt::format("'{}' is defined twice", name.text));
    return kNone;
  } else {
    module.functions.pop_back();
    if (module.functions[number].isDefined) // declared again after its definition
      return number;
  }
  for (const std::vector<Param> *params : {&header.params, &header.results})
    for (const Param &param : *params)
      if (param.variable != kNone)
        module.variables[param.variable].function = number;
  module.functions[number] = std::move(header);
  return number;
}

void ModuleReader::readFunction(bool isEntry, Linkage linkage) {
  // The scopes need a function to put parameters into while its name is still unknown: a new one at the end,
  // which moves to its place once the name is known.
  uint32_t scratch = uint32_t(module.functions.size());
  module.functions.emplace_back();
  body.scopes.begin(module.functions.back());
  auto giveUp = [&] {
    if (module.functions.size() > scratch)
      module.functions.pop_back();
    // Over the rest of the header, and over the body if there is one.
    while (!cursor.atEnd() && !cursor.peek().is('{') && !cursor.accept(';'))
      cursor.take();
    if (cursor.accept('{')) {
      for (unsigned depth = 1; depth > 0 && !cursor.atEnd();) {
        Token token = cursor.take();
        depth += token.is('{');
        depth -= token.is('}');
      }
    }
  };
  Function header;
  header.isEntry = isEntry;
  header.linkage = linkage;
  if (cursor.peek().isDirective(".attribute")) {
    cursor.take();
    skipAttribute();
  }
  if (cursor.acceptDirective(".noreturn"))
    header.noReturn = true;
  if (!isEntry && cursor.accept('(') && !readParams(scratch, header.results))
    return giveUp();
  Token name = cursor.peek();
  if (!cursor.expectName("a function's name"))
    return giveUp();
  header.name = std::string(name.text);
  header.line = name.line;
  if (cursor.accept('(') && !readParams(scratch, header.params))
    return giveUp();
  if (!readFunctionDirectives(header))
    return giveUp();

  for (const Param &param : header.params)
    if (param.variable != kNone) {
      Variable &v = module.variables[param.variable];
      v.offset = alignedTo(header.paramBytes, v.align);
      header.paramBytes = v.offset + v.bytes;
    }
  bool isDefinition = cursor.peek().is('{');
  Function &made = module.functions[scratch];
  header.registers = std::move(made.registers);
  std::copy(std::begin(made.slots), std::end(made.slots), header.slots);
  uint32_t number = declareFunction(name, std::move(header), isDefinition);
  if (number == kNone)
    return giveUp();
  if (!isDefinition) {
    cursor.expect(';', "a function's declaration");
    return;
  }
  body.scopes.moveTo(module.functions[number]);
  cursor.take();
  body.read(number);
}

void ModuleReader::resolveAliases() {
  if (aliases.empty())
    return;
  std::vector<uint32_t> target(module.functions.size());
  for (uint32_t i = 0; i < target.size(); ++i)
    target[i] = i;
  for (const Alias &alias : aliases) {
    target[alias.name] = target[alias.target];
    module.functions[alias.name].aliasOf = target[alias.target];
  }
  for (Function &function : module.functions)
    for (Operand &operand : function.operands)
      if (operand.kind == OperandKind::Func)
        operand.index = target[operand.index];
  for (Variable &variable : module.variables)
    for (Relocation &reloc : variable.relocs)
      if (reloc.isFunction)
        reloc.symbol = target[reloc.symbol];
}

/// Files and debug strings follow the code that names them.
void ModuleReader::resolveLocs() {
  std::unordered_map<uint32_t, uint32_t> files;
  for (uint32_t i = 0; i < module.files.size(); ++i)
    files[module.files[i].number] = i;
  for (SourceLoc &loc : module.locs) {
    auto found = files.find(loc.file);
    loc.file = found == files.end() ? kNone : found->second;
  }
  for (const NamedLoc &named : body.namedLocs) {
    const std::string *bytes = debugStrings.find(named.label);
    if (!bytes || named.offset >= bytes->size() || named.loc >= module.locs.size())
      continue;
    std::string name = bytes->c_str() + named.offset;
    module.locs[named.loc].function = uint32_t(module.texts.size());
    module.texts.push_back(std::move(name));
  }
}

} // namespace

Module parse(std::string_view text, std::string path, Diagnostics &diagnostics) {
  Module module;
  module.path = std::move(path);
  ModuleReader(text, module, diagnostics).run();
  return module;
}

} // namespace heddle::ptx
