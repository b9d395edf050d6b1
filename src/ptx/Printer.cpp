// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Printer.h"

#include "ptx/Rows.h"
#include "ptx/Video.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle::ptx {
namespace {

/// A file's name as it may be between quotes.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

using Out = std::back_insert_iterator<std::string>;

std::string_view linkageText(Linkage linkage) {
  constexpr std::string_view kTexts[] = {"", ".visible ", ".weak ", ".extern ", ".common "};
  return kTexts[unsigned(linkage)];
}

std::string_view spaceText(const Variable &variable) {
  return kindOf(variable.type) == TypeKind::Opaque && variable.space == Space::Global ? "global"
                                                                                      : text(variable.space);
}

/// Which type an operand's constant is of, so that it prints in the form that reads back to the same bits.
Type constantType(const Instr &instr, const OperandSpec *spec) {
  if (!spec)
    return Type::B64;
  switch (spec->kind) {
  case OperandSpec::Kind::Typed:
    if (spec->fixed != Type::None)
      return spec->fixed;
    return instr.types[spec->typeIndex];
  case OperandSpec::Kind::Vector:
  case OperandSpec::Kind::Mov: return instr.type();
  default: return Type::B64;
  }
}

std::string constantText(uint64_t bits, Type type) {
  if (type == Type::F32)
    return fmt::format("0f{:08X}", bits);
  if (type == Type::F64)
    return fmt::format("0d{:016X}", bits);
  unsigned width = bitsOf(type);
  // Small magnitudes read best in decimal, with the sign the type has room for.
  int64_t value = width >= 64 || width == 0 ? int64_t(bits) : int64_t(bits << (64 - width)) >> (64 - width);
  if (width == 1)
    value = int64_t(bits);
  return value >= -65536 && value <= 65536 ? fmt::format("{}", value) : fmt::format("0x{:X}", bits);
}

/// Labels are in the order of their instructions.
std::string_view nameOfTarget(const Function &function, uint32_t target) {
  auto found = std::lower_bound(function.labels.begin(), function.labels.end(), target,
                                [](const Label &label, uint32_t instr) { return label.instr < instr; });
  return found == function.labels.end() || found->instr != target ? "?" : std::string_view(found->name);
}

class InstrPrinter {
public:
  InstrPrinter(const Module &m, const Function &f, const Instr &i) : module(m), function(f), instr(i) {}

  std::string run() {
    guard();
    if (instr.text != kNone)
      return text + module.texts[instr.text] + ";";
    text += printMnemonic(instr.op, instr.types, instr.mods);
    if (instr.op == Op::Call)
      call();
    else
      operands();
    return text + ";";
  }

private:
  void guard() {
    if (instr.guard)
      text += fmt::format("@{}{} ", instr.guard.negated ? "!" : "", function.registers[instr.guard.reg].name);
  }

  void withOffset(std::string_view name, uint64_t offset) {
    text += name;
    if (offset != 0)
      text += fmt::format("+{}", int64_t(offset));
  }

  std::string_view labelName(uint32_t target) const { return nameOfTarget(function, target); }

  void operand(const Operand &o, Type type) {
    if (o.negated)
      text += isVideo(instr.op) ? '-' : '!';
    switch (o.kind) {
    case OperandKind::Sink: text += '_'; break;
    case OperandKind::Reg:
      text += function.registers[o.index].name;
      if (o.value != 0)
        text += '.' + ptx::text(Selector::of(o.value));
      break;
    case OperandKind::Imm: text += constantText(o.value, type); break;
    case OperandKind::Special: text += ptx::text(SpecialReg(o.index)); break;
    case OperandKind::Var: withOffset(module.variables[o.index].name, o.value); break;
    case OperandKind::Func: text += module.functions[o.index].name; break;
    case OperandKind::Label: text += labelName(o.index); break;
    case OperandKind::Targets: text += function.targetListNames[o.index]; break;
    case OperandKind::Proto: text += function.prototypes[o.index].name; break;
    case OperandKind::Vector: list('{', '}', o, type); break;
    case OperandKind::AddrReg:
      text += '[';
      withOffset(function.registers[o.index].name, o.value);
      break;
    case OperandKind::AddrVar:
      text += '[';
      withOffset(module.variables[o.index].name, o.value);
      break;
    case OperandKind::AddrImm: text += fmt::format("[{}", o.value); break;
    }
  }

