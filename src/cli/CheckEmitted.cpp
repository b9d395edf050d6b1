// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckEmitted.h"

#include "build/DevicePtx.h"
#include "check/Places.h"
#include "check/Static.h"
#include "ptx/Parser.h"
#include "report/StaticVerdict.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <set>
#include <tuple>

namespace heddle::cli {
namespace {

// What is still unknown after this is left to --verify.
constexpr double MostSeconds = 60;

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

check::StaticResult checkShape(const ptx::Module &module, const std::string &kernel, const Shape &shape) {
  check::StaticOptions options;
  options.block = shape.block;
  options.dynamicSharedBytes = shape.dynamicSharedBytes;
  options.maxSeconds = MostSeconds;
  if (shape.form == source::Launch::Form::Regrouped) // without an order: threads that are alone are so in any
    options.parameters.push_back({"0", "0", check::StaticOptions::Parameter::Part{0, 8}});
  if (shape.form != source::Launch::Form::Delegated)
    return check::checkStatic(module, kernel, options);
  // Two blocks say what one does to the next. A loop of unknown length is not followed from one to the other;
  // then the barrier between them has to be trusted.
  check::StaticResult two = checkTasks(module, kernel, options, 2);
  return two.verdict == check::Verdict::Outside ? checkTasks(module, kernel, options, 1) : two;
}

/// The distinct shapes that the file launches each kernel with, by mangled name.
std::map<std::string, std::set<Shape>> shapesIn(const source::Program &program) {
  std::map<std::string, std::set<Shape>> shapes;
  for (const source::Launch &launch : program.launches())
    if (std::optional<Shape> shape = launch.kernel ? shapeOf(launch) : std::nullopt)
      shapes[launch.kernel->mangledName].insert(*shape);
  return shapes;
}

/// The candidate's own name means nothing to anybody.
void rename(check::StaticResult &result, const EmittedFile &file) {
  auto one = [&](Place &place) {
    if (place.file == file.candidate.string())
      place.file = file.shownAs.string();
  };
  auto both = [&](auto &list) {
    for (auto &each : list) {
      one(each.place);
      for (check::Finding::Note &note : each.notes)
        one(note.place);
    }
  };
  both(result.findings);
  both(result.outside);
}

} // namespace

bool holdsStatically(const EmittedFile &file, bool remarks, bool colour) {
  auto leave = [&](const std::string &why) {
    if (remarks)
      std::cerr << fmt::format("heddle: not checked statically: {}\n", why);
    return true;
  };
  auto parsed = source::Program::parseText(file.origin.string(), file.text, file.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program)
    return leave("the emitted file does not parse"); // compiling it will say why
  std::map<std::string, std::set<Shape>> shapes = shapesIn(**program);

  Diagnostics diagnostics;
  build::Request request = file.build;
  request.sources.files = {file.candidate};
  build::DevicePtx device = build::compileToPtx(request, diagnostics);
  if (!device.ok) {
    std::cerr << device.messages;
    return leave("there is no PTX of it");
  }
  ptx::Module module = ptx::parse(device.text, "", diagnostics);
  if (diagnostics.has(Voice::Error))
    return leave("its PTX has something that the machine does not know");

  bool holds = true;
  for (const std::string &kernel : check::kernelsOf(module)) {
    const std::string name = check::readableKernel(kernel);
    if (name.starts_with("heddle::"))
      continue; // of runtime/heddle, which has tests of its own
    if (!shapes.count(kernel))
      leave(fmt::format("the block of '{}' is known at run time only", name));
    for (const Shape &shape : shapes[kernel]) {
      report::KernelVerdict verdict{name, checkShape(module, kernel, shape)};
      const bool fails = verdict.result.verdict == check::Verdict::Fails;
      holds &= !fails;
      if (!fails && !remarks)
        continue;
      report::addSourceLines(verdict.result);
      rename(verdict.result, file);
      std::cerr << report::staticText(verdict, colour);
    }
  }
  if (!holds)
    std::cerr << fmt::format("heddle: '{}' is not written: a kernel in it fails the static check (--no-check "
                             "writes it all the same)\n",
                             file.shownAs.string());
  return holds;
}

} // namespace heddle::cli
