// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle opt: read flags, carry out directives, check the result, compare runs where asked, write it.
#include "InputOutput.h"
#include "KernelOption.h"
#include "OptRequest.h"
#include "PlacedOutput.h"
#include "ProgramWords.h"
#include "ShowEmitted.h"
#include "SourceOptions.h"
#include "Verbs.h"
#include "Verification.h"
#include "arch/Arch.h"
#include "launcher/DependencyFile.h"
#include "launcher/LineDirectives.h"
#include "source/UserFiles.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "transform/Assumptions.h"
#include "transform/Pipeline.h"
#include "transform/Registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const aboutOpt =
    R"(Transform the kernels of a CUDA file by directives, and check the result.

Examples:
  heddle opt stencil.cu -o out.cu -d "coarsen x=2"              each thread does the work of two
  heddle opt stencil.cu -o out.cu -d "coarsen x=4 map=blocked" --verify -- 1000
  heddle opt stencil.cu -o out.cu -d consolidate                one warp does the work of a block, if the cost model predicts a speed-up
  heddle opt matmul.cu -o out.cu -d specialize                  producer warps load tiles, consumer warps compute
  heddle opt align.cu -o out.cu -d "regroup by=length[read]"    group threads with reads of similar length
  heddle opt stencil.cu -o out.cu -d "unroll-jam factor=4 line=37"   the loop that begins on that line
  heddle opt stencil.cu -o out.cu                               apply the #pragma heddle lines of the file
  heddle opt main.cu kernels.cu --output-dir out --verify       a program as a whole, with its headers

Clang parses the output, and changed kernels are checked statically (heddle check --static) with the block sizes of the launches in the
file. A violation that the original does not have prevents writing. --verify also runs both programs and compares their results.
What was not checked, what was assumed, and directives that changed nothing are reported on stderr, with the reason.

Exit code 0: done; 1: refused, a new violation in the static check, or different results; 2: bad usage, no such file, or no such
kernel; 3: FILE does not compile; 4: a file cannot be read or written. Nothing is written unless the exit code is 0; FILE is overwritten
only with --in-place.
)";

/// " (default 1)"; nothing where the help of the setting says it.
std::string settingDefault(const transform::SettingRule &setting) {
  const bool isOptional = setting.byDefault.empty() || setting.key == "line"; // 0 is no line
  if (isOptional || setting.help.find("default") != std::string::npos)
    return "";
  return setting.allows(setting.byDefault) ? fmt::format(" (default {})", setting.byDefault)
                                           : " (default: selected by the directive)";
}

/// The directives with their settings, from the registry.
std::string directivesText() {
  std::string text = "\nDirectives (docs/directives has a page for each):\n";
  for (const transform::DirectiveRule &rule : transform::directiveRules()) {
    text += fmt::format("  {}\n      {}\n", rule.usage(), rule.summary);
    for (const transform::SettingRule &setting : rule.settings)
      text += fmt::format("        {:<10} {}{}\n", setting.key, setting.help, settingDefault(setting));
  }
  return text;
}

