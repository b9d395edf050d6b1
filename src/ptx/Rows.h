// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Isa.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The rows of Ops.def with their little languages read: what decoder, operand checks and printer work from.
namespace heddle::ptx {

/// One word of a row's suffix.
struct SuffixSlot {
  enum class Kind : uint8_t { Mod, Flag, Type } kind = Kind::Type;
  ModKind mod = ModKind::Rounding;
  Flag flag = Flag::Ftz;
  bool isSecond = false; ///< the second space, layout or evictL2
  bool isRequired = false;
  uint8_t only = 0; ///< Mod: the one value allowed, 0 for any
};

/// One word of a row's operands.
struct OperandSpec {
  enum class Kind : uint8_t { Typed, Vector, Any, AnyVector, Mov, Address, Label, Func, Targets, Imm, Rest };
  Kind kind = Kind::Any;
  Type fixed = Type::None; ///< Typed: the type where it is always the same...
  uint8_t typeIndex = 0;   ///< ...else the instruction's first, second... type
  bool widens = false;     ///< Typed: doubled under .wide
  bool isWritten = false, mayBeWider = false, isOptional = false, maySink = false, mayHavePred = false;
  bool maySelect = false; ///< a selector or a minus sign may go with it (Video.h)
};

struct Row {
  const OpInfo *info = nullptr;
  std::vector<SuffixSlot> suffix;
  std::vector<uint64_t> types; ///< for each T, the set of types allowed: bit n is Type(n)
  std::vector<OperandSpec> operands;
};

/// The row of a supported instruction.
const Row &rowOf(Op op);

/// Rows of that text, in the order of the table.
std::span<const Op> rowsOf(std::string_view text);

std::optional<Type> findType(std::string_view text);
std::optional<SpecialReg> findSpecial(std::string_view text);

/// What a mnemonic says. Not supported: op is Unsupported or a PTX_KNOWN row and `reason` says why.
struct Form {
  Op op = Op::Unsupported;
  Type types[4] = {};
  Mods mods;
  std::string name; ///< where not supported: the instruction's name
  std::string reason;
};

Form decodeMnemonic(std::string_view mnemonic);

/// The mnemonic of a supported instruction, in the row's order.
std::string printMnemonic(Op op, const Type *types, const Mods &mods);

/// The value of a modifier of that kind in `mods`, as a number.
uint8_t valueOf(const Mods &mods, ModKind kind, bool second);

} // namespace heddle::ptx
