// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <optional>
#include <string>
#include <string_view>

/// Video instructions select parts of registers: "%r1.b2", "%r1.h10", "%r1.b7654".
namespace heddle::ptx {

/// The letter and the digits of a selector. A register operand keeps it in Operand::value; 0 is no selector.
struct Selector {
  char unit = 0;          ///< 'b': bytes, 'h': halfwords
  uint8_t count = 0;      ///< digits
  uint8_t digits[4] = {}; ///< the last one written first: digits[0] is lane 0 of "b7654"

  explicit operator bool() const { return unit != 0; }
  uint64_t bits() const;
  static Selector of(uint64_t bits);
};

/// "b3210", without its dot; nothing where the word is no selector.
std::optional<Selector> selectorOf(std::string_view word);
std::string text(const Selector &selector);

bool isVideo(Op op);
/// Bytes or halfwords side by side in a word: 4 or 2; 1 for the scalar video instructions.
unsigned videoLanes(Op op);

/// "", or what is wrong with the selectors and signs of a video instruction.
std::string videoProblem(const Function &function, const Instr &instr);

} // namespace heddle::ptx