std::optional<std::vector<transform::Directive>> readAll(const std::vector<std::string> &texts,
                                                         Session &session) {
  Diagnostics diagnostics;
  std::vector<transform::Directive> all;
  for (const std::string &text : texts) {
    std::vector<transform::Directive> some = transform::readDirectives(text, diagnostics);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (complain(diagnostics, session, ExitBadUsage))
    return std::nullopt;
  return all;
}

/// Follows the passes for --print-after and --time-passes.
class PassLog {
public:
  explicit PassLog(std::string printAfter) : printAfter(std::move(printAfter)) {}

  void add(const transform::Options::PassEvent &event) {
    auto [row, isNew] = times.try_emplace(std::string(event.name));
    if (isNew)
      order.push_back(row->first);
    ++row->second.count;
    row->second.seconds += event.seconds;
    const bool isAsked = printAfter == "all" ? event.name != "parse" : event.name == printAfter;
    if (isAsked)
      std::cerr << fmt::format("-- after {} --\n{}-- end --\n", event.name, event.text);
  }

  std::string table() const {
    std::string text = fmt::format("{:<24} {:>6} {:>10}\n", "pass", "runs", "seconds");
    for (const std::string &name : order)
      text += fmt::format("{:<24} {:>6} {:>10.4f}\n", name, times.at(name).count, times.at(name).seconds);
    return text;
  }

private:
  struct Times {
    unsigned count = 0;
    double seconds = 0;
  };
  std::string printAfter;
  std::map<std::string, Times> times;
  std::vector<std::string> order;
};

/// One file, or several that go to a folder; nothing, with a message, for any other combination.
bool chooseInputs(OptRequest &request, Session &session) {
  const auto isMissing = [](const std::string &file) { return !fs::exists(file); };
  if (const auto missing = std::ranges::find_if(request.files, isMissing);
      request.outputFolder.empty() && request.files.size() > 1 && missing != request.files.end()) {
    // Other verbs have --report FILE.
    if (request.isFormerReport && *missing == request.files.back())
      complain(session, "opt has no --report FILE: --report is the former name of --remarks",
               "analyze, check, profile, tune and verify write an HTML page", ExitBadUsage);
    else
      complain(session, fmt::format("there is no file '{}'", *missing),
               "arguments of the program that --verify runs follow --, as in --verify -- 5000", ExitBadUsage);
    return false;
  }
  if (request.outputFolder.empty() && request.files.size() > 1)
    complain(session, fmt::format("{} files need --output-dir DIR", request.files.size()),
             "it writes one output for each file", ExitBadUsage);
  else if (!request.outputFolder.empty() && (!request.output.empty() || request.inPlace))
    complain(session,
             fmt::format("--output-dir writes one output for each file, and {} names another place",
                         request.inPlace ? "--in-place" : "-o"),
             "leave one of them out", ExitBadUsage);
  else if (!request.kernel.empty() && request.directives.empty())
    complain(session, fmt::format("-k {} has no effect without -d", request.kernel),
             "the #pragma heddle lines of a file are always applied", ExitBadUsage);
  else if (request.outputFolder.empty())
    request.file = request.files.front();
  return session.exitCode == ExitDone;
}

/// Where the result goes; nothing, with a message, where that would overwrite the input unasked.
bool chooseOutput(OptRequest &request, Session &session) {
  std::error_code ignored;
  const bool isInput = !request.output.empty() && fs::equivalent(request.file, request.output, ignored);
  if (request.output.empty() && !request.inPlace)
    complain(session, "-o OUT.cu is required", "or --in-place, which overwrites the input", ExitBadUsage);
  else if (request.inPlace && !request.output.empty() && !isInput)
    complain(session, "--in-place overwrites the input, and -o names another file", "leave one of them out",
             ExitBadUsage);
  else if (isInput && !request.inPlace)
    complain(session, fmt::format("'{}' is the input", request.output), "--in-place overwrites it",
             ExitBadUsage);
  else if (request.inPlace && !request.dependencyFile.empty())
    complain(session, "--depfile is for an output of its own, and --in-place overwrites the input",
             "leave one of them out", ExitBadUsage);
  else if (request.output.empty())
    request.output = request.file;
  return session.exitCode == ExitDone;
}

/// The new text in a file of its own, until it may be put into its place.
struct Candidate {
  TemporaryFolder folder;
  fs::path file;
  build::ProgramOptions options; ///< how to compile it

  Candidate(const OptRequest &request, const std::string &text, const Session &session) {
    file = folder.path() / fs::path(request.output).filename();
    writeFileOrThrow(file, text);
    options.sources.flags = session.compilerArguments;
    options.sources.ownFlags = request.ownFlags;
    options.sources.ownFlags[file] = options.sources.ownFlags[request.file] = request.source.buildFlags();
    // The new file's #include "..." are meant from where the old one lies.
    options.sources.flags.push_back("-I" + fs::absolute(request.file).parent_path().string());
    options.arch = request.source.archName();
    options.timeoutSeconds = request.timeoutSeconds;
    options.colour = session.errorColour;
  }
};

/// 0 where the new text may be written, else the exit code.
int checkText(const OptRequest &request, const Candidate &candidate, const std::string &text,
              const transform::Outcome &outcome, const Session &session) {
  verify::EmittedFile emitted{request.file,
                              candidate.file,
                              request.output,
                              text,
                              outcome.untouchedKernels,
                              request.source.compileOptions(),
                              {}};
  emitted.build.sources = candidate.options.sources;
  emitted.build.arch = candidate.options.arch;
  emitted.build.compiler = candidate.options.compiler;
  return checkAndShow(emitted, request, session);
}

/// Runs the original and the candidate. With #line, the new text prints the __FILE__ and __LINE__ of the old one.
void verify(const OptRequest &request, const Candidate &candidate, const transform::Outcome &outcome,
            Session &session) {
  writeFileOrThrow(candidate.file, launcher::withLineDirectives(outcome.text, outcome.origins, request.file));
  Verification verification;
  verification.options = candidate.options;
  verification.options.sources.files.assign(request.further.begin(), request.further.end());
  verification.programs = {{{request.file}, {candidate.file}}};
  verification.retriesUnfused = true;
  verification.shownAs = {request.file, request.output};
  verifyPrograms(verification, session);
}

/// Everything that is checked before the new text is written.
void checkOutput(const OptRequest &request, const transform::Outcome &outcome, Session &session) {
  // Lines in messages are those of the file that is written.
  const std::string text =
      withRuntimeHeaders(outcome.text, request.runtime == "embed" ? transform::RuntimeHeaders::Embedded
                                                                  : transform::RuntimeHeaders::ByPath);
  Candidate candidate(request, text, session);
  Diagnostics diagnostics;
  if (!build::readChoices("sim", request.compiler, candidate.options, diagnostics)) {
    complain(diagnostics, session, ExitBadUsage);
    return;
  }
  session.exitCode = checkText(request, candidate, text, outcome, session);
  if (session.exitCode == ExitDone && request.verify)
    verify(request, candidate, outcome, session);
}

/// Writes the new text so that it compiles in its folder.
void writeResult(const OptRequest &request, const std::string &text, Session &session) {
  const Placement placement{request.file, request.output, runtimeHeadersNamed(request.runtime),
                            request.includes == "rewrite"};
  Diagnostics diagnostics;
  const std::optional<std::string> placed =
      placedText(text, placement, request.source.compileOptions(), diagnostics);
  printMessages(diagnostics, {}, request.remarks, session.errorColour);
  if (!placed)
    session.exitCode = ExitRefused;
  else if (writeHeadersBeside(text, placement, session))
    write(request.output, *placed, session);
}

/// The flags that a build system compiles the files of the program with.
bool readBuildFlags(OptRequest &request, Session &session) {
  Diagnostics diagnostics;
  for (const std::string &file : request.further)
    request.ownFlags[file] = request.source.buildFlagsOf(file, diagnostics).flags;
  return request.source.readBuildFlags(request.file) && !complain(diagnostics, session, ExitBadUsage);
}

/// A forgotten -d would look like a directive that did its work.
void warnOfNoDirective(const transform::Outcome &outcome, const std::string &file, Diagnostics &diagnostics) {
  if (outcome.kind == transform::Outcome::Kind::Done && !outcome.hasDirectives)
    diagnostics.warning({file},
                        "there is no #pragma heddle line and no -d: the output has the text of the input");
}

/// Transforms, checks and writes the only file.
void optFile(OptRequest &request, const std::vector<transform::Directive> &directives,
             const transform::Options &options, Diagnostics &diagnostics, const std::function<void()> &report,
             Session &session) {
  const transform::Outcome outcome =
      transform::applyDirectives(request.file, directives, options, diagnostics);
  warnOfNoDirective(outcome, request.file, diagnostics);
  report();
  std::cerr << outcome.compilerMessages << request.source.hintFor(outcome.compilerMessages);
  printMessages(diagnostics, outcome, request.remarks, session.errorColour);
  session.exitCode = exitCodeOf(outcome, diagnostics);
  if (session.exitCode == ExitDone)
    checkOutput(request, outcome, session);
  if (session.exitCode == ExitDone)
    writeResult(request, outcome.text, session);
  if (session.exitCode != ExitDone || request.dependencyFile.empty())
    return;
  if (const auto program = readProgram(request.file, request.source, session))
    writeDependencies(request, {request.output}, source::userFilesOf(*program), session);
}

/// What only --verify reads.
void warnOfIdleOptions(const OptRequest &request, const Session &session) {
  if (request.verify)
    return;
  Diagnostics diagnostics;
  const auto warn = [&](const char *what) {
    diagnostics.warning({}, fmt::format("{} no effect without --verify", what));
  };
  if (!request.further.empty())
    warn("--with has");
  if (request.timeoutSeconds > 0)
    warn("--timeout has");
  if (!session.programArguments.empty())
    warn("arguments after -- have");
  print(std::cerr, diagnostics, session.errorColour);
}

void opt(OptRequest &request, Session &session) {
  OptProgram program(request, session);
  const bool isProgram = !request.outputFolder.empty();
  if (!chooseInputs(request, session) || !canRead({request.further.begin(), request.further.end()}, session))
    return;
  if (isProgram ? !program.prepare() : !chooseOutput(request, session) || !readBuildFlags(request, session))
    return;
  transform::Options options;
  options.compile = request.source.compileOptions();
  options.kernel = request.kernel;
  if (!request.block.empty() && !(options.block = parseBlock(request.block)))
    return complain(session, fmt::format("'{}' is not a block", request.block),
                    "up to three numbers from 1 to 1024 with commas between them, as in --block 16,16",
                    ExitBadUsage);
  auto directives = readAll(request.directives, session);
  if (!directives || !canWrite(request.dependencyFile, session))
    return;
  if (!isProgram && (!canReadText(request.file, session) || !areNotPtx({request.file}, session) ||
                     !canWrite(request.output, session)))
    return;
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(request.source.archName(), diagnostics);
  if (complain(diagnostics, session, ExitBadUsage))
    return;
  options.arch = arch ? &*arch : nullptr;
  transform::assume(request.assumptions, options);
  transform::warnOfAssumptions(request.assumptions, request.files.front(), diagnostics);
  PassLog log(request.printAfter);
  options.afterPass = [&log](const transform::Options::PassEvent &event) { log.add(event); };

  warnOfIdleOptions(request, session);
  const auto report = [&] {
    if (request.timePasses)
      std::cerr << log.table();
  };
  if (isProgram)
    program.run(*directives, options, diagnostics, report);
  else
    optFile(request, *directives, options, diagnostics, report, session);
}

} // namespace

