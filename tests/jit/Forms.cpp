// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Forms.h"

#include "ptx/MnemonicWords.h"
#include "ptx/Parser.h"

#include <fmt/format.h>

namespace heddle::jit::test {
namespace {

using ptx::Op;
using ptx::Type;
using ptx::test::typesOf, ptx::test::wordsOf;

// --- mnemonics
// --------------------------------------------------------------------------------------------------------

/// The words that may be in one place of a mnemonic; "" where none need be there.
std::vector<std::string_view> choicesOf(const ptx::Row &row, const ptx::SuffixSlot &slot, size_t &types) {
  using Kind = ptx::SuffixSlot::Kind;
  std::vector<std::string_view> choices;
  if (slot.kind == Kind::Type)
    choices = typesOf(row.types[types++]);
  else if (slot.kind == Kind::Flag)
    choices = {ptx::text(slot.flag)};
  else if (slot.only)
    return {wordsOf(slot.mod)[slot.only - 1]};
  else
    choices = wordsOf(slot.mod);
  if (!slot.isRequired)
    choices.push_back("");
  return choices;
}

std::vector<std::string> mnemonicsOf(Op op) {
  const ptx::Row &row = ptx::rowOf(op);
  std::vector<std::string> all{std::string(row.info->text)};
  size_t types = 0;
  for (const ptx::SuffixSlot &slot : row.suffix) {
    std::vector<std::string> longer;
    const auto choices = choicesOf(row, slot, types);
    for (const std::string &begin : all)
      for (std::string_view word : choices)
        longer.push_back(word.empty() ? begin : begin + "." + std::string(word));
    all = std::move(longer);
  }
  std::erase_if(all, [&](const std::string &mnemonic) {
    const ptx::Form form = ptx::decodeMnemonic(mnemonic);
    return form.op != op || !form.reason.empty();
  });
  return all;
}

// --- operands
// ---------------------------------------------------------------------------------------------------------

/// How the operands of a form are written.
struct Variant {
  unsigned optional = 0;                 ///< how many of the optional operands are there
  bool second = false;                   ///< "d|p"
  bool wideTo = false, wideFrom = false; ///< registers wider than the types
  int64_t immediate = -1;                ///< in place of the last source, if not negative
};

unsigned registerBits(Type type) { return type == Type::Pred ? 1 : std::max(16u, ptx::bitsOf(type)); }

struct Builder {
  const ptx::Form &form;
  const Variant &variant;
  TestForm &test;
  std::string registers, before, after, to, from;

  std::string declare(char letter, size_t index, unsigned bits) {
    registers += bits == 1 ? fmt::format(".reg .pred %{}{}; ", letter, index)
                           : fmt::format(".reg .b{} %{}{}; ", bits, letter, index);
    return fmt::format("%{}{}", letter, index);
  }

  std::string addResult(unsigned bits) {
    const size_t k = test.results.size();
    test.results.push_back({bits});
    after += bits == 1 ? fmt::format("selp.b32 %t, 1, 0, %d{0}; st.global.b32 [%out+{1}], %t;\n", k, k * 16)
                       : fmt::format("st.global.b{0} [%out+{1}], %d{2};\n", bits, k * 16, k);
    return declare('d', k, bits);
  }
  std::string addSource(unsigned bits) {
    const size_t k = test.sources.size();
    test.sources.push_back({bits});
    before += bits == 1 ? fmt::format("ld.global.b32 %t, [%in+{1}]; setp.ne.b32 %a{0}, %t, 0;\n", k, k * 16)
                        : fmt::format("ld.global.b{0} %a{2}, [%in+{1}];\n", bits, k * 16, k);
    return declare('a', k, bits);
  }
  std::string addImmediate(unsigned bits, int64_t value) {
    test.sources.push_back({bits, true});
    return fmt::format("{}", value);
  }

