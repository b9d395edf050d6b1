// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/EmittedFile.h"

#include "build/DevicePtx.h"
#include "check/SourceLines.h"
#include "check/UndecidedLine.h"
#include "ptx/Parser.h"
#include "support/ShellText.h"
#include "verify/LaunchChecks.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace heddle::verify {
namespace {

// What is still unknown after this is left to --verify.
constexpr double MostSeconds = 60;

/// The candidate's own name means nothing to anybody.
void rename(SourceLocation &location, const EmittedFile &file) {
  // The new text is compiled as the candidate, and parsed under the name of the old one.
  if (location.file == file.candidate.string() || location.file == file.origin.string())
    location.file = file.shownAs.string();
  else if (auto other = file.names.find(location.file); other != file.names.end())
    location.file = other->second;
}

void rename(check::StaticResult &result, const EmittedFile &file) {
  auto one = [&](SourceLocation &location) { rename(location, file); };
  auto both = [&](auto &list) {
    for (auto &each : list) {
      one(each.location);
      for (check::Finding::Note &note : each.notes)
        one(note.location);
    }
  };
  both(result.findings);
  both(result.undecided);
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

constexpr unsigned mostErrors = 3; // others follow from them, or repeat them

/// The messages of a compiler up to the first errors.
std::string firstErrors(const std::string &messages) {
  std::string first;
  unsigned errors = 0;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const bool isError = line.find(": error:") != line.npos || line.find(": fatal error:") != line.npos ||
                         line.find(": error #") != line.npos;
    errors += isError;
    if (errors <= mostErrors)
      first += line + "\n";
  }
  if (errors > mostErrors)
    first += fmt::format("and {} more errors\n", errors - mostErrors);
  return first;
}

class EmittedChecker {
public:
  EmittedChecker(const EmittedFile &file, CheckedKernels which) : file(file), which(which) {}

  EmittedCheck run() {
    auto parsed = source::Program::parseText(file.origin.string(), file.text, file.compile);
    if (auto *failure = std::get_if<source::ParseFailure>(&parsed))
      doesNotCompile(failure->compilerMessages);
    else if (which != CheckedKernels::None)
      check(*std::get<std::unique_ptr<source::Program>>(parsed));
    return std::move(found);
  }

private:
  void check(const source::Program &program) {
    Diagnostics diagnostics;
    const build::DevicePtx device = compiled(file.candidate, diagnostics);
    if (!device.ok)
      return device.compiler.empty() ? notChecked(diagnostics) : compilesNot(device);
    const ptx::Module module = ptx::parse(device.text, "", diagnostics);
    if (diagnostics.has(Severity::Error))
      return notChecked(diagnostics);
    const auto isMeant = [&](const std::string &name) {
      return which == CheckedKernels::All || !isUntouched(name);
    };
    LaunchChecks checks = checkLaunches(program, module, MostSeconds, !device.keepsAccesses, isMeant);
    for (LaunchChecks::Unchecked &each : checks.unchecked)
      notChecked(each);
    for (LaunchChecks::Kernel &each : checks.kernels)
      found.kernels.push_back(comparedWithOriginal(std::move(each)));
    if (!std::ranges::all_of(found.kernels, isAcceptable))
      found.outcome = Emitted::FailsTheCheck;
  }

  /// `name` is the kernel's with its template arguments.
  bool isUntouched(const std::string &name) const {
    return file.untouchedKernels.contains(name.substr(0, name.find('<')));
  }

  /// Of transform/regroup/RegroupCount.
  bool countsForRegroup(const std::string &name) const {
    return name.substr(0, name.find('<')).ends_with("Counted") &&
           file.text.find("heddle::regroup(") != std::string::npos;
  }

  EmittedCheck::Kernel comparedWithOriginal(LaunchChecks::Kernel kernel) {
    check::addSourceLines(kernel.result);
    EmittedCheck::Kernel compared{kernel.name, std::move(kernel.result), std::move(kernel.launch), {}};
    if (compared.result.verdict == check::Verdict::Fails)
      compared.original = samenessOf(compared);
    rename(compared.result, file);
    for (SourceLocation &location : compared.launch.locations)
      rename(location, file);
    return compared;
  }

  Sameness samenessOf(const EmittedCheck::Kernel &kernel) {
    if (isUntouched(kernel.name))
      return {true, true};
    if (!isOriginalChecked)
      checkOriginal();
    return compareFindings(kernel.name, kernel.result, originalChecks.kernels);
  }