void printMessages(const Diagnostics &diagnostics, const transform::Outcome &outcome, bool remarks,
                   bool colour) {
  for (const Diagnostic &each : diagnostics.all())
    if (remarks || (each.severity != Severity::Done && each.severity != Severity::Kept))
      print(std::cerr, each, colour);
  if (!remarks)
    print(std::cerr, outcome.leftUnchanged, colour);
}

void writeDependencies(const OptRequest &request, const std::vector<std::string> &outputs,
                       const std::set<fs::path> &files, Session &session) {
  if (!request.dependencyFile.empty())
    write(request.dependencyFile, launcher::dependencyRule(outputs, files), session);
}

int exitCodeOf(const transform::Outcome &outcome, const Diagnostics &diagnostics) {
  switch (outcome.kind) {
  case transform::Outcome::Kind::Done: return ExitDone;
  case transform::Outcome::Kind::Refused:
    return diagnostics.has(Severity::Error) ? ExitBadUsage : ExitRefused;
  case transform::Outcome::Kind::Unusable: return outcome.isReadable ? ExitDoesNotCompile : ExitBadUsage;
  }
  return ExitRefused;
}

int checkAndShow(const verify::EmittedFile &emitted, const OptRequest &request, const Session &session) {
  const auto which = request.unchecked ? verify::CheckedKernels::None
                     : request.remarks ? verify::CheckedKernels::All
                                       : verify::CheckedKernels::Changed;
  const verify::EmittedCheck checkOutput = verify::checkEmitted(emitted, which);
  showEmitted(emitted, checkOutput, request.remarks, session.errorColour);
  switch (checkOutput.outcome) {
  case verify::Emitted::MayBeWritten: return ExitDone;
  case verify::Emitted::InputDoesNotCompile: return ExitDoesNotCompile;
  case verify::Emitted::DoesNotCompile:
  case verify::Emitted::FailsTheCheck: return ExitRefused;
  }
  return ExitRefused;
}

