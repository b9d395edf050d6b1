// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Isa.h"

#include <algorithm>
#include <array>

namespace heddle::ptx {
namespace {

struct TypeRow {
  std::string_view text;
  unsigned bits;
  TypeKind kind;
};

constexpr TypeRow kTypes[] = {
    {"", 0, TypeKind::None},
#define PTX_TYPE(NAME, TEXT, BITS, KIND) {TEXT, BITS, TypeKind::KIND},
#include "ptx/Types.def"
};

struct SpecialRow {
  std::string_view text;
  unsigned bits;
};

constexpr SpecialRow kSpecials[] = {
#define PTX_SREG(NAME, TEXT, BITS) {TEXT, BITS},
#include "ptx/SpecialRegs.def"
};

constexpr std::string_view kFlags[] = {
#define PTX_FLAG(NAME, TEXT) TEXT,
#include "ptx/Mods.def"
};
static_assert(std::size(kFlags) <= 64, "flags are bits of one word");

struct WordOfMod {
  ModKind kind;
  uint8_t value;
  std::string_view text;
};

constexpr WordOfMod kWordsOfMods[] = {
#define PTX_MOD(KIND, NAME, TEXT) {ModKind::KIND, uint8_t(KIND::NAME), TEXT},
#include "ptx/Mods.def"
};

constexpr OpInfo notSupported(Op op, std::string_view name, std::string_view text) {
  return {op,
          name,
          text,
          "",
          "",
          "*",
          Memory::None,
          Lanes::Each,
          OpClass::Other,
          LatencyRule::Fixed,
          "other",
          Taint::NotFollowed,
          false};
}

constexpr OpInfo kOps[] = {
#define PTX_OP(NAME, TEXT, SUFFIX, TYPES, OPERANDS, MEMORY, LANES, CLASS, LATENCY, KEY, TAINT)               \
  {Op::NAME, #NAME,          TEXT,         SUFFIX,         TYPES,                                            \
   OPERANDS, Memory::MEMORY, Lanes::LANES, OpClass::CLASS, LatencyRule::LATENCY,                             \
   KEY,      Taint::TAINT,   true},
#define PTX_KNOWN(NAME, TEXT) notSupported(Op::NAME, #NAME, TEXT),
#include "ptx/Ops.def"
    notSupported(Op::Unsupported, "Unsupported", ""),
};

std::string_view wordOfMod(ModKind kind, uint8_t value) {
  for (const WordOfMod &row : kWordsOfMods)
    if (row.kind == kind && row.value == value)
      return row.text;
  return "";
}

} // namespace

const OpInfo &info(Op op) { return kOps[unsigned(op)]; }

std::string_view text(Type type) { return kTypes[unsigned(type)].text; }
std::string_view text(SpecialReg reg) { return kSpecials[unsigned(reg)].text; }
std::string_view text(Flag flag) { return kFlags[unsigned(flag)]; }
TypeKind kindOf(Type type) { return kTypes[unsigned(type)].kind; }
unsigned bitsOf(Type type) { return kTypes[unsigned(type)].bits; }
unsigned bytesOf(Type type) { return std::max(1u, bitsOf(type) / 8); }
unsigned bitsOf(SpecialReg reg) { return kSpecials[unsigned(reg)].bits; }

#define PTX_KIND(KIND, FIELD)                                                                                \
  std::string_view text(KIND value) { return wordOfMod(ModKind::KIND, uint8_t(value)); }
#include "ptx/Mods.def"

RegClass classOf(Type type) {
  unsigned bits = bitsOf(type);
  if (type == Type::Pred)
    return RegClass::Pred;
  return bits <= 16   ? RegClass::B16
         : bits <= 32 ? RegClass::B32
         : bits <= 64 ? RegClass::B64
                      : RegClass::B128;
}

unsigned bitsOf(RegClass cls) {
  constexpr unsigned kBits[kNumRegClasses] = {1, 16, 32, 64, 128};
  return kBits[unsigned(cls)];
}

} // namespace heddle::ptx