  void list(char open, char close, const Operand &vector, Type type) {
    text += open;
    bool isFirst = true;
    for (const Operand &element : function.elementsOf(vector)) {
      if (!isFirst)
        text += ", ";
      isFirst = false;
      operand(element, type);
    }
    text += close;
  }

  /// call (results), callee, (arguments), prototype
  void call() {
    std::span<const Operand> all = function.operandsOf(instr);
    text += ' ';
    if (all[1].count != 0) {
      list('(', ')', all[1], Type::B64);
      text += ", ";
    }
    operand(all[0], Type::B64);
    if (all[2].count != 0 || all.size() > 3) {
      text += ", ";
      list('(', ')', all[2], Type::B64);
    }
    if (all.size() > 3) {
      text += ", ";
      operand(all[3], Type::B64);
    }
  }

  /// Elements of a pack are as wide as the type divided by how many they are.
  Type elementType(const Operand &o, Type type) const {
    if (o.kind != OperandKind::Vector || instr.op != Op::Mov)
      return type;
    unsigned bits = bitsOf(type) / std::max<unsigned>(1, o.count);
    return bits == 8 ? Type::B8 : bits == 16 ? Type::B16 : bits == 32 ? Type::B32 : Type::B64;
  }

  void operands() {
    const Row &row = rowOf(instr.op);
    std::span<const Operand> all = function.operandsOf(instr);
    size_t spec = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const OperandSpec *word = specFor(row, spec, all[i]);
      text += i == 0 ? " " : ", ";
      operand(all[i], elementType(all[i], constantType(instr, word)));
      if (word && word->mayHavePred && i + 1 < all.size()) {
        ++i;
        if (all[i].kind != OperandKind::Sink) {
          text += '|';
          operand(all[i], Type::Pred);
        }
      }
      if (!all[i].isAddress())
        continue;
      for (; i + 1 < all.size() && all[i + 1].bracketed; ++i) {
        text += ", ";
        operand(all[i + 1], Type::B64);
      }
      text += ']';
    }
  }

  /// The word of the row that this operand is: the next one, optional words of the other kind skipped.
  const OperandSpec *specFor(const Row &row, size_t &spec, const Operand &o) const {
    while (spec < row.operands.size() && row.operands[spec].isOptional &&
           (row.operands[spec].kind == OperandSpec::Kind::Address) != o.isAddress())
      ++spec;
    return spec < row.operands.size() ? &row.operands[spec++] : nullptr;
  }

  const Module &module;
  const Function &function;
  const Instr &instr;
  std::string text;
};

class ModulePrinter {
public:
  explicit ModulePrinter(const Module &m) : module(m) {}

  std::string run() {
    fmt::format_to(out, ".version {}.{}\n.target {}{}\n.address_size {}\n\n", module.versionMajor,
                   module.versionMinor, module.target, module.hasDebugTarget ? ", debug" : "",
                   module.addressBits);
    declareFunctions();
    for (const Variable &v : module.variables)
      if (v.function == kNone)
        variable(v, "");
    // Kernels last: they are not declared above, so only this order is the order they are numbered in again.
    for (bool entries : {false, true})
      for (uint32_t i = 0; i < module.functions.size(); ++i)
        if (module.functions[i].isDefined && module.functions[i].isEntry == entries)
          definition(i);
    for (const Function &f : module.functions)
      if (f.aliasOf != kNone)
        fmt::format_to(out, ".alias {}, {};\n", f.name, module.functions[f.aliasOf].name);
    for (const SourceFile &file : module.files)
      fmt::format_to(out, ".file {} \"{}\"\n", file.number, escaped(file.path));
    return text;
  }

private:
  /// All of them first: calls and initializers may name a function before its body.
  void declareFunctions() {
    for (uint32_t i = 0; i < module.functions.size(); ++i)
      if (!module.functions[i].isEntry || !module.functions[i].isDefined) {
        header(i);
        text += ";\n";
      }
  }

