// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References inside of a module are indices, so linking is renumbering. In three steps:
//
//   1. choose for each shared name the one symbol that represents it;
//   2. give the symbols that stay their numbers, one module after the other; the number of any other symbol is that of
//      the chosen one with its name;
//   3. move every module over, with all indices mapped.
#include "ptx/Link.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace heddle::ptx {
namespace {

struct Symbol {
  uint32_t module = kNone, index = kNone;
  bool isFunction = false;
  bool operator==(const Symbol &) const = default;
};

class Linker {
public:
  Linker(std::vector<Module> given, std::string path, Diagnostics &diagnostics)
      : modules(std::move(given)), diagnostics(diagnostics) {
    linked.path = std::move(path);
  }

  std::optional<Module> run() {
    for (uint32_t m = 0; m < modules.size(); ++m)
      chooseOf(m);
    if (failed)
      return std::nullopt;
    number();
    for (uint32_t m = 0; m < modules.size(); ++m)
      move(m);
    renameLocals();
    return std::move(linked);
  }

private:
  // --- 1. which symbol represents a name

  const Variable &variableOf(const Symbol &s) const { return modules[s.module].variables[s.index]; }
  const Function &functionOf(const Symbol &s) const { return modules[s.module].functions[s.index]; }
  const std::string &nameOf(const Symbol &s) const {
    return s.isFunction ? functionOf(s).name : variableOf(s).name;
  }
  Linkage linkageOf(const Symbol &s) const {
    return s.isFunction ? functionOf(s).linkage : variableOf(s).linkage;
  }
  uint32_t lineOf(const Symbol &s) const { return s.isFunction ? functionOf(s).line : variableOf(s).line; }
  uint64_t bytesOf(const Symbol &s) const { return s.isFunction ? 0 : variableOf(s).bytes; }

  /// Each file has an extern shared array of its own, which begins where all of them begin.
  bool isShared(const Symbol &s) const {
    const Linkage linkage = linkageOf(s);
    if (linkage == Linkage::Internal)
      return false;
    return s.isFunction || (variableOf(s).function == kNone && !variableOf(s).isDynamicShared());
  }

  /// The order in which symbols of a name are taken.
  int strength(const Symbol &s) const {
    if (s.isFunction && !functionOf(s).isDefined && functionOf(s).aliasOf == kNone)
      return 0;
    switch (linkageOf(s)) {
    case Linkage::Extern: return 0;
    case Linkage::Common: return 1;
    case Linkage::Weak: return 2;
    default: return 3;
    }
  }

  void chooseOf(uint32_t m) {
    for (uint32_t i = 0; i < modules[m].variables.size(); ++i)
      choose({m, i, false});
    for (uint32_t i = 0; i < modules[m].functions.size(); ++i)
      choose({m, i, true});
  }

  void choose(const Symbol &symbol) {
    if (!isShared(symbol))
      return;
    auto [found, isNew] = chosen.try_emplace(nameOf(symbol), symbol);
    if (isNew)
      return;
    Symbol &best = found->second;
    if (best.isFunction != symbol.isFunction)
      return conflict(best, symbol, "is a function in one file and a variable in another");
    const int before = strength(best), now = strength(symbol);
    if (before == 3 && now == 3)
      return conflict(best, symbol, "is defined in two files");
    if (now > before || (before == 1 && now == 1 && bytesOf(symbol) > bytesOf(best)))
      best = symbol;
  }

  void conflict(const Symbol &first, const Symbol &second, std::string_view what) {
    failed = true;
    diagnostics.error(locationOf(second), fmt::format("'{}' {}", nameOf(second), what))
        .note(locationOf(first), "the other one");
  }

  SourceLocation locationOf(const Symbol &s) const { return {modules[s.module].path, lineOf(s), 0, 0, {}}; }

  // --- 2. numbers

  Symbol represents(const Symbol &symbol) const {
    return isShared(symbol) ? chosen.at(nameOf(symbol)) : symbol;
  }

  void number() {
    for (uint32_t m = 0; m < modules.size(); ++m) {
      variables.emplace_back(modules[m].variables.size(), kNone);
      functions.emplace_back(modules[m].functions.size(), kNone);
    }
    uint32_t numVariables = 0, numFunctions = 0;
    for (uint32_t m = 0; m < modules.size(); ++m) {
      for (uint32_t i = 0; i < variables[m].size(); ++i)
        if (stays({m, i, false}))
          variables[m][i] = numVariables++;
      for (uint32_t i = 0; i < functions[m].size(); ++i)
        if (stays({m, i, true}))
          functions[m][i] = numFunctions++;
    }
    for (uint32_t m = 0; m < modules.size(); ++m) {
      for (uint32_t i = 0; i < variables[m].size(); ++i)
        if (Symbol by = represents({m, i, false}); variables[m][i] == kNone && stays(by))
          variables[m][i] = variables[by.module][by.index];
      for (uint32_t i = 0; i < functions[m].size(); ++i)
        if (Symbol by = represents({m, i, true}); functions[m][i] == kNone)
          functions[m][i] = functions[by.module][by.index];
    }
  }

