// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of Ops.def says which words may follow a name and what its operands are. Words are drawn until Forms.def allows them together;
// whether the simulator has the result is found by asking it.
#include "vm/RandomOperation.h"

#include "ptx/MnemonicWords.h"
#include "ptx/Parser.h"
#include "ptx/Rows.h"
#include "vm/Simulator.h"

#include <fmt/format.h>

namespace heddle::vm::test {
namespace {

using ptx::Op;
using ptx::Type;
using ptx::test::typesOf, ptx::test::wordsOf;
using Random = std::mt19937_64;

unsigned upTo(Random &random, unsigned count) { return unsigned(random() % count); }
template <class T> const T &oneOf(Random &random, const std::vector<T> &all) {
  return all[random() % all.size()];
}

std::vector<Op> computingRows() {
  std::vector<Op> rows;
  for (unsigned i = 0; i < ptx::kNumOps; ++i) {
    const ptx::OpInfo &info = ptx::info(Op(i));
    if (info.supported && info.memory == ptx::Memory::None && info.lanes == ptx::Lanes::Each &&
        info.cls <= ptx::OpClass::Move && info.operands.starts_with("=") && Op(i) != Op::Mov)
      rows.insert(rows.end(), info.text.starts_with("v") ? 1 : 4, Op(i)); // video: many rows, little used
  }
  return rows;
}

/// Words for each place of a mnemonic of the row.
std::vector<std::vector<std::string_view>> placesOf(const ptx::Row &row) {
  std::vector<std::vector<std::string_view>> places;
  size_t types = 0;
  for (const ptx::SuffixSlot &slot : row.suffix) {
    auto &words = places.emplace_back();
    if (slot.kind == ptx::SuffixSlot::Kind::Type)
      words = typesOf(row.types[types++]);
    else if (slot.kind == ptx::SuffixSlot::Kind::Flag)
      words = {ptx::text(slot.flag)};
    else
      words = wordsOf(slot.mod);
    if (slot.only)
      words = {words[slot.only - 1]};
  }
  return places;
}

std::string mnemonicOf(Random &random, const ptx::Row &row) {
  std::string mnemonic(row.info->text);
  const auto places = placesOf(row);
  for (size_t i = 0; i < places.size(); ++i)
    if (row.suffix[i].isRequired || row.suffix[i].kind == ptx::SuffixSlot::Kind::Type || !upTo(random, 3))
      mnemonic += "." + std::string(oneOf(random, places[i]));
  return mnemonic;
}

bool isFloating(Type type) {
  return ptx::kindOf(type) == ptx::TypeKind::Float || ptx::kindOf(type) == ptx::TypeKind::PackedFloat;
}

/// The operands that the table gives for a form; empty if one is of a kind that is not drawn.
std::string operandsOf(Random &random, const ptx::Form &form) {
  const auto &specs = ptx::rowOf(form.op).operands;
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i) {
    const ptx::OperandSpec &spec = specs[i];
    if (spec.isOptional && upTo(random, 2))
      break;
    using Kind = ptx::OperandSpec::Kind;
    const Type type = spec.fixed != Type::None ? spec.fixed : form.types[spec.typeIndex];
    unsigned bits = spec.kind == Kind::Any ? 64 : type == Type::Pred ? 1 : std::max(16u, ptx::bitsOf(type));
    if (spec.widens && form.mods.mul == ptx::MulMode::Wide)
      bits *= 2;
    if (spec.mayBeWider && bits < 64 && !upTo(random, 6))
      bits = bits < 32 && upTo(random, 2) ? 32 : 64;
    if (bits > 64 || (spec.kind != Kind::Typed && spec.kind != Kind::Any && spec.kind != Kind::Imm))
      return {};
    const bool isConstant = spec.kind == Kind::Imm ||
                            (!spec.isWritten && spec.kind == Kind::Typed && bits > 1 && !upTo(random, 6));
    text += i ? ", " : "";
    if (spec.isWritten)
      text += spec.maySink && !upTo(random, 20) ? "_" : randomRegister(random, bits, isFloating(type));
    else if (spec.kind == Kind::Imm)
      text += std::to_string(upTo(random, 256));
    else
      text += isConstant && (!isFloating(type) || type == Type::F32 || type == Type::F64)
                  ? randomConstant(random, bits, isFloating(type))
                  : (!spec.isWritten && bits == 1 && upTo(random, 4) == 0 ? "!" : "") +
                        randomRegister(random, bits, isFloating(type));
    if (spec.mayHavePred && upTo(random, 3) == 0)
      text += "|" + randomRegister(random, 1, false);
  }
  return text;
}

/// Whether the simulator executes an instruction.
bool isExecuted(const std::string &instruction) {
  Diagnostics problems;
  auto module = std::make_shared<ptx::Module>(
      ptx::parse(".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n" +
                     std::string(RandomRegisters) + instruction + "\nret; }\n",
                 "operation.ptx", problems));
  if (!problems.empty() || !module->unsupported.empty())
    return false;
  static Simulator simulator{Limits{}};
  LoadedModule *loaded = simulator.load(module, problems);
  const bool isGood = loaded && loaded->kernel("k", problems);
  if (loaded)
    simulator.unload(loaded);
  return isGood;
}

constexpr unsigned MostTries = 60;

std::string operationOf(Random &random, Op op) {
  for (unsigned i = 0; i < MostTries; ++i) {
    const ptx::Form form = ptx::decodeMnemonic(mnemonicOf(random, ptx::rowOf(op)));
    if (form.op != op || !form.reason.empty())
      continue;
    const std::string mnemonic = ptx::printMnemonic(op, form.types, form.mods),
                      operands = operandsOf(random, form);
    if (operands.empty())
      continue;
    const std::string text = mnemonic + " " + operands + ";";
    if (isExecuted(text))
      return text;
  }
  return {};
}

} // namespace

