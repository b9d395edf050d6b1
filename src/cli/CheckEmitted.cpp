// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckEmitted.h"

#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "report/StaticVerdict.h"
#include "tune/LaunchChecks.h"

#include <fmt/format.h>

#include <iostream>

namespace heddle::cli {
namespace {

// What is still unknown after this is left to --verify.
constexpr double MostSeconds = 60;

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
  both(result.undecided);
}

} // namespace

bool holdsStatically(const EmittedFile &file, bool remarks, bool colour) {
  auto leave = [&](const std::string &why) {
    std::cerr << fmt::format("heddle: not checked: {}\n", why);
    return true;
  };
  auto parsed = source::Program::parseText(file.origin.string(), file.text, file.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program)
    return leave("the emitted file does not parse"); // compiling it will say why

  Diagnostics diagnostics;
  build::Request request = file.build;
  request.sources.files = {file.candidate};
  build::DevicePtx device = build::compileToPtx(request, diagnostics, build::Accesses::Kept);
  if (!device.ok) {
    std::cerr << device.messages;
    return leave("there is no PTX of it");
  }
  ptx::Module module = ptx::parse(device.text, "", diagnostics);
  if (diagnostics.has(Voice::Error))
    return leave("its PTX has something that the simulator does not know");

  tune::LaunchChecks checks = tune::checkLaunches(**program, module, MostSeconds, !device.keepsAccesses);
  for (const std::string &name : checks.undetermined)
    leave(fmt::format("the block of '{}' is known at run time only", name));
  bool holds = true;
  for (tune::LaunchChecks::Kernel &each : checks.kernels) {
    report::KernelVerdict verdict{each.name, std::move(each.result)};
    const bool fails = verdict.result.verdict == check::Verdict::Fails;
    holds &= !fails;
    if (!fails && !remarks) {
      if (verdict.result.verdict == check::Verdict::Undecided)
        std::cerr << fmt::format("heddle: not checked: kernel '{}': {}\n", verdict.kernel,
                                 report::undecidedLine(verdict));
      continue;
    }
    report::addSourceLines(verdict.result);
    rename(verdict.result, file);
    std::cerr << report::staticText(verdict, colour);
  }
  if (!holds)
    std::cerr << fmt::format("heddle: '{}' is not written: a kernel in it fails the static check (--no-check "
                             "writes it all the same)\n",
                             file.shownAs.string());
  return holds;
}

} // namespace heddle::cli
