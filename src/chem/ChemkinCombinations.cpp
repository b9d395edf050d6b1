// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CHEMKIN gives the parts of a rate by keywords on lines of their own, in any order and number, so most
// combinations mean nothing. Two tables say which: pairs that exclude each other, and keywords that need others.
// What remains is between keywords and the equation: (+M) and its limits, REV and an irreversible arrow.
#include "chem/ChemkinCombinations.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace heddle::chem {
namespace {

using enum AuxiliaryKind;

/// Pairs that one reaction cannot have both of.
constexpr std::pair<AuxiliaryKind, AuxiliaryKind> excluding[] = {
    {Low, High}, {Troe, Sri}, {Plog, Cheb}, {Low, Plog}, {Low, Cheb}, {High, Plog}, {High, Cheb}, {Lt, Low},
    {Lt, High},  {Lt, Plog},  {Lt, Cheb},   {Rev, Low},  {Rev, High}, {Rev, Plog},  {Rev, Cheb},
};

/// Keywords that mean nothing without others: all of `needed`, or any of them.
struct Need {
  AuxiliaryKind kind;
  std::array<AuxiliaryKind, 2> needed;
  bool isAnyEnough;
};
constexpr Need neededTogether[] = {
    {Troe, {Low, High}, true},   {Sri, {Low, High}, true}, {Tcheb, {Cheb, Cheb}, true},
    {Pcheb, {Cheb, Cheb}, true}, {Rlt, {Lt, Rev}, false},
};

bool reportExcluding(const ChemkinReaction &parts, AuxiliaryKind first, AuxiliaryKind second,
                     Diagnostics &diagnostics) {
  if (parts.auxiliary.get(first).location.line > parts.auxiliary.get(second).location.line)
    std::swap(first, second);
  diagnostics
      .error(parts.auxiliary.get(second).location,
             fmt::format("a reaction cannot have both {} and {}", textOf(first), textOf(second)))
      .note(parts.auxiliary.get(first).location, fmt::format("{} is given here", textOf(first)))
      .withHint("remove one of the two");
  return false;
}

bool isMet(const ChemkinReaction &parts, const Need &need) {
  bool first = parts.auxiliary.has(need.needed[0]), second = parts.auxiliary.has(need.needed[1]);
  return need.isAnyEnough ? first || second : first && second;
}

bool reportNeed(const ChemkinReaction &parts, const Need &need, Diagnostics &diagnostics) {
  // A falloff shape without a limit: what is missing is reported at the equation's (+M), once.
  if (parts.equation.collider && parts.equation.collider->inParentheses &&
      !dependsOnPressureItself(parts.auxiliary) && (need.kind == Troe || need.kind == Sri))
    return true;
  std::vector<std::string> missing;
  for (AuxiliaryKind kind : need.needed)
    if (!parts.auxiliary.has(kind) && std::ranges::find(missing, textOf(kind)) == missing.end())
      missing.emplace_back(textOf(kind));
  std::string wanted = fmt::format("{}", fmt::join(missing, need.isAnyEnough ? " or " : " and "));
  diagnostics
      .error(parts.auxiliary.get(need.kind).location,
             fmt::format("{} needs {} on the same reaction", textOf(need.kind), wanted))
      .note(parts.location, "the reaction is here")
      .withHint(fmt::format("add {}, or remove {}", wanted, textOf(need.kind)));
  return false;
}

bool checkParentheses(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  bool inParentheses = parts.equation.collider && parts.equation.collider->inParentheses;
  if (inParentheses && !isFalloff(parts.auxiliary) && !dependsOnPressureItself(parts.auxiliary)) {
    diagnostics.error(parts.location, "a falloff reaction needs its low-pressure limit (LOW)")
        .withHint("add a line 'LOW / A b E /', or HIGH for a chemically activated reaction");
    return false;
  }
  if (!inParentheses && isFalloff(parts.auxiliary)) {
    AuxiliaryKind kind = parts.auxiliary.has(Low) ? Low : High;
    diagnostics
        .error(parts.auxiliary.get(kind).location,
               fmt::format("{} is given for a reaction without '(+M)'", textOf(kind)))
        .note(parts.location, "the reaction is here")
        .withHint("write '(+M)' on both sides of the equation");
    return false;
  }
  return true;
}

bool checkReverse(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  const NumbersEntry *rev = parts.auxiliary.find(Rev);
  if (!rev)
    return true;
  if (!parts.equation.isReversible) {
    diagnostics.error(rev->location, "REV is given for an irreversible reaction")
        .note(parts.location, "the reaction is here")
        .withHint("write '=' or '<=>' in place of '=>'");
    return false;
  }
  if (parts.auxiliary.has(Lt) && !parts.auxiliary.has(Rlt)) {
    diagnostics.error(rev->location, "REV of a Landau-Teller reaction needs RLT on the same reaction")
        .note(parts.auxiliary.get(Lt).location, "LT is given here");
    return false;
  }
  return true;
}

} // namespace

std::string_view textOf(AuxiliaryKind kind) {
  switch (kind) {
#define NUMBERS_KEYWORD(name, text, least, most, numbers)                                                    \
  case AuxiliaryKind::name: return text;
#include "chem/ChemkinAuxiliary.def"
  }
  return "";
}

bool dependsOnPressureItself(const Auxiliary &auxiliary) {
  return auxiliary.has(AuxiliaryKind::Plog) || auxiliary.has(AuxiliaryKind::Cheb);
}

bool isFalloff(const Auxiliary &auxiliary) {
  return auxiliary.has(AuxiliaryKind::Low) || auxiliary.has(AuxiliaryKind::High);
}

bool checkCombinations(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  const Auxiliary &aux = parts.auxiliary;
  bool isSound = true;
  for (auto [first, second] : excluding)
    if (aux.has(first) && aux.has(second))
      isSound = reportExcluding(parts, first, second, diagnostics);
  if (!isSound)
    return false;
  for (const Need &need : neededTogether)
    if (aux.has(need.kind) && !isMet(parts, need))
      isSound &= reportNeed(parts, need, diagnostics);
  return checkParentheses(parts, diagnostics) && checkReverse(parts, diagnostics) && isSound;
}

} // namespace heddle::chem