std::string randomRegister(Random &random, unsigned bits, bool isFloat) {
  const bool asFloat = isFloat ? upTo(random, 6) != 0 : false;
  switch (bits) {
  case 1: return fmt::format("%p{}", upTo(random, 4));
  case 16: return fmt::format("%h{}", upTo(random, 4));
  case 32: return asFloat ? fmt::format("%f{}", upTo(random, 4)) : fmt::format("%r{}", upTo(random, 8));
  default: return asFloat ? fmt::format("%g{}", upTo(random, 2)) : fmt::format("%d{}", upTo(random, 4));
  }
}

std::string randomConstant(Random &random, unsigned bits, bool isFloat) {
  static const std::vector<uint32_t> singles = {0,          0x80000000, 1,          0x007fffff, 0x3f800000,
                                                0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff,
                                                0x3f000000, 0x4f000000, 0xcf000000, 0x7f800001};
  static const std::vector<uint64_t> doubles = {0,
                                                uint64_t(1) << 63,
                                                1,
                                                0x3ff0000000000000,
                                                0x7ff0000000000000,
                                                0xfff8000000000001,
                                                0x7fefffffffffffff,
                                                0x41f0000000000000,
                                                0xc3e0000000000000};
  static const std::vector<int64_t> integers = {0, 1, -1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 255, 1000};
  if (isFloat)
    return bits == 64 ? fmt::format("0d{:016X}", oneOf(random, doubles))
                      : fmt::format("0f{:08X}", oneOf(random, singles));
  if (upTo(random, 6))
    return std::to_string(oneOf(random, integers));
  if (bits == 16)
    return std::to_string(oneOf<int64_t>(random, {32767, -32768}));
  if (bits == 32)
    return std::to_string(oneOf<int64_t>(random, {0x7fffffff, -2147483648, 0xffff0000}));
  return std::to_string(oneOf<int64_t>(random, {INT64_MAX, -INT64_MAX, 0x100000000, -4294967296}));
}

std::string randomOperation(Random &random) {
  static const std::vector<Op> rows = computingRows();
  for (;;)
    if (std::string text = operationOf(random, oneOf(random, rows)); !text.empty())
      return text;
}

} // namespace heddle::vm::test