void addOpt(CLI::App &app, Session &session) {
  auto request = std::make_shared<OptRequest>();
  CLI::App *verb = app.add_subcommand("opt", aboutOpt + directivesText());
  verb->add_option("FILE", request->files, "the .cu file; with --output-dir, all files of a program")
      ->required();
  session.operands["opt"] = {
      "FILE... -o OUT|--output-dir DIR [-d DIRECTIVE]... [COMPILER-OPTION...] [-- ARGUMENT...]", cudaFiles()};
  verb->add_option("-o,--output", request->output, "the file to write")->type_name("FILE");
  verb->add_option("--output-dir", request->outputFolder,
                   "the folder to write to: transforms all FILEs as one program, and writes an output for "
                   "each of them and for "
                   "each header that changes, in the same relative layout")
      ->type_name("DIR");
  verb->add_flag("--in-place", request->inPlace, "overwrite FILE with the result");
  verb->add_option(
          "--depfile", request->dependencyFile,
          "also write a rule for make, Ninja and CMake: the outputs depend on each FILE and on the headers "
          "that it includes, without those of the system")
      ->type_name("FILE");
  verb->add_option("-d,--directive", request->directives,
                   "a directive, as in \"coarsen x=2\"; several are applied in the order given, after the "
                   "#pragma heddle lines of the file")
      ->type_name("DIRECTIVE")
      ->allow_extra_args(false);
  addKernelOption(*verb, request->kernel,
                  "the kernel that -d applies to; of a template, all instantiations (default: all)");
  verb->add_option("--block", request->block,
                   "the block size, if the launches in the file do not give it (default: from the launches)")
      ->type_name("X[,Y[,Z]]");
  verb->add_option("--assume", request->assumptions,
                   "assumptions: whole-program (no other file launches the kernels of this one), no-overlap "
                   "(different pointers of a kernel point to disjoint memory)")
      ->check(CLI::IsMember(transform::namesOfAssumptions()))
      ->allow_extra_args(false);
  verb->add_option(
          "--runtime", request->runtime,
          "headers of Heddle that the output includes: embed (their text is part of it), copy (they are "
          "written to the folder 'heddle' beside it), or path (compilers need -I; --remarks prints it)")
      ->check(CLI::IsMember({"embed", "copy", "path"}))
      ->capture_default_str();
  verb->add_option(
          "--includes", request->includes,
          "#include \"...\" of an output in another folder: rewrite (they find the same files), or keep "
          "(compilers need -I; --remarks prints it)")
      ->check(CLI::IsMember({"rewrite", "keep"}))
      ->capture_default_str();
  verb->add_flag("--verify", request->verify,
                 "run both on the simulator and compare what is copied to the host, bit for bit; where they "
                 "differ, again "
                 "without fused multiply-adds");
  verb->add_option("--with", request->further,
                   "for --verify: another file of the program, which is not changed; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb->add_flag("--no-check", request->unchecked, "omit the static check of the output");
  verb->add_flag("--remarks", request->remarks,
                 "print on stderr what each directive did and why, and all verdicts of the static check");
  verb->add_flag_callback(
          "--report", [request] { request->remarks = request->isFormerReport = true; },
          "the former name of --remarks")
      ->group("");
  std::vector<std::string> passes = transform::passNames();
  passes.push_back("all");
  verb->add_option("--print-after", request->printAfter,
                   "print the file on stderr after this pass or normalization; all: after each")
      ->type_name("PASS")
      ->check(CLI::IsMember(passes));
  verb->add_flag("--time-passes", request->timePasses, "print on stderr the runs and time of each pass");
  verb->add_option(
          "--compiler", request->compiler,
          "nvcc, clang or auto: for --verify nvcc if there is one, for the check Clang if it compiles "
          "the file")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  addTimeoutOption(
      *verb, request->timeoutSeconds,
      "for --verify: time after which a kernel is stopped: 30, 30s, 5m or 1h (default: no limit)");
  request->source.addTo(*verb, session);
  verb->callback([request, &session] { opt(*request, session); });
}

} // namespace heddle::cli
