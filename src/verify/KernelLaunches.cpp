// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/KernelLaunches.h"

#include "ptx/Parser.h"
#include "source/Program.h"
#include "support/Demangle.h"

#include <algorithm>
#include <tuple>

namespace heddle::verify {
namespace {

using Form = source::Launch::Form;

auto keyOf(const KernelLaunches::Known &launch) {
  return std::tuple(launch.block.x, launch.block.y, launch.block.z, launch.dynamicSharedBytes, launch.form,
                    launch.whySharedUnknown);
}

std::string reasonOr(const std::string &why) { return why.empty() ? "it is computed at run time" : why; }

KernelLaunches::Known knownLaunch(const source::Launch &launch) {
  auto number = [&](size_t i) { return uint32_t(*launch.block.xyz[i].value); };
  auto blocks = [&](size_t i) { return uint32_t(launch.grid.xyz[i].value.value_or(0)); };
  const source::LaunchNumber &shared = launch.dynamicSharedBytes;
  const bool isPlain = launch.form != Form::Delegated && launch.form != Form::Regrouped;
  return {.block = {number(0), number(1), number(2)},
          .dynamicSharedBytes = shared.value ? std::optional(uint32_t(*shared.value)) : std::nullopt,
          .mostBlocks = {blocks(0), blocks(1), blocks(2)},
          .form = isPlain ? Form::TripleChevron : launch.form,
          .whySharedUnknown = shared.value ? std::string() : reasonOr(shared.whyUnknown),
          .locations = {launch.location}};
}

void addKnown(std::vector<KernelLaunches::Known> &all, KernelLaunches::Known launch) {
  auto same = std::ranges::find(all, keyOf(launch), keyOf);
  if (same == all.end())
    return all.push_back(std::move(launch));
  same->locations.push_back(launch.locations.front());
  auto largest = [](uint32_t a, uint32_t b) { return a && b ? std::max(a, b) : 0; };
  vm::Dim3 &most = same->mostBlocks;
  most = {largest(most.x, launch.mostBlocks.x), largest(most.y, launch.mostBlocks.y),
          largest(most.z, launch.mostBlocks.z)};
}

std::string whyUnknown(const source::LaunchShape &block) {
  for (const source::LaunchNumber &number : block.xyz)
    if (!number.value && !number.whyUnknown.empty())
      return number.whyUnknown;
  return reasonOr("");
}

/// A persistent warp (runtime/heddle/delegate.cuh) is checked by itself, since warps of a block have nothing
/// in common, and while it does this many blocks of the original: their number is known, but not the grid.
check::StaticResult checkTasks(const ptx::Module &module, const std::string &kernel,
                               check::StaticOptions options, unsigned tasks) {
  constexpr uint32_t offsetOfCount = 16;
  options.grid = vm::Dim3{1, 1, 1};
  options.isGridModelled = true;
  options.parameters.push_back(
      {"0", std::to_string(tasks), check::StaticOptions::Parameter::Part{offsetOfCount, 8}});
  return check::checkStatic(module, kernel, options);
}

} // namespace

LaunchTable::LaunchTable(const source::Program &program) : isRead(true) {
  for (const auto &kernel : program.kernels())
    ofTheFile.insert(demangled(kernel->mangledName));
  for (const source::Launch &launch : program.launches()) {
    if (!launch.kernel)
      continue;
    // The same for all compilers: Clang and nvcc mangle kernels with internal linkage differently (`_ZL1kPf`
    // and `_Z1kPf` for a static one).
    KernelLaunches &launches = bySignature[demangled(launch.kernel->mangledName)];
    if (launch.block.isKnown())
      addKnown(launches.known, knownLaunch(launch));
    else
      launches.unknown.push_back({launch.location, whyUnknown(launch.block)});
  }
  for (auto &[signature, launches] : bySignature)
    std::ranges::sort(launches.known, {}, keyOf);
}

const KernelLaunches &LaunchTable::of(const std::string &mangledName) const {
  static const KernelLaunches none;
  auto found = bySignature.find(demangled(mangledName));
  return found == bySignature.end() ? none : found->second;
}

bool LaunchTable::isOnlyIncluded(const std::string &mangledName) const {
  const std::string signature = demangled(mangledName);
  return isRead && !ofTheFile.contains(signature) && !bySignature.contains(signature);
}

std::optional<vm::Dim3> requiredBlock(const ptx::Module &module, const std::string &kernel) {
  const auto &required = module.functions[module.findFunction(kernel)].bounds.reqNTid;
  if (!required[0])
    return std::nullopt;
  return vm::Dim3{required[0], std::max(1u, required[1]), std::max(1u, required[2])};
}

check::StaticResult checkLaunch(const ptx::Module &module, const std::string &kernel,
                                const KernelLaunches::Known &launch, check::StaticOptions options) {
  options.block = launch.block;
  options.dynamicSharedBytes = launch.dynamicSharedBytes;
  options.whySharedUnknown = launch.whySharedUnknown;
  if (launch.form == Form::TripleChevron)
    options.mostBlocks = launch.mostBlocks;
  if (launch.form == Form::Regrouped) // without an order: threads that are alone are so in any
    options.parameters.push_back({"0", "0", check::StaticOptions::Parameter::Part{0, 8}});
  if (launch.form != Form::Delegated)
    return check::checkStatic(module, kernel, options);
  // Two blocks show what one does to the next. A loop of unknown length is not followed from one to the
  // other; then the barrier between them has to be trusted.
  check::StaticResult two = checkTasks(module, kernel, options, 2);
  return two.verdict == check::Verdict::Undecided ? checkTasks(module, kernel, options, 1) : two;
}

} // namespace heddle::verify
