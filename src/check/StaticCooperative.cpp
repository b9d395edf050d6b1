// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid.sync() stops the kernel unless the launch is cooperative, which `<<<...>>>` never is. The PTX does not show
// launches; the source may.
#include "check/Locations.h"
#include "check/SourceText.h"
#include "check/StaticProperties.h"
#include "support/KernelText.h"
#include "vm/Code.h"

#include <fmt/format.h>

#include <cctype>

namespace heddle::check {
namespace {

/// Where cooperative groups look for the barrier of the grid; null: nowhere.
const ptx::Instr *gridBarrierOf(const vm::Kernel &kernel) {
  for (const auto &code : kernel.codes)
    for (const ptx::Instr &instr : code->function->instrs)
      for (const ptx::Operand &operand : code->function->operandsOf(instr))
        if (operand.kind == ptx::OperandKind::Special &&
            (ptx::SpecialReg(operand.index) == ptx::SpecialReg::EnvReg1 ||
             ptx::SpecialReg(operand.index) == ptx::SpecialReg::EnvReg2))
          return &instr;
  return nullptr;
}

bool mentionsWord(const std::string &source, const std::string &word) {
  auto isPart = [&](size_t at) {
    return at < source.size() && (std::isalnum(uint8_t(source[at])) || source[at] == '_');
  };
  for (size_t at = source.find(word); at != std::string::npos; at = source.find(word, at + 1))
    if ((!at || !isPart(at - 1)) && !isPart(at + word.size()))
      return true;
  return false;
}

} // namespace

void checkGridBarrier(StaticResult &result, const vm::Kernel &kernel) {
  const ptx::Instr *at = gridBarrierOf(kernel);
  if (!at)
    return;
  const ptx::Module &module = *kernel.entry().module;
  const std::string name = readableKernel(kernel.info.name);
  std::string plain = name.substr(0, name.find('<'));
  plain = plain.substr(plain.rfind(':') == std::string::npos ? 0 : plain.rfind(':') + 1);
  LaunchesSeen seen;
  bool asksFirst = false;
  for (const std::string &source : sourcesOf(module)) {
    const LaunchesSeen here = launchesOf(withoutComments(source), plain);
    seen.plain |= here.plain, seen.cooperative |= here.cooperative;
    const bool isAboutIt = mentionsWord(source, plain); // headers of cooperative groups are not
    asksFirst |= isAboutIt && source.find("is_valid") != std::string::npos;
  }
  // Who asks is_valid() first may be launched either way; and the text does not distinguish kernels of one name.
  if (seen.plain && (seen.cooperative || asksFirst)) {
    result.undecided.push_back(
        {locationOf(module, *at),
         "grid.sync() needs a cooperative launch, and not every launch of it in the source is cooperative",
         {},
         "",
         setOf(Property::BarrierUse)});
  } else if (seen.plain) {
    Finding finding;
    finding.rule = Rule::BarrierNotCooperative;
    finding.kernel = name;
    finding.location = locationOf(module, *at);
    finding.text = fmt::format("grid.sync() in a launch of '{}' that is not cooperative: its blocks need not "
                               "be resident at the same time, so the barrier stops the kernel",
                               name);
    finding.hint = "<<<...>>> is never cooperative: launch it with cudaLaunchCooperativeKernel";
    result.findings.push_back(std::move(finding));
    result.violates.push_back(Property::BarrierUse);
  } else if (!seen.cooperative) {
    result.undecided.push_back({locationOf(module, *at),
                                "grid.sync() needs a cooperative launch, and the source does not launch it",
                                {},
                                "",
                                setOf(Property::BarrierUse)});
  }
}

} // namespace heddle::check