  /// The verdicts of the static check on the original; only needed where the emitted file fails.
  void checkOriginal() {
    isOriginalChecked = true;
    Diagnostics ignored;
    auto parsed = source::Program::parse(file.origin.string(), file.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    const build::DevicePtx device = compiled(file.origin, ignored);
    if (!program || !device.ok)
      return;
    const ptx::Module module = ptx::parse(device.text, "", ignored);
    if (ignored.has(Severity::Error))
      return;
    const auto isMeant = [&](const std::string &name) { return !isUntouched(name); };
    originalChecks = checkLaunches(**program, module, MostSeconds, !device.keepsAccesses, isMeant);
    for (LaunchChecks::Kernel &each : originalChecks.kernels)
      check::addSourceLines(each.result);
  }

  build::DevicePtx compiled(const std::filesystem::path &source, Diagnostics &diagnostics) const {
    build::Request request = file.build;
    request.sources.files = {source};
    return build::compileToPtx(request, diagnostics, build::Accesses::Kept);
  }

  /// A compiler refuses the new text. Where it refuses the old one too, that is not the directives' doing.
  void compilesNot(const build::DevicePtx &device) {
    Diagnostics ignored;
    const build::DevicePtx original = compiled(file.origin, ignored);
    if (original.ok)
      return doesNotCompile(device.messages);
    found.outcome = Emitted::InputDoesNotCompile;
    found.compilerMessages = original.messages;
    found.diagnostics
        .error({file.origin.string()},
               fmt::format("the device code does not compile with {}", device.compiler))
        .withHint(device.compiler == "nvcc" ? "--compiler clang checks with Clang" : "--compiler nvcc");
  }

  void doesNotCompile(std::string messages) {
    // The new text was parsed under the old file's name, for the sake of its #include "...".
    for (const std::filesystem::path &name : {file.origin, file.candidate})
      replaceAll(messages, name.string() + ":", file.shownAs.string() + ":");
    for (const auto &[name, shownAs] : file.names)
      replaceAll(messages, name + ":", shownAs + ":");
    found.outcome = Emitted::DoesNotCompile;
    found.compilerMessages = firstErrors(messages);
    found.diagnostics
        .add(Severity::InternalError, {file.shownAs.string()},
             "the emitted text does not compile; nothing is written")
        .withHint("report this as a defect of Heddle, with the input; 'heddle opt --print-after all' shows "
                  "the text");
  }

  /// A verdict on the other launches of the kernel holds for their blocks only.
  void notChecked(LaunchChecks::Unchecked &launch) {
    if (isUntouched(launch.name))
      return;
    if (!launch.launch.isKnown() && countsForRegroup(launch.name))
      return notChecked(fmt::format(
          "kernel '{}', which regroup added to count the work of threads: heddle::regroup launches it",
          launch.name));
    const bool isLaunch = launch.launch.isKnown();
    if (isLaunch)
      rename(launch.launch, file);
    Diagnostic &warning =
        found.diagnostics.warning(isLaunch ? launch.launch : SourceLocation{file.shownAs.string()},
                                  fmt::format("not checked: {}kernel '{}': {}",
                                              isLaunch ? "this launch of " : "", launch.name, launch.why));
    if (!launch.isBlockUnknown)
      return;
    const std::string shown = shellWord(file.shownAs.string());
    warning.withHint(
        launch.usesDynamicShared
            ? fmt::format(
                  "heddle check --static {} --block X,Y,Z --shared BYTES checks it for one block size", shown)
            : fmt::format("heddle check --static {} --block X,Y,Z checks it for one block size", shown));
  }

  void notChecked(const Diagnostics &why) {
    notChecked(why.empty() ? "there is no PTX of it" : why.all().front().text);
  }
  void notChecked(const std::string &why) {
    found.diagnostics.warning({file.shownAs.string()}, "not checked: " + why);
  }

  const EmittedFile &file;
  CheckedKernels which;
  EmittedCheck found;
  LaunchChecks originalChecks; ///< once it was needed
  bool isOriginalChecked = false;
};

} // namespace

bool isAcceptable(const EmittedCheck::Kernel &kernel) {
  return kernel.result.verdict != check::Verdict::Fails || (kernel.original && kernel.original->areAllKnown);
}

std::optional<Diagnostic> warningAbout(const EmittedCheck::Kernel &kernel, const EmittedFile &file) {
  const auto warning = [&](const std::string &what) {
    return Diagnostic{Severity::Warning,
                      {file.shownAs.string()},
                      fmt::format("kernel '{}': {}", kernel.name, what),
                      {},
                      {}};
  };
  if (kernel.result.verdict == check::Verdict::Undecided)
    return warning("undecided: " + check::undecidedLine(kernel.result));
  if (kernel.result.verdict != check::Verdict::Fails || !kernel.original || !kernel.original->originalFails)
    return std::nullopt;
  return warning(kernel.original->areAllKnown
                     ? "the original has this too"
                     : "the original fails the static check as well, but not in each of these places");
}

EmittedCheck checkEmitted(const EmittedFile &file, CheckedKernels which) {
  return EmittedChecker(file, which).run();
}

} // namespace heddle::verify