  void dims(const Variable &v) {
    for (uint64_t dim : v.dims)
      dim == 0 ? text += "[]" : text += fmt::format("[{}]", dim);
  }

  void declarator(const Variable &v) {
    if (v.isManaged)
      text += ".attribute(.managed) ";
    fmt::format_to(out, ".align {} ", v.align);
    if (v.vec > 1)
      fmt::format_to(out, ".v{} ", v.vec);
    fmt::format_to(out, ".{} {}", ptx::text(v.type), v.name);
    dims(v);
  }

  void variable(const Variable &v, std::string_view indent) {
    fmt::format_to(out, "{}{}.{} ", indent, linkageText(v.linkage), spaceText(v));
    declarator(v);
    initializer(v);
    text += ";\n";
  }

  void initializer(const Variable &v) {
    if (v.init.empty())
      return;
    text += v.isArray || v.vec > 1 ? " = {" : " = ";
    unsigned bytes = bytesOf(v.type);
    size_t reloc = 0;
    for (size_t at = 0; at < v.init.size(); at += bytes) {
      if (at != 0)
        text += ", ";
      if (reloc < v.relocs.size() && v.relocs[reloc].offset == at)
        address(v.relocs[reloc++]);
      else
        element(v, at, bytes);
    }
    if (v.isArray || v.vec > 1)
      text += "}";
  }

