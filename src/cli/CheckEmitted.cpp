// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckEmitted.h"

#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "report/StaticVerdict.h"
#include "verify/LaunchChecks.h"
#include "verify/SameFindings.h"

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

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

class EmittedChecker {
public:
  EmittedChecker(const EmittedFile &file, bool remarks, bool colour)
      : file(file), remarks(remarks), colour(colour) {}

  Emitted run(bool isChecked) {
    auto parsed = source::Program::parseText(file.origin.string(), file.text, file.compile);
    if (auto *failure = std::get_if<source::ParseFailure>(&parsed))
      return doesNotCompile(failure->compilerMessages);
    return isChecked ? check(*std::get<std::unique_ptr<source::Program>>(parsed)) : Emitted::MayBeWritten;
  }

private:
  Emitted check(const source::Program &program) {
    Diagnostics diagnostics;
    const build::DevicePtx device = compiled(file.candidate, diagnostics);
    if (!device.ok)
      return device.compiler.empty() ? notChecked(diagnostics) : compilesNot(device);
    const ptx::Module module = ptx::parse(device.text, "", diagnostics);
    if (diagnostics.has(Voice::Error))
      return notChecked(diagnostics);
    const auto isMeant = [&](const std::string &name) { return remarks || !isUntouched(name); };
    verify::LaunchChecks checks =
        verify::checkLaunches(program, module, MostSeconds, !device.keepsAccesses, isMeant);
    for (const std::string &name : checks.undetermined)
      if (!isUntouched(name))
        notChecked(fmt::format("kernel '{}': its block is not known from the launches in the file", name));
    bool holds = true;
    for (verify::LaunchChecks::Kernel &each : checks.kernels)
      holds &= show({each.name, std::move(each.result)});
    if (holds)
      return Emitted::MayBeWritten;
    std::cerr << fmt::format("heddle: '{}' is not written: a kernel in it fails the static check (--no-check "
                             "writes it all the same)\n",
                             file.shownAs.string());
    return Emitted::FailsTheCheck;
  }

  /// `name` is the kernel's with its template arguments.
  bool isUntouched(const std::string &name) const {
    return file.untouchedKernels.contains(name.substr(0, name.find('<')));
  }

  /// Prints what was found, and what was not decided; whether the kernel may be written.
  bool show(report::KernelVerdict verdict) {
    const bool fails = verdict.result.verdict == check::Verdict::Fails;
    report::addSourceLines(verdict.result);
    const std::optional<verify::Sameness> sameness = fails ? comparedWithOriginal(verdict) : std::nullopt;
    if (fails || remarks) {
      rename(verdict.result, file);
      std::cerr << report::staticText(verdict, colour);
    } else if (verdict.result.verdict == check::Verdict::Undecided) {
      notChecked(fmt::format("kernel '{}': {}", verdict.kernel, report::undecidedLine(verdict)));
    }
    if (!fails)
      return true;
    if (sameness && sameness->originalFails)
      warn(fmt::format("kernel '{}': {}", verdict.kernel,
                       sameness->areAllKnown ? "the original has this too"
                                             : "the original fails the static check as well, but not in each "
                                               "of these places"));
    return sameness && sameness->areAllKnown;
  }

  /// Nothing where the original is not known.
  std::optional<verify::Sameness> comparedWithOriginal(const report::KernelVerdict &verdict) {
    if (isUntouched(verdict.kernel))
      return verify::Sameness{true, true};
    if (!isOriginalChecked)
      checkOriginal();
    return verify::compareFindings(verdict.kernel, verdict.result, originalChecks.kernels);
  }

  /// What the static check says of the original; only asked for where the emitted file fails.
  void checkOriginal() {
    isOriginalChecked = true;
    Diagnostics ignored;
    auto parsed = source::Program::parse(file.origin.string(), file.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    const build::DevicePtx device = compiled(file.origin, ignored);
    if (!program || !device.ok)
      return;
    const ptx::Module module = ptx::parse(device.text, "", ignored);
    if (ignored.has(Voice::Error))
      return;
    const auto isMeant = [&](const std::string &name) { return !isUntouched(name); };
    originalChecks = verify::checkLaunches(**program, module, MostSeconds, !device.keepsAccesses, isMeant);
    for (verify::LaunchChecks::Kernel &each : originalChecks.kernels)
      report::addSourceLines(each.result);
  }

  build::DevicePtx compiled(const std::filesystem::path &source, Diagnostics &diagnostics) const {
    build::Request request = file.build;
    request.sources.files = {source};
    return build::compileToPtx(request, diagnostics, build::Accesses::Kept);
  }

  /// A compiler refuses the new text. Where it refuses the old one too, that is not the directives' doing.
  Emitted compilesNot(const build::DevicePtx &device) {
    Diagnostics ignored;
    const build::DevicePtx original = compiled(file.origin, ignored);
    if (original.ok)
      return doesNotCompile(device.messages);
    std::cerr << original.messages;
    Diagnostic failure{Voice::Error, {file.origin.string()}, {}, {}, {}};
    failure.text = fmt::format("the device code does not compile with {}", device.compiler);
    failure.hint = device.compiler == "nvcc" ? "--compiler clang checks with Clang" : "--compiler nvcc";
    print(std::cerr, failure, colour);
    return Emitted::InputDoesNotCompile;
  }

  Emitted doesNotCompile(std::string messages) {
    // The new text was parsed under the old file's name, for the sake of its #include "...".
    for (const std::filesystem::path &name : {file.origin, file.candidate})
      replaceAll(messages, name.string() + ":", file.shownAs.string() + ":");
    std::cerr << messages;
    Diagnostic failure{Voice::InternalError, {file.shownAs.string()}, {}, {}, {}};
    failure.text = "the emitted text does not compile; nothing is written";
    print(std::cerr, failure, colour);
    return Emitted::DoesNotCompile;
  }

  Emitted notChecked(const Diagnostics &why) {
    return notChecked(why.empty() ? "there is no PTX of it" : why.all().front().text);
  }
  Emitted notChecked(const std::string &why) {
    warn("not checked: " + why);
    return Emitted::MayBeWritten;
  }
  void warn(const std::string &what) {
    print(std::cerr, {Voice::Warning, {file.shownAs.string()}, what, {}, {}}, colour);
  }

  const EmittedFile &file;
  bool remarks, colour;
  verify::LaunchChecks originalChecks; ///< once it was needed
  bool isOriginalChecked = false;
};

} // namespace

Emitted checkEmitted(const EmittedFile &file, bool isChecked, bool remarks, bool colour) {
  return EmittedChecker(file, remarks, colour).run(isChecked);
}

} // namespace heddle::cli
