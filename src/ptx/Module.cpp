// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Module.h"

#include <fmt/format.h>

namespace heddle::ptx {

uint32_t Module::findFunction(std::string_view name) const {
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name)
      return i;
  return kNone;
}

uint32_t Module::findVariable(std::string_view name) const {
  for (uint32_t i = 0; i < variables.size(); ++i)
    if (variables[i].function == kNone && variables[i].name == name)
      return i;
  return kNone;
}

std::string Module::sourceLocation(const Instr &instr) const {
  if (instr.loc == kNone || locs[instr.loc].file == kNone)
    return "";
  const SourceLoc &loc = locs[instr.loc];
  return loc.column == 0 ? fmt::format("{}:{}", files[loc.file].path, loc.line)
                         : fmt::format("{}:{}:{}", files[loc.file].path, loc.line, loc.column);
}

} // namespace heddle::ptx