  unsigned bitsOf(const ptx::OperandSpec &spec) const {
    Type type = spec.fixed != Type::None ? spec.fixed : form.types[spec.typeIndex];
    unsigned bits = registerBits(type);
    if (spec.widens && form.mods.mul == ptx::MulMode::Wide)
      bits *= 2;
    const bool wide = spec.isWritten ? variant.wideTo : variant.wideFrom;
    return spec.mayBeWider && wide && bits < 64 ? 64 : bits;
  }
};

/// The operands that the table gives for a form.
void addOperands(Builder &b, Op op) {
  const auto &specs = ptx::rowOf(op).operands;
  unsigned optional = b.variant.optional;
  for (size_t i = 0; i < specs.size(); ++i) {
    const ptx::OperandSpec &spec = specs[i];
    if (spec.isOptional && optional-- == 0)
      break;
    const unsigned bits = spec.kind == ptx::OperandSpec::Kind::Any ? 64 : b.bitsOf(spec);
    if (spec.isWritten) {
      b.to += b.addResult(bits);
      if (b.variant.second)
        b.to += "|" + b.addResult(1);
      continue;
    }
    const bool isLast = i + 1 == specs.size() || specs[i + 1].isOptional;
    const bool constant =
        b.variant.immediate >= 0 && (spec.kind == ptx::OperandSpec::Kind::Imm || (op != Op::Lop3 && isLast));
    b.from += ", " + (constant ? b.addImmediate(bits, b.variant.immediate) : b.addSource(bits));
  }
}

/// mov, whose operands are of many kinds: the whole or a list of `parts` on either side.
void addMove(Builder &b, unsigned parts, bool packs) {
  const unsigned bits = registerBits(b.form.types[0]), each = bits / parts;
  auto list = [&](auto add) {
    std::string text;
    for (unsigned i = 0; i < parts; ++i)
      text += (i ? ", " : "{") + add(std::max(16u, each));
    return text + "}";
  };
  auto result = [&](unsigned width) { return b.addResult(width); };
  auto source = [&](unsigned width) { return b.addSource(width); };
  b.to = parts > 1 && !packs ? list(result) : b.addResult(bits);
  b.from = ", " + (parts > 1 && packs ? list(source) : b.addSource(bits));
}

std::string carryIn(const TestForm &test) {
  const bool subtracts = test.mnemonic.starts_with("sub");
  return fmt::format("ld.global.b32 %t, [%in+{}]; {}\n", 16 * test.sources.size(),
                     subtracts ? "sub.cc.u32 %t, 0, %t;" : "add.cc.u32 %t, %t, 0xffffffff;");
}
std::string carryOut(const TestForm &test) {
  const bool subtracts = test.mnemonic.starts_with("sub");
  return fmt::format("{} %t, 0, 0; and.b32 %t, %t, 1; st.global.b32 [%out+{}], %t;\n",
                     subtracts ? "subc.u32" : "addc.u32", 16 * test.results.size());
}

constexpr unsigned Slots = 8; ///< of 16 bytes, for the operands of one thread

/// Parses a kernel around the instruction, which has a line of its own. False: no PTX.
bool finish(Builder &b) {
  TestForm &test = b.test;
  test.text = fmt::format("{} {}{};", test.mnemonic, b.to, b.from);
  test.readsCarry = b.form.op == Op::AddC || b.form.op == Op::SubC || b.form.op == Op::MadC;
  test.writesCarry = b.form.mods.has(ptx::Flag::CarryOut);
  if (test.readsCarry)
    b.before += carryIn(test), test.sources.push_back({1});
  if (test.writesCarry)
    b.after += carryOut(test), test.results.push_back({1});
  std::string text =
      ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) "
      "{\n"
      ".reg .b64 %in; .reg .b64 %out; .reg .b64 %o; .reg .b32 %t; .reg .b32 %n;\n" +
      b.registers +
      "\nld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %ctaid.x; mov.u32 %n, %ntid.x;\n"
      "mul.lo.u32 %t, %t, %n; mov.u32 %n, %tid.x; add.u32 %t, %t, %n;\n" +
      fmt::format("mul.wide.u32 %o, %t, {}; add.u64 %in, %in, %o; add.u64 %out, %out, %o;\n", 16 * Slots) +
      b.before;
  const auto line = uint32_t(std::count(text.begin(), text.end(), '\n') + 1);
  text += test.text + "\n" + b.after + "ret; }\n";
  Diagnostics problems;
  test.module = std::make_shared<ptx::Module>(ptx::parse(text, "form.ptx", problems));
  if (!problems.empty() || !test.module->unsupported.empty())
    return false;
  test.function = &test.module->functions[0];
  for (const ptx::Instr &instr : test.function->instrs)
    if (instr.line == line)
      test.instr = &instr;
  return test.instr && test.instr->op == b.form.op;
}

/// Variants worth a test besides those that the table asks for: constants that select other code.
std::vector<int64_t> immediatesOf(Op op) {
  switch (op) {
  case Op::Lop3: {
    std::vector<int64_t> tables(256);
    for (int64_t i = 0; i < 256; ++i)
      tables[size_t(i)] = i;
    return tables;
  }
  case Op::Prmt: return {-1, 0x3210, 0x7531, 0x0022, 0x9a14, 0x4567, 0xfc80, 1, 2, 3};
  case Op::Div:
  case Op::Rem: return {-1, 0, 1, 3, 7, 32, 1000};
  case Op::Shl:
  case Op::Shr: return {-1, 0, 5, 16, 31, 40};
  default: return {-1};
  }
}

std::vector<Variant> variantsOf(Op op) {
  const auto &specs = ptx::rowOf(op).operands;
  unsigned optional = 0;
  bool second = false, wider = false;
  for (const ptx::OperandSpec &spec : specs)
    optional += spec.isOptional, second |= spec.mayHavePred, wider |= spec.mayBeWider;
  std::vector<Variant> variants;
  if (op == Op::Lop3) { // every table once
    for (int64_t table : immediatesOf(op))
      variants.push_back({unsigned(table & 1), bool(table & 1), false, false, table});
    return variants;
  }
  for (int64_t immediate : immediatesOf(op))
    for (unsigned count = 0; count <= optional; ++count)
      for (bool hasSecond : {false, true})
        for (unsigned wide = 0; wide < 4; ++wide)
          if (hasSecond <= second && (wide == 0 || wider))
            variants.push_back({count, hasSecond, bool(wide & 1), bool(wide & 2), immediate});
  return variants;
}

} // namespace

