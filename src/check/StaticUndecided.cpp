// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticSteering.h"
#include "support/Numbers.h"

#include <fmt/format.h>

namespace heddle::check {

using namespace vm;

SourceLocation StaticSteering::locationOf(const ptx::Instr &instr) const {
  return check::locationOf(*kernel.entry().module, instr);
}

std::string StaticSteering::parameterAt(uint32_t offset) const {
  const auto &all = kernel.info.parameters;
  for (unsigned i = 0; i < all.size(); ++i)
    if (offset >= all[i].offset && offset < all[i].offset + all[i].bytes)
      return names.describe(i);
  return "a parameter";
}

std::optional<std::string> StaticSteering::nameOf(Forms::Symbol symbol) const {
  if (symbol < Forms::Parameters)
    return fmt::format("{}.{}", Forms::isBlockIdx(symbol) ? "blockIdx" : "gridDim", "xyz"[symbol % 3]);
  const uint32_t offset = 4 * (symbol - Forms::Parameters);
  const auto &all = kernel.info.parameters;
  for (unsigned i = 0; i < all.size() && symbol < Forms::Loops; ++i)
    if (const std::string name = names.option(i); offset == all[i].offset && !readNumber<unsigned>(name))
      return name;
  return std::nullopt;
}

void StaticSteering::note(const ptx::Instr &instr, std::string text, Origins origins, PropertySet properties,
                          std::vector<Finding::Note> notes) {
  if (!named.insert({&instr, properties}).second)
    return;
  reasons.push_back(
      {locationOf(instr), std::move(text), std::move(notes), origin::hint(origins, names), properties});
}

Flow StaticSteering::giveUp(Warp &warp, const Inst &in, std::string text, Origins origins,
                            std::vector<Finding::Note> notes) {
  note(plan->code->sourceOf(in), std::move(text), origins, AllProperties, std::move(notes));
  stopped = true;
  return warp.fault(in, warp.now().mask, FaultKind::Unsupported, "undecided");
}

Flow StaticSteering::syncDepends(Warp &warp, const Inst &in, const Region &region, Origins origins) {
  const ptx::Instr &sync = plan->code->function->instrs[region.sync];
  const char *what = region.loops ? "the number of barriers that this loop executes"
                     : region.join == ptx::kNone
                         ? "whether threads reach the synchronization that follows"
                         : "whether threads reach the synchronization after this branch";
  return giveUp(warp, in, std::string(what) + " depends on " + describe(origins), origins,
                {{locationOf(sync), "synchronization here"}});
}

} // namespace heddle::check
