// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticDynamicShared.h"

#include "check/Locations.h"
#include "vm/Code.h"

#include <algorithm>

namespace heddle::check {
namespace {

const char *const giveTheSize =
    "give the size of dynamic shared memory: heddle check --static --shared BYTES";

const ptx::Instr *usesDynamicSharedAt(const ptx::Module &module, const ptx::Function &function) {
  for (const ptx::Instr &instr : function.instrs)
    for (const ptx::Operand &operand : function.operandsOf(instr))
      if ((operand.kind == ptx::OperandKind::Var || operand.kind == ptx::OperandKind::AddrVar) &&
          module.variables[operand.index].isDynamicShared())
        return &instr;
  return nullptr;
}

} // namespace

bool usesDynamicShared(const ptx::Module &module, std::string_view kernel) {
  for (const ptx::Function &function : module.functions) // functions that are no kernels may be called by any
    if ((!function.isEntry || function.name == kernel) && usesDynamicSharedAt(module, function))
      return true;
  return false;
}

const ptx::Instr *dynamicSharedAt(const vm::Kernel &kernel) {
  for (const auto &code : kernel.codes)
    if (const ptx::Instr *at = usesDynamicSharedAt(*kernel.entry().module, *code->function))
      return at;
  return nullptr;
}

uint32_t dynamicSharedBytes(const vm::Kernel &kernel, const StaticOptions &options) {
  if (options.dynamicSharedBytes || !dynamicSharedAt(kernel))
    return options.dynamicSharedBytes.value_or(0);
  const uint32_t most = options.limits.maxSharedBytesPerBlock;
  return most - std::min<uint32_t>(most, kernel.info.staticSharedBytes);
}

void noteDynamicShared(StaticResult &result, const vm::Kernel &kernel, const StaticOptions &options) {
  const ptx::Instr *at = dynamicSharedAt(kernel);
  if (!at || options.dynamicSharedBytes)
    return; // a finding states the size
  result.undecided.push_back({locationOf(*kernel.entry().module, *at),
                              "the size of dynamic shared memory is unknown" +
                                  (options.whySharedUnknown.empty() ? "" : ": " + options.whySharedUnknown),
                              {},
                              giveTheSize,
                              setOf(Property::SharedBounds)});
  for (Finding &finding : result.findings)
    if (finding.rule == Rule::MemoryOutOfBounds)
      finding.hint = giveTheSize;
}

} // namespace heddle::check
