// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers name parameters `kernel_param_2`. The line table names the source file, whose text has the names.
#include "vm/ParameterNames.h"

#include "ptx/Module.h"
#include "support/Demangle.h"
#include "support/KernelText.h"
#include "vm/Code.h"
#include "vm/Source.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <ranges>
#include <set>
#include <sstream>

namespace heddle::vm {
namespace {

// Instructions to search for one from the kernel's own file: those of inlined functions may come first.
constexpr size_t MostLooked = 500;

} // namespace

ParameterNames::ParameterNames(const ptx::Module &module, const ptx::Function &f) {
  names.resize(f.params.size());
  for (size_t i = 0; i < names.size(); ++i)
    if (f.params[i].variable != ptx::kNone) {
      const std::string &name = module.variables[f.params[i].variable].name;
      if (!name.starts_with(f.name) && name.find("_param_") == std::string::npos)
        names[i] = name;
    }
  if (names.empty() || std::ranges::any_of(names, [](const std::string &name) { return !name.empty(); }))
    return;
  std::set<std::string> files;
  for (const ptx::Instr &instr : f.instrs | std::views::take(MostLooked))
    if (const SourceLocation place = sourceOf(module, instr);
        !place.file.empty() && files.insert(place.file).second) {
      std::ifstream in(place.file);
      std::stringstream text;
      text << in.rdbuf();
      const std::vector<std::string> found =
          parameterNamesIn(text.str(), plainName(functionName(f.name)), names.size());
      if (!found.empty()) {
        names = found;
        return;
      }
    }
}

ParameterNames::ParameterNames(const Kernel &kernel)
    : ParameterNames(*kernel.entry().module, *kernel.function) {}

std::string ParameterNames::describe(unsigned index) const {
  return index < names.size() && !names[index].empty() ? fmt::format("parameter '{}'", names[index])
                                                       : fmt::format("parameter {}", index);
}

std::string ParameterNames::option(unsigned index) const {
  return index < names.size() && !names[index].empty() ? names[index] : std::to_string(index);
}

std::optional<unsigned> ParameterNames::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() || name.empty() ? std::nullopt : std::optional(unsigned(found - names.begin()));
}

} // namespace heddle::vm
