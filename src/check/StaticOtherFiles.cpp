// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticOtherFiles.h"

#include "check/Locations.h"
#include "vm/Code.h"

#include <algorithm>

namespace heddle::check {
namespace {

bool isOfAnotherFile(const ptx::Variable &variable) {
  return variable.linkage == ptx::Linkage::Extern &&
         (variable.space == ptx::Space::Global || variable.space == ptx::Space::Const);
}

/// Why a kernel that uses the variable is not looked at; empty if it is.
std::string whyTooLittleIsKnown(const ptx::Variable &variable, const StaticOptions &options) {
  if (!isOfAnotherFile(variable))
    return "";
  if (variable.bytes == 0)
    return fmt::format("the size of '{}', which another file defines, is unknown",
                       readableVariable(variable.name));
  if (options.constantsAreKnown && variable.space == ptx::Space::Const)
    return fmt::format("the initial values of '{}', which another file defines, are unknown",
                       readableVariable(variable.name));
  return "";
}

} // namespace

std::shared_ptr<const ptx::Module> variablesOfOtherFiles(const ptx::Module &module) {
  auto others = std::make_shared<ptx::Module>();
  for (const ptx::Variable &variable : module.variables)
    if (isOfAnotherFile(variable)) {
      ptx::Variable &defined = others->variables.emplace_back(variable);
      defined.linkage = ptx::Linkage::Visible;
      defined.bytes = std::max<uint64_t>(defined.bytes, 1);
    }
  return others->variables.empty() ? nullptr : others;
}

bool noteVariablesOfOtherFiles(StaticResult &result, const vm::Kernel &kernel, const StaticOptions &options) {
  const ptx::Module &module = *kernel.entry().module;
  const size_t before = result.undecided.size();
  auto note = [&](uint32_t variable, const SourceLocation &location) {
    const std::string why = whyTooLittleIsKnown(module.variables[variable], options);
    auto isNamed = [&](const UndecidedReason &reason) { return reason.text == why; };
    if (!why.empty() && std::ranges::none_of(result.undecided, isNamed))
      result.undecided.push_back({location, why, {}, ""});
  };
  auto noteOperand = [&](const ptx::Operand &operand, const ptx::Instr &instr) {
    if (operand.kind == ptx::OperandKind::Var || operand.kind == ptx::OperandKind::AddrVar)
      note(operand.index, locationOf(module, instr));
  };
  for (const auto &code : kernel.codes)
    for (const ptx::Instr &instr : code->function->instrs)
      for (const ptx::Operand &operand : code->function->operandsOf(instr)) {
        noteOperand(operand, instr);
        if (operand.kind == ptx::OperandKind::Vector)
          for (const ptx::Operand &element : code->function->elementsOf(operand))
            noteOperand(element, instr);
      }
  // A pointer that the file initializes may lead any kernel there.
  for (const ptx::Variable &variable : module.variables)
    for (const ptx::Relocation &relocation : variable.relocs)
      if (!relocation.isFunction)
        note(relocation.symbol, {});
  return result.undecided.size() != before;
}

} // namespace heddle::check