std::vector<Op> arithmeticRows() {
  using enum ptx::OpClass;
  std::vector<Op> rows;
  for (unsigned i = 0; i < ptx::kNumOps; ++i) {
    const ptx::OpInfo &info = ptx::info(Op(i));
    if (info.supported && info.memory == ptx::Memory::None && info.lanes == ptx::Lanes::Each &&
        info.cls <= Move && info.operands.starts_with("="))
      rows.push_back(Op(i));
  }
  return rows;
}

std::vector<TestForm> formsOf(Op op) {
  std::vector<TestForm> forms;
  const bool isMove = op == Op::Mov;
  for (const std::string &mnemonic : mnemonicsOf(op)) {
    const ptx::Form form = ptx::decodeMnemonic(mnemonic);
    auto add = [&](const Variant &variant, auto addAll) {
      TestForm test;
      test.mnemonic = mnemonic;
      Builder builder{form, variant, test, {}, {}, {}, {}, {}};
      addAll(builder);
      if (finish(builder))
        forms.push_back(std::move(test));
    };
    if (isMove) {
      for (unsigned parts : {1u, 2u, 4u})
        for (bool packs : {false, true})
          if (parts > 1 || !packs)
            add({}, [&](Builder &b) { addMove(b, parts, packs); });
      continue;
    }
    for (const Variant &variant : variantsOf(op))
      add(variant, [&](Builder &b) { addOperands(b, op); });
  }
  return forms;
}

} // namespace heddle::jit::test
