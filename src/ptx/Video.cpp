// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Video.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr unsigned kUnitShift = 24, kCountShift = 16;

/// A single part of a word: b0 to b3, h0 or h1.
bool isPart(const Selector &selector) {
  return selector.count == 1 && selector.digits[0] < (selector.unit == 'b' ? 4 : 2);
}

/// Parts of {b, a} for each lane: "h32", "b7654".
bool isLaneChoice(const Selector &selector, unsigned lanes) {
  const char unit = lanes == 4 ? 'b' : 'h';
  return selector.unit == unit && selector.count == lanes &&
         std::all_of(selector.digits, selector.digits + lanes, [&](uint8_t d) { return d < 2 * lanes; });
}

/// Lanes that are written, the highest first: "b3210", "b20", "h1".
bool isMask(const Selector &selector, unsigned lanes) {
  if (selector.unit != (lanes == 4 ? 'b' : 'h') || selector.count > lanes)
    return false;
  for (unsigned i = 0; i < selector.count; ++i)
    if (selector.digits[i] >= lanes || (i > 0 && selector.digits[i] <= selector.digits[i - 1]))
      return false;
  return true;
}

std::string scalarProblem(const Function &function, const Instr &instr) {
  std::span<const Operand> operands = function.operandsOf(instr);
  for (unsigned i = 0; i < operands.size(); ++i)
    if (Selector selector = Selector::of(operands[i].isReg() ? operands[i].value : 0);
        selector && (i == 3 || !isPart(selector)))
      return fmt::format("'.{}' selects no part of a word here", text(selector));
  const bool inserts = operands[0].isReg() && operands[0].value != 0,
             combines = instr.mods.atom != AtomOp::None;
  if (instr.op == Op::Vmad)
    return inserts ? "'vmad' writes a whole word" : "";
  if (inserts && combines)
    return "a result that is inserted into a word takes no second operation";
  if ((inserts || combines) != (operands.size() > 3))
    return inserts || combines ? "a third source is missing"
                               : "a third source needs a second operation or a selector "
                                 "on the destination";
  return "";
}

std::string lanesProblem(const Function &function, const Instr &instr, unsigned lanes) {
  std::span<const Operand> operands = function.operandsOf(instr);
  for (unsigned i = 0; i < operands.size(); ++i) {
    Selector selector = Selector::of(operands[i].isReg() ? operands[i].value : 0);
    const bool fits =
        !selector || (i == 0 ? isMask(selector, lanes) : i < 3 && isLaneChoice(selector, lanes));
    if (!fits)
      return fmt::format("'.{}' does not select lanes here", text(selector));
  }
  return "";
}

/// Only vmad negates: its product (one of the factors) or its addend, and neither with .po.
std::string signProblem(const Function &function, const Instr &instr) {
  unsigned negated = 0;
  for (const Operand &operand : function.operandsOf(instr))
    negated += operand.negated;
  if (negated == 0)
    return "";
  if (instr.op != Op::Vmad)
    return "only 'vmad' takes operands with '-'";
  if (instr.mods.has(Flag::PlusOne))
    return "'.po' does not go with '-'";
  return negated == 1 ? "" : "'vmad' negates its product or its addend, not both";
}

} // namespace

uint64_t Selector::bits() const {
  uint64_t packed = uint64_t(uint8_t(unit)) << kUnitShift | uint64_t(count) << kCountShift;
  for (unsigned i = 0; i < count; ++i)
    packed |= uint64_t(digits[i]) << (4 * i);
  return packed;
}

Selector Selector::of(uint64_t bits) {
  Selector selector;
  selector.unit = char(bits >> kUnitShift & 0xff);
  selector.count = uint8_t(bits >> kCountShift & 0xff);
  for (unsigned i = 0; i < selector.count; ++i)
    selector.digits[i] = bits >> (4 * i) & 15;
  return selector;
}

std::optional<Selector> selectorOf(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h'))
    return std::nullopt;
  Selector selector;
  selector.unit = word[0];
  selector.count = uint8_t(word.size() - 1);
  for (unsigned i = 0; i < selector.count; ++i) {
    const char digit = word[word.size() - 1 - i];
    if (digit < '0' || digit > '7')
      return std::nullopt;
    selector.digits[i] = uint8_t(digit - '0');
  }
  return selector;
}

std::string text(const Selector &selector) {
  std::string word(1, selector.unit);
  for (unsigned i = selector.count; i > 0; --i)
    word += char('0' + selector.digits[i - 1]);
  return word;
}

bool isVideo(Op op) { return op >= Op::Vadd && op <= Op::Vset4; }

unsigned videoLanes(Op op) { return op >= Op::Vadd4 ? 4 : op >= Op::Vadd2 ? 2 : 1; }

std::string videoProblem(const Function &function, const Instr &instr) {
  if (!isVideo(instr.op))
    return "";
  if (std::string problem = signProblem(function, instr); !problem.empty())
    return problem;
  const unsigned lanes = videoLanes(instr.op);
  return lanes == 1 ? scalarProblem(function, instr) : lanesProblem(function, instr, lanes);
}

} // namespace heddle::ptx
