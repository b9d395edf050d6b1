// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/LaunchChecks.h"

#include "check/Locations.h"
#include "ptx/Parser.h"

#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace heddle::verify {
namespace {

/// One way a kernel is launched.
struct Shape {
  vm::Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  source::Launch::Form form = source::Launch::Form::TripleChevron; ///< where it matters

  auto key() const { return std::tuple(block.x, block.y, block.z, dynamicSharedBytes, form); }
  bool operator<(const Shape &other) const { return key() < other.key(); }
};

std::optional<Shape> shapeOf(const source::Launch &launch) {
  if (!launch.block.isKnown())
    return std::nullopt;
  using Form = source::Launch::Form;
  const bool isPlain = launch.form != Form::Delegated && launch.form != Form::Regrouped;
  auto number = [&](int i) { return uint32_t(*launch.block.xyz[size_t(i)].value); };
  return Shape{{number(0), number(1), number(2)},
               uint32_t(launch.dynamicSharedBytes.value.value_or(0)),
               isPlain ? Form::TripleChevron : launch.form};
}

/// A warp that stays (runtime/heddle/delegate.cuh) is looked at by itself, since warps of a block have
/// nothing in common, and while it does this many blocks of the original: their number is known, but not the
/// grid.
check::StaticResult checkTasks(const ptx::Module &module, const std::string &kernel,
                               check::StaticOptions options, unsigned tasks) {
  constexpr uint32_t offsetOfCount = 16;
  options.grid = vm::Dim3{1, 1, 1};
  options.parameters.push_back(
      {"0", std::to_string(tasks), check::StaticOptions::Parameter::Part{offsetOfCount, 8}});
  return check::checkStatic(module, kernel, options);
}

check::StaticResult checkShape(const ptx::Module &module, const std::string &kernel, const Shape &shape,
                               double maxSeconds, bool isOptimized) {
  check::StaticOptions options;
  options.block = shape.block;
  options.dynamicSharedBytes = shape.dynamicSharedBytes;
  options.maxSeconds = maxSeconds;
  options.isOptimized = isOptimized;
  if (shape.form == source::Launch::Form::Regrouped) // without an order: threads that are alone are so in any
    options.parameters.push_back({"0", "0", check::StaticOptions::Parameter::Part{0, 8}});
  if (shape.form != source::Launch::Form::Delegated)
    return check::checkStatic(module, kernel, options);
  // Two blocks say what one does to the next. A loop of unknown length is not followed from one to the other;
  // then the barrier between them has to be trusted.
  check::StaticResult two = checkTasks(module, kernel, options, 2);
  return two.verdict == check::Verdict::Undecided ? checkTasks(module, kernel, options, 1) : two;
}

/// The same for all compilers: Clang and nvcc mangle kernels with internal linkage differently (`_ZL1kPf` and
/// `_Z1kPf` for a static one).
std::string signatureOf(const std::string &mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return mangled.starts_with("_Z") && status == 0 && text ? text.get() : mangled;
}

/// The distinct shapes that the file launches each kernel with, by signature.
std::map<std::string, std::set<Shape>> shapesIn(const source::Program &program) {
  std::map<std::string, std::set<Shape>> shapes;
  for (const source::Launch &launch : program.launches())
    if (std::optional<Shape> shape = launch.kernel ? shapeOf(launch) : std::nullopt)
      shapes[signatureOf(launch.kernel->mangledName)].insert(*shape);
  return shapes;
}

} // namespace

LaunchChecks checkLaunches(const source::Program &program, const ptx::Module &module, double maxSeconds,
                           bool isOptimized, const std::function<bool(const std::string &)> &isMeant) {
  LaunchChecks checks;
  std::map<std::string, std::set<Shape>> shapes = shapesIn(program);
  for (const std::string &kernel : check::kernelsOf(module)) {
    const std::string name = check::readableKernel(kernel);
    if (name.starts_with("heddle::"))
      continue; // of runtime/heddle, which has tests of its own
    if (isMeant && !isMeant(name))
      continue;
    const std::set<Shape> &known = shapes[signatureOf(kernel)];
    if (known.empty())
      checks.undetermined.push_back(name);
    for (const Shape &shape : known)
      checks.kernels.push_back({name, checkShape(module, kernel, shape, maxSeconds, isOptimized)});
  }
  return checks;
}

} // namespace heddle::verify
