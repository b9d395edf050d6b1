// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Destinations.h"

#include <algorithm>

namespace heddle::ptx {

unsigned countDests(const Function &function, const Instr &instr) {
  if (instr.op == Op::Unsupported || instr.op == Op::Call)
    return 0;
  std::string_view words = info(instr.op).operands;
  unsigned count = 0;
  while (!words.empty()) {
    size_t end = words.find(' ');
    std::string_view word = words.substr(0, end);
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    const bool optional = word.starts_with("?=");
    if (!optional && !word.starts_with("="))
      break;
    auto operands = function.operandsOf(instr);
    if (optional && (operands.empty() || operands[0].isAddress()))
      break;
    count += word.find("|p") != std::string_view::npos ? 2 : 1;
  }
  return std::min<unsigned>(count, instr.numOperands);
}

unsigned wordsOf(const Register &reg) {
  switch (reg.cls) {
  case RegClass::Pred: return 0;
  case RegClass::B64: return 2;
  case RegClass::B128: return 4;
  default: return 1;
  }
}

} // namespace heddle::ptx
