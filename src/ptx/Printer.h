// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

namespace heddle::ptx {

/// The module as PTX text that parses to the same module. Names, order and modifiers are kept; comments,
/// debug sections, layout and scopes are not. print(parse(print(m))) == print(m).
std::string print(const Module &module);

/// One instruction, without its guard's label and place: "@%p1 ld.shared.f32 %f3, [%r8+4];"
std::string print(const Module &module, const Function &function, const Instr &instr);

/// "ld.shared.f32"
std::string mnemonic(const Module &module, const Instr &instr);

} // namespace heddle::ptx
