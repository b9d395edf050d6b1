// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShowEmitted.h"

#include "report/StaticVerdict.h"

#include <fmt/format.h>

#include <iostream>

namespace heddle::cli {
namespace {

void show(const verify::EmittedFile &file, const verify::EmittedCheck::Kernel &kernel, bool allVerdicts,
          bool colour) {
  const report::KernelVerdict verdict{
      kernel.name, kernel.result,
      report::CheckedBlock{kernel.launch.block, kernel.launch.dynamicSharedBytes, kernel.launch.locations}};
  const bool fails = kernel.result.verdict == check::Verdict::Fails;
  if (fails || allVerdicts)
    std::cerr << report::staticText(verdict, colour);
  // A verdict that is printed names what is undecided.
  if (fails || !allVerdicts)
    if (const std::optional<Diagnostic> warning = verify::warningAbout(kernel, file))
      print(std::cerr, *warning, colour);
}

} // namespace

void showEmitted(const verify::EmittedFile &file, const verify::EmittedCheck &check, bool allVerdicts,
                 bool colour) {
  std::cerr << check.compilerMessages;
  for (const Diagnostic &each : check.diagnostics.all())
    print(std::cerr, each, colour);
  for (const verify::EmittedCheck::Kernel &kernel : check.kernels)
    show(file, kernel, allVerdicts, colour);
  if (check.outcome == verify::Emitted::FailsTheCheck)
    std::cerr << fmt::format("heddle: '{}' is not written: a kernel in it fails the static check (--no-check "
                             "writes it all the same)\n",
                             file.shownAs.string());
}

} // namespace heddle::cli
