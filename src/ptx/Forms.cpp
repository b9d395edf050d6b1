// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a decoded mnemonic against Forms.def, and against the few rules that are no lists. The lists are
// read once, at first use, and sorted by instruction, so that a mnemonic meets only its own.
#include "ptx/Forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

namespace heddle::ptx {
namespace {

enum class RuleKind : uint8_t { Goes, From, Needs, Apart, Pair };

struct RuleRow {
  RuleKind kind;
  std::string_view instructions, first, second;
};

constexpr RuleRow kRules[] = {
#define PTX_GOES(INSTRUCTIONS, WORDS, TYPES) {RuleKind::Goes, INSTRUCTIONS, WORDS, TYPES},
#define PTX_FROM(INSTRUCTIONS, WORDS, TYPES) {RuleKind::From, INSTRUCTIONS, WORDS, TYPES},
#define PTX_NEEDS(INSTRUCTIONS, WORDS, TYPES) {RuleKind::Needs, INSTRUCTIONS, WORDS, TYPES},
#define PTX_APART(INSTRUCTIONS, WORDS, OTHERS) {RuleKind::Apart, INSTRUCTIONS, WORDS, OTHERS},
#define PTX_PAIR(INSTRUCTIONS, TYPES, OTHERS) {RuleKind::Pair, INSTRUCTIONS, TYPES, OTHERS},
#include "ptx/Forms.def"
};

struct Rule {
  RuleKind kind;
  std::vector<std::string_view> words, others;
  uint64_t types = 0, lastTypes = 0;
};

std::vector<std::string_view> listOf(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (end != 0)
      list.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

uint64_t typesOrAbort(std::string_view names) {
  std::optional<uint64_t> set = typeSetOf(names);
  if (!set) {
    fmt::print(stderr, "internal error: Forms.def: '{}' are not all types\n", names);
    std::abort();
  }
  return *set;
}

Rule ruleOf(const RuleRow &row) {
  switch (row.kind) {
  case RuleKind::Apart: return {row.kind, listOf(row.first), listOf(row.second), 0, 0};
  case RuleKind::Pair: return {row.kind, {}, {}, typesOrAbort(row.first), typesOrAbort(row.second)};
  default: return {row.kind, listOf(row.first), {}, typesOrAbort(row.second), 0};
  }
}

const std::vector<Rule> &rulesOf(std::string_view instruction) {
  static const std::unordered_map<std::string_view, std::vector<Rule>> kByInstruction = [] {
    std::unordered_map<std::string_view, std::vector<Rule>> map;
    for (const RuleRow &row : kRules)
      for (std::string_view name : listOf(row.instructions))
        map[name].push_back(ruleOf(row));
    return map;
  }();
  static const std::vector<Rule> kNone;
  auto found = kByInstruction.find(instruction);
  return found == kByInstruction.end() ? kNone : found->second;
}

bool contains(uint64_t set, Type type) { return set >> unsigned(type) & 1; }

/// The first of the words that is in the list, or "".
std::string_view among(std::span<const std::string_view> words, const std::vector<std::string_view> &list) {
  auto found = std::find_first_of(words.begin(), words.end(), list.begin(), list.end());
  return found == words.end() ? std::string_view() : *found;
}

std::string broken(const Rule &rule, std::span<const std::string_view> words, Type first, Type last) {
  const std::string_view word = among(words, rule.words);
  switch (rule.kind) {
  case RuleKind::Goes:
  case RuleKind::From: {
    const Type type = rule.kind == RuleKind::Goes ? first : last;
    if (!word.empty() && !contains(rule.types, type))
      return fmt::format("'.{}' does not go with '.{}'", word, text(type));
    return "";
  }
  case RuleKind::Needs:
    if (word.empty() && contains(rule.types, first))
      return fmt::format("'.{}' needs '.{}'", text(first), fmt::join(rule.words, "', '."));
    return "";
  case RuleKind::Apart:
    if (std::string_view other = among(words, rule.others); !word.empty() && !other.empty())
      return fmt::format("'.{}' does not go with '.{}'", word, other);
    return "";
  case RuleKind::Pair:
    if (contains(rule.types, first) && !contains(rule.lastTypes, last))
      return fmt::format("'.{}' does not go with '.{}'", text(first), text(last));
    return "";
  }
  return "";
}

Type lastType(const Form &form) {
  Type last = form.types[0];
  for (Type type : form.types)
    last = type == Type::None ? last : type;
  return last;
}

bool isInteger(Type type) { return kindOf(type) == TypeKind::Signed || kindOf(type) == TypeKind::Unsigned; }

std::string productFault(const Form &form) {
  const bool isInt = isInteger(form.types[0]);
  if (isInt && form.mods.mul == MulMode::None)
    return "an integer product needs .lo, .hi or .wide";
  if (!isInt && form.mods.mul != MulMode::None)
    return "a floating-point product takes no .lo, .hi or .wide";
  return "";
}

/// cvt says how it rounds exactly where something can be lost, and flushes only what is f32.
std::string conversionFault(const Form &form) {
  const Type to = form.types[0], from = form.types[1];
  using enum Rounding;
  const Rounding rnd = form.mods.rnd;
  const bool floats = isFloat(to) && isFloat(from),
             toIntegral = rnd == Rni || rnd == Rzi || rnd == Rmi || rnd == Rpi;
  const bool crosses = isInteger(to) ? isFloat(from) : isInteger(from) && isFloat(to);
  if (rnd == None && (crosses || (floats && bitsOf(to) < bitsOf(from))))
    return fmt::format("'.{}' from '.{}' needs a rounding", text(to), text(from));
  if (floats && toIntegral && to != from)
    return fmt::format("rounding to integral values does not go with '.{}' from '.{}'", text(to), text(from));
  const bool exact = floats && (to == from || (bitsOf(to) > bitsOf(from) && from != Type::BF16));
  if (exact && rnd != None && !toIntegral)
    return fmt::format("'.{}' from '.{}' is exact and takes no rounding", text(to), text(from));
  if (form.mods.has(Flag::Ftz) && to != Type::F32 && from != Type::F32)
    return ".ftz needs '.f32' on one side";
  return "";
}

std::string otherFault(const Form &form) {
  if (form.mods.mul == MulMode::Wide && bitsOf(form.types[0]) == 64)
    return "a 64-bit product cannot be .wide";
  if (form.op == Op::MadC && form.mods.mul == MulMode::Wide)
    return "'madc' takes no .wide";
  if (form.mods.has(Flag::CarryOut) && (!isInteger(form.types[0]) || bitsOf(form.types[0]) < 32))
    return "a carry needs a 32- or 64-bit integer type";
  const bool chooses = form.op == Op::Min || form.op == Op::Max;
  if (chooses && form.mods.has(Flag::XorSign) && !form.mods.has(Flag::Abs))
    return ".xorsign must be followed by .abs";
  if (chooses && form.mods.has(Flag::Abs) && !form.mods.has(Flag::XorSign))
    return ".abs needs .xorsign before it";
  // With a rounding ptxas takes '.ftz' for '.f64' too, and makes the same code of it as without.
  if (form.op == Op::Rcp && form.types[0] == Type::F64 && form.mods.has(Flag::Approx) &&
      !form.mods.has(Flag::Ftz))
    return "of '.f64' there is no '.approx' without '.ftz'";
  return "";
}

} // namespace

std::string contradiction(const Form &form, std::span<const std::string_view> words) {
  const Type first = form.types[0], last = lastType(form);
  for (const Rule &rule : rulesOf(info(form.op).text))
    if (std::string fault = broken(rule, words, first, last); !fault.empty())
      return fault;
  if (form.op == Op::Mul || form.op == Op::Mad)
    if (std::string fault = productFault(form); !fault.empty())
      return fault;
  if (form.op == Op::Cvt)
    if (std::string fault = conversionFault(form); !fault.empty())
      return fault;
  return otherFault(form);
}

} // namespace heddle::ptx