  void element(const Variable &v, size_t at, unsigned bytes) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < std::min(bytes, 8u) && at + i < v.init.size(); ++i)
      bits |= uint64_t(v.init[at + i]) << (8 * i);
    text += constantText(bits, v.type);
  }

  void address(const Relocation &reloc) {
    std::string_view name =
        reloc.isFunction ? module.functions[reloc.symbol].name : module.variables[reloc.symbol].name;
    if (reloc.bytes == 1)
      fmt::format_to(out, "0x{:X}(", uint64_t(0xff) << reloc.shift);
    if (reloc.generic)
      fmt::format_to(out, "generic({})", name);
    else
      text += name;
    if (reloc.addend != 0)
      fmt::format_to(out, "+{}", reloc.addend);
    if (reloc.bytes == 1)
      text += ")";
  }

  void params(const Function &f, const std::vector<Param> &list) {
    text += "(";
    bool isFirst = true;
    for (const Param &param : list) {
      if (!isFirst)
        text += ", ";
      isFirst = false;
      if (param.reg != kNone) {
        fmt::format_to(out, ".reg .{} {}", ptx::text(f.registers[param.reg].type),
                       f.registers[param.reg].name);
      } else {
        text += ".param ";
        declarator(module.variables[param.variable]);
      }
    }
    text += ")";
  }

  void three(std::string_view directive, const uint32_t *numbers) {
    if (numbers[0] != 0)
      fmt::format_to(out, "\n{} {}, {}, {}", directive, numbers[0], numbers[1], numbers[2]);
  }

  void one(std::string_view directive, uint32_t number) {
    if (number != 0)
      fmt::format_to(out, "\n{} {}", directive, number);
  }

  void header(uint32_t index) {
    const Function &f = module.functions[index];
    fmt::format_to(out, "{}{} ", linkageText(f.linkage), f.isEntry ? ".entry" : ".func");
    if (!f.results.empty()) {
      params(f, f.results);
      text += " ";
    }
    text += f.name;
    params(f, f.params);
    three(".maxntid", f.bounds.maxNTid);
    three(".reqntid", f.bounds.reqNTid);
    three(".reqnctapercluster", f.bounds.reqNCtaPerCluster);
    one(".minnctapersm", f.bounds.minNCtaPerSm);
    one(".maxnreg", f.bounds.maxNReg);
    one(".maxclusterrank", f.bounds.maxClusterRank);
    if (f.bounds.explicitCluster)
      text += "\n.explicitcluster";
    if (f.noReturn)
      text += "\n.noreturn";
    for (const std::string &pragma : f.pragmas)
      fmt::format_to(out, "\n.pragma \"{}\";", pragma);
  }

  void slots(const std::vector<Prototype::Slot> &list) {
    text += "(";
    for (size_t i = 0; i < list.size(); ++i) {
      const Prototype::Slot &slot = list[i];
      fmt::format_to(out, "{}.{} .align {} .{} _", i == 0 ? "" : ", ", slot.isReg ? "reg" : "param",
                     slot.align, ptx::text(slot.type));
      if (slot.isArray)
        fmt::format_to(out, "[{}]", slot.bytes / bytesOf(slot.type));
    }
    text += ")";
  }

  void prototypes(const Function &f) {
    for (const Prototype &p : f.prototypes) {
      fmt::format_to(out, "{}: .callprototype ", p.name);
      if (!p.results.empty()) {
        slots(p.results);
        text += " ";
      }
      text += "_ ";
      slots(p.params);
      text += p.noReturn ? " .noreturn;\n" : ";\n";
    }
  }

  void targetLists(const Function &f) {
    for (size_t i = 0; i < f.targetLists.size(); ++i) {
      fmt::format_to(out, "{}: .branchtargets ", f.targetListNames[i]);
      for (size_t j = 0; j < f.targetLists[i].size(); ++j) {
        fmt::format_to(out, "{}{}", j == 0 ? "" : ", ", nameOfTarget(f, f.targetLists[i][j]));
      }
      text += ";\n";
    }
  }

  void registers(const Function &f) {
    std::vector<bool> isParam(f.registers.size(), false);
    for (const std::vector<Param> *list : {&f.params, &f.results})
      for (const Param &param : *list)
        if (param.reg != kNone)
          isParam[param.reg] = true;
    for (size_t i = 0; i < f.registers.size(); ++i)
      if (!isParam[i])
        fmt::format_to(out, "  .reg .{} {};\n", ptx::text(f.registers[i].type), f.registers[i].name);
  }

  void place(const SourceLoc &loc) {
    if (loc.file == kNone)
      return;
    fmt::format_to(out, "  .loc {} {} {}", module.files[loc.file].number, loc.line, loc.column);
    if (loc.inlinedAt != kNone && module.locs[loc.inlinedAt].file != kNone) {
      const SourceLoc &at = module.locs[loc.inlinedAt];
      fmt::format_to(out, ", inlined_at {} {} {}", module.files[at.file].number, at.line, at.column);
    }
    text += "\n";
  }

  void definition(uint32_t index) {
    const Function &f = module.functions[index];
    text += "\n";
    header(index);
    text += "\n{\n";
    registers(f);
    for (uint32_t local : f.locals)
      variable(module.variables[local], "  ");
    prototypes(f);
    targetLists(f);
    size_t label = 0;
    uint32_t loc = kNone;
    for (uint32_t i = 0; i < f.instrs.size(); ++i) {
      for (; label < f.labels.size() && f.labels[label].instr == i; ++label)
        fmt::format_to(out, "{}:\n", f.labels[label].name);
      if (f.instrs[i].loc != loc && f.instrs[i].loc != kNone)
        place(module.locs[loc = f.instrs[i].loc]);
      fmt::format_to(out, "  {}\n", InstrPrinter(module, f, f.instrs[i]).run());
    }
    text += "}\n";
  }

  const Module &module;
  std::string text;
  Out out{text};
};

} // namespace

std::string print(const Module &module) { return ModulePrinter(module).run(); }

std::string print(const Module &module, const Function &function, const Instr &instr) {
  return InstrPrinter(module, function, instr).run();
}

std::string mnemonic(const Module &module, const Instr &instr) {
  if (instr.text == kNone)
    return printMnemonic(instr.op, instr.types, instr.mods);
  const std::string &text = module.texts[instr.text];
  return text.substr(0, text.find(' '));
}

} // namespace heddle::ptx