  /// What is inside of a function goes where the function goes.
  bool stays(const Symbol &symbol) const {
    if (!symbol.isFunction && variableOf(symbol).function != kNone)
      return stays({symbol.module, variableOf(symbol).function, true});
    return represents(symbol) == symbol;
  }

  // --- 3. moving

  void move(uint32_t m) {
    Module &from = modules[m];
    linked.versionMajor = std::max(linked.versionMajor, from.versionMajor);
    linked.versionMinor = std::max(linked.versionMinor, from.versionMinor);
    if (from.smVersion >= linked.smVersion) {
      linked.smVersion = from.smVersion;
      linked.target = from.target;
    }
    linked.addressBits = from.addressBits;
    linked.hasDebugTarget |= from.hasDebugTarget;
    const Bases bases{uint32_t(linked.files.size()), uint32_t(linked.locs.size()),
                      uint32_t(linked.texts.size())};
    moveVariables(m);
    moveFunctions(m, bases);
    for (SourceLoc &loc : from.locs)
      linked.locs.push_back(moved(loc, bases));
    std::move(from.files.begin(), from.files.end(), std::back_inserter(linked.files));
    std::move(from.texts.begin(), from.texts.end(), std::back_inserter(linked.texts));
  }

  struct Bases {
    uint32_t files, locs, texts;
  };

  static void shift(uint32_t &index, uint32_t by) { index = index == kNone ? kNone : index + by; }
  static void map(uint32_t &index, const std::vector<uint32_t> &to) {
    index = index == kNone ? kNone : to[index];
  }

  static SourceLoc moved(SourceLoc loc, const Bases &bases) {
    shift(loc.file, bases.files);
    shift(loc.function, bases.texts);
    shift(loc.inlinedAt, bases.locs);
    return loc;
  }

  void moveVariables(uint32_t m) {
    for (uint32_t i = 0; i < modules[m].variables.size(); ++i) {
      if (!stays({m, i, false}))
        continue;
      Variable variable = std::move(modules[m].variables[i]);
      map(variable.function, functions[m]);
      for (Relocation &r : variable.relocs)
        map(r.symbol, r.isFunction ? functions[m] : variables[m]);
      linked.variables.push_back(std::move(variable));
    }
  }

  void moveFunctions(uint32_t m, const Bases &bases) {
    for (UnsupportedUse &use : modules[m].unsupported)
      if (stays({m, use.function, true})) {
        map(use.function, functions[m]);
        linked.unsupported.push_back(std::move(use));
      }
    // Which functions stay is asked by name, so none is moved before all were asked.
    std::vector<uint32_t> staying;
    for (uint32_t i = 0; i < modules[m].functions.size(); ++i)
      if (stays({m, i, true}))
        staying.push_back(i);
    for (uint32_t i : staying)
      linked.functions.push_back(moved(std::move(modules[m].functions[i]), m, bases));
  }

  Function moved(Function function, uint32_t m, const Bases &bases) const {
    map(function.aliasOf, functions[m]);
    for (Param &param : function.params)
      map(param.variable, variables[m]);
    for (Param &param : function.results)
      map(param.variable, variables[m]);
    for (uint32_t &local : function.locals)
      map(local, variables[m]);
    for (Instr &instr : function.instrs) {
      shift(instr.text, bases.texts);
      shift(instr.loc, bases.locs);
    }
    for (Operand &operand : function.operands) {
      if (operand.kind == OperandKind::Var || operand.kind == OperandKind::AddrVar)
        map(operand.index, variables[m]);
      if (operand.kind == OperandKind::Func)
        map(operand.index, functions[m]);
    }
    return function;
  }

  /// Symbols are looked up by name: those that two files have for themselves get names that differ.
  void renameLocals() {
    std::unordered_set<std::string> taken;
    for (const auto &[name, symbol] : chosen)
      taken.insert(name);
    auto rename = [&](std::string &name) {
      const std::string plain = name;
      for (unsigned n = 2; !taken.insert(name).second; ++n)
        name = fmt::format("{}${}", plain, n);
    };
    for (Variable &variable : linked.variables)
      if (variable.linkage == Linkage::Internal && variable.function == kNone)
        rename(variable.name);
    for (Function &function : linked.functions)
      if (function.linkage == Linkage::Internal)
        rename(function.name);
  }

  std::vector<Module> modules;
  Diagnostics &diagnostics;
  Module linked;
  std::unordered_map<std::string, Symbol> chosen;
  std::vector<std::vector<uint32_t>> variables, functions; ///< by module: the number in the linked module
  bool failed = false;
};

} // namespace

std::optional<Module> link(std::vector<Module> modules, std::string path, Diagnostics &diagnostics) {
  return Linker(std::move(modules), std::move(path), diagnostics).run();
}

} // namespace heddle::ptx
