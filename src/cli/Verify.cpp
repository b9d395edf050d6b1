// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle verify: do two programs copy the same results to the host?
//
// Both are run once. Where they agree, that is the answer for this input. Where they do not, the original is
// run a second time: a program that differs from itself is not deterministic, and a difference from it says
// nothing; numbers that it prints differently each time do not count. Then the other program is run a second
// time, since one that differs from itself while the original does not is likely to have a race.
#include "InputOutput.h"
#include "ProgramWords.h"
#include "Verbs.h"
#include "Verification.h"
#include "VerifyPage.h"
#include "VerifyText.h"
#include "counts/Facts.h"
#include "support/Demangle.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/KernelText.h"
#include "verify/Fusion.h"
#include "verify/PerturbedInputs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fcntl.h>
#include <future>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const aboutVerify =
    R"(Run two CUDA programs on the same input and compare what they compute

Every device-to-host copy is compared, in order, as well as stdout and the exit code. That is evidence for this input;
--inputs tries more.

Examples:
  heddle verify saxpy.cu saxpy.opt.cu
  heddle verify a.cu b.cu common.cpp -DN=64 --tol ulp=4 -- --size 100     further files belong to both
  heddle verify main.cu,kernel.cu main.cu,kernel.opt.cu                   programs of several files
  heddle verify a.cu b.cu --inputs 10 -- 4096            also with 4095, 4097, 2048, ...: numbers among the arguments
  heddle verify a.cu b.cu --tol rel=1e-6,abs=1e-12 --ignore-stdout
  heddle verify a.cu b.cu --report same.html             also an HTML page: each copy, the first difference, the changes, rooflines
  heddle verify a.cu gpu.copies         a recording (heddle run --record, or the interposer) in place of a program

Numbers of stdout that are times or rates (12.3 ms, 80 GB/s) are ignored, as are numbers that differ between two runs of
the first program; the output lists them. A number in ms, m/s and similar units that another run of each program prints again is
a result, and compared. A first program that differs from itself in anything else is reported as not deterministic.

Exit code 0: same results; 1: different results, not deterministic, or nothing is verified: the simulator stopped a program, both
fail before they copy anything to the host, or there is no GPU for --device gpu; 2: bad usage, or no such file; 3: one of the
programs does not compile; 4: a file cannot be read or written.
)";

/// Inputs that the original fails on are skipped; so many are tried for one that is wanted.
constexpr size_t TriedPerInput = 4;

struct VerifyRequest : Verification {
  ProgramWords words;
  std::string toleranceText;
};

/// One of the two programs; or the recording of a run somewhere else.
struct Side {
  fs::path shownAs, recording;
  std::unique_ptr<build::Program> program; ///< none for a recording
  Diagnostics diagnostics;
};

/// What one run left behind.
struct VerifiedRun {
  fs::path log, counters;    ///< no counters: they were not wanted
  build::ProgramRun program; ///< nothing for a recording

  bool failed() const { return program.execution.exitCode != 0 || program.summary.failed; }
};

/// What a program writes to stderr is not shown while this lives: an input that the original cannot do with
/// would fill the terminal with its complaints.
class QuietStandardError {
public:
  QuietStandardError() : before(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    if (int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
      dup2(nowhere, STDERR_FILENO);
      close(nowhere);
    }
  }
  ~QuietStandardError() {
    dup2(before, STDERR_FILENO);
    close(before);
  }
  QuietStandardError(const QuietStandardError &) = delete;
  QuietStandardError &operator=(const QuietStandardError &) = delete;

private:
  int before;
};

/// Two programs that are built, and everything that is done with them.
class Comparison {
public:
  Comparison(const Verification &given, const std::vector<std::string> &flags,
             std::shared_ptr<RepeatedInput> input)
      : given(given) {
    options = given.options;
    options.input = std::move(input);
    options.sources.flags.insert(options.sources.flags.end(), flags.begin(), flags.end());
    auto second = std::async(std::launch::async, [&] { build(1); });
    build(0);
    second.get();
  }

  /// Prints what compilers said. The exit code, 0 where both can be run.
  int report(bool colour) const {
    int exitCode = ExitDone;
    for (const Side &side : sides)
      if (side.program) {
        std::cerr << side.program->messages();
        print(std::cerr, side.diagnostics, colour);
        if (!side.program->ok())
          exitCode = side.program->compiled() ? ExitRefused : ExitDoesNotCompile;
      }
    return exitCode;
  }

  Verdict compare(const std::vector<std::string> &arguments) const {
    const bool isCounted = !given.page.empty() && options.device == build::Device::Simulator;
    const VerifiedRun a = runOnce(0, arguments, isCounted), b = runOnce(1, arguments, isCounted);
    Verdict verdict = compare(a, b, arguments);
    verdict.launches = {launchesOf(a), launchesOf(b)};
    return verdict;
  }

  OtherInputs tryOthers(const std::vector<std::string> &arguments) const {
    OtherInputs others{given.inputs, {}, {}, {}};
    for (const auto &input : verify::perturbedInputs(arguments, given.seed, given.inputs * TriedPerInput)) {
      if (others.agreed.size() == given.inputs || others.different)
        break;
      QuietStandardError quiet;
      const VerifiedRun a = runOnce(0, input);
      if (a.failed()) {
        others.skipped.push_back({input, a.program.summary.failed
                                             ? std::string("is stopped")
                                             : fmt::format("exits with {}", a.program.execution.exitCode)});
        continue;
      }
      Verdict verdict = compare(a, runOnce(1, input), input);
      if (!verdict.originalIsDeterministic())
        others.skipped.push_back({input, "is not deterministic"});
      else if (verdict.isVerified())
        others.agreed.push_back(input);
      else
        others.different = std::move(verdict);
    }
    return others;
  }

  std::array<std::string, 2> names() const { return {sides[0].shownAs.string(), sides[1].shownAs.string()}; }
  bool bothRun() const { return sides[0].program && sides[1].program; }
  /// "nvcc" or "clang".
  std::string compiler() const {
    for (const Side &side : sides)
      if (side.program)
        return side.program->compiler();
    return {};
  }

private:
  void build(size_t which) {
    Side &side = sides[which];
    const std::vector<fs::path> &own = given.programs[which];
    side.shownAs = given.shownAs[which].empty() ? own.front() : given.shownAs[which];
    if (own.size() == 1 && verify::isRecording(own.front())) {
      side.recording = own.front();
      return;
    }
    build::ProgramOptions mine = options;
    // A usage text or a banner with argv[0] is no difference.
    mine.startedAs = logs.path() / "program";
    mine.sources.files = own;
    mine.sources.files.insert(mine.sources.files.end(), options.sources.files.begin(),
                              options.sources.files.end());
    side.program = std::make_unique<build::Program>(mine, side.diagnostics);
  }

  static std::vector<counts::LaunchFacts> launchesOf(const VerifiedRun &run) {
    counts::ProgramCounters counters;
    return !run.counters.empty() && counts::readCounters(run.counters, counters)
               ? counters.launches
               : std::vector<counts::LaunchFacts>();
  }

  VerifiedRun runOnce(size_t which, const std::vector<std::string> &arguments, bool isCounted = false) const {
    const Side &side = sides[which];
    VerifiedRun run;
    if (!side.program) {
      run.log = side.recording;
      return run;
    }
    run.log = logs.path() / fmt::format("copies.{}", runs++);
    std::vector<std::string> environment = {"HEDDLE_LOG=" + run.log.string()};
    if (isCounted) {
      run.counters = run.log.string() + ".counters";
      environment.push_back("HEDDLE_COUNTERS=" + run.counters.string());
    }
    run.program = side.program->run(arguments, environment, build::Output::Captured);
    // A log that is cut short would agree with another one that is.
    if (int code = run.program.summary.recordError)
      throw FileError({run.log, FileFailure::Doing::Write, code});
    return run;
  }

  Verdict compare(const VerifiedRun &a, const VerifiedRun &b,
                  const std::vector<std::string> &arguments) const {
    Verdict verdict;
    verdict.arguments = arguments;
    verdict.copy = verify::compareLogs(a.log.string(), b.log.string(), given.tolerance, verdict.copies);
    if (verdict.copy)
      nameParameter(*verdict.copy);
    if (!given.page.empty())
      verdict.each = verify::compareEachCopy(a.log.string(), b.log.string(), given.tolerance);
    for (verify::CopyResult &each : verdict.each)
      nameParameter(each.comparison);
    verdict.copiesOnly = given.ignoreStdout || !bothRun();
    verdict.failed = a.program.summary.failed || b.program.summary.failed;
    verdict.addressesVary = !a.program.summary.fixedAddresses || !b.program.summary.fixedAddresses;
    if (bothRun())
      verdict.exitCodes = {a.program.execution.exitCode, b.program.execution.exitCode};
    Repeats repeats;
    compareOutput(a, b, repeats, verdict);
    for (size_t which : {0, 1})
      if (verdict.same() && !verdict.failed && mayHideResults(verdict.ignored)) {
        repeated(which, arguments, repeats);
        compareOutput(a, b, repeats, verdict);
      }
    if (!verdict.same() && !verdict.failed)
      explain(a, b, arguments, repeats, verdict);
    return verdict;
  }

  /// A number in ms may be the time that a kernel took, or a result of the program. If each program prints the same one again, it is a result.
  static bool mayHideResults(const std::vector<verify::IgnoredNumber> &ignored) {
    return !std::ranges::all_of(ignored, &verify::IgnoredNumber::isExplained);
  }

  /// Another run of each program, where it was necessary.
  using Repeats = std::array<std::optional<VerifiedRun>, 2>;

  /// Null for a recording, which cannot be run.
  const VerifiedRun *repeated(size_t which, const std::vector<std::string> &arguments,
                              Repeats &repeats) const {
    if (!sides[which].program)
      return nullptr;
    if (!repeats[which])
      repeats[which] = runOnce(which, arguments);
    return &*repeats[which];
  }

  void compareOutput(const VerifiedRun &a, const VerifiedRun &b, const Repeats &repeats,
                     Verdict &verdict) const {
    if (verdict.copiesOnly)
      return;
    auto printed = [](const std::optional<VerifiedRun> &run) {
      return run ? std::optional<std::string_view>(run->program.execution.standardOutput) : std::nullopt;
    };
    verify::OutputComparison output =
        verify::compareOutput(a.program.execution.standardOutput, b.program.execution.standardOutput,
                              given.tolerance, {printed(repeats[0]), printed(repeats[1])});
    verdict.line = std::move(output.difference);
    verdict.ignored = std::move(output.ignored);
  }

  /// Runs each program once more: what differs between runs of one program is no difference between the two.
  void explain(const VerifiedRun &a, const VerifiedRun &b, const std::vector<std::string> &arguments,
               Repeats &repeats, Verdict &verdict) const {
    if (const VerifiedRun *again = repeated(0, arguments, repeats)) {
      compareOutput(a, b, repeats, verdict);
      Verdict::Self self = compareWithItself(0, a, *again);
      // A difference that comes before the first copy in which the runs of the original differ is one.
      const bool comesBefore = verdict.copy && self.copy && verdict.copy->copy < self.copy->copy;
      if (self.differs() && !verdict.same() && !comesBefore) {
        verdict.self = std::move(self);
        return;
      }
    }
    if (verdict.same())
      return;
    if (const VerifiedRun *again = repeated(1, arguments, repeats))
      if (Verdict::Self self = compareWithItself(1, b, *again); self.differs())
        verdict.self = std::move(self);
    findWriters(arguments, verdict);
  }

  Verdict::Self compareWithItself(size_t which, const VerifiedRun &once, const VerifiedRun &again) const {
    Verdict::Self self;
    self.program = which;
    uint64_t copies = 0;
    self.copy = verify::compareLogs(once.log.string(), again.log.string(), given.tolerance, copies);
    if (self.copy)
      nameParameter(*self.copy);
    if (!given.ignoreStdout)
      self.line = verify::differenceInWords(once.program.execution.standardOutput,
                                            again.program.execution.standardOutput);
    self.exitCodes = {once.program.execution.exitCode, again.program.execution.exitCode};
    return self;
  }

  /// The name is in the source of the program whose record is shown.
  void nameParameter(verify::CopyDifference &difference) const {
    const bool isFirst = difference.a.allocation != 0;
    const trace::CopyRecord &record = isFirst ? difference.a : difference.b;
    if (!record.kernelLaunch || record.kernelParameter < 0)
      return;
    std::vector<fs::path> files = given.programs[isFirst ? 0 : 1];
    files.insert(files.end(), options.sources.files.begin(), options.sources.files.end());
    for (const fs::path &file : files) {
      if (verify::isRecording(file))
        continue;
      const std::vector<std::string> names =
          parameterNamesIn(contentsOf(file), plainName(functionName(record.kernel)), std::nullopt);
      if (size_t(record.kernelParameter) < names.size())
        difference.parameter = names[size_t(record.kernelParameter)];
    }
  }

  /// Runs the programs once more and asks who last wrote the element that differs.
  void findWriters(const std::vector<std::string> &arguments, Verdict &verdict) const {
    // A 2-D copy's rows lie apart on the device: only a plain copy determines where an element is.
    if (given.options.device != build::Device::Simulator || !verdict.copy ||
        verdict.copy->a.rowBytes < verdict.copy->elements * verify::bytesOf(verdict.copy->element))
      return;
    verdict.watchedA = mayFindWriter(sides[0], verdict.copy->a, *verdict.copy);
    verdict.watchedB = mayFindWriter(sides[1], verdict.copy->b, *verdict.copy);
    if (verdict.watchedA)
      verdict.writeA = findWriter(sides[0], verdict.copy->a, *verdict.copy, arguments);
    if (verdict.watchedB)
      verdict.writeB = findWriter(sides[1], verdict.copy->b, *verdict.copy, arguments);
  }

  static bool mayFindWriter(const Side &side, const trace::CopyRecord &record,
                            const verify::CopyDifference &difference) {
    return side.program && record.allocation && difference.differing;
  }
  static build::Summary::LastWrite findWriter(const Side &side, const trace::CopyRecord &record,
                                              const verify::CopyDifference &difference,
                                              const std::vector<std::string> &arguments) {
    size_t bytes = verify::bytesOf(difference.element);
    std::string watch = fmt::format("HEDDLE_WATCH={}:{}:{}:{}", record.allocation,
                                    record.offset + difference.index * bytes, bytes, record.launches);
    return side.program->run(arguments, {watch}, build::Output::Captured).summary.lastWrite;
  }

  const Verification &given;
  build::ProgramOptions options;
  TemporaryFolder logs;
  mutable size_t runs = 0;
  std::array<Side, 2> sides;
};

void printVerdict(const Verification &given, const Comparison &programs, const Verdict &verdict,
                  const OtherInputs &others) {
  if (given.json) {
    nlohmann::ordered_json json = verdictJson(verdict);
    if (given.inputs)
      json["inputs"] = inputsJson(others);
    std::cout << jsonText(json);
  } else {
    std::cout << verdictText(verdict, programs.names());
    if (given.inputs && verdict.isVerified())
      std::cout << inputsText(others, programs.names());
  }
  // Two programs that fail alike verify nothing.
  if (verdict.failed)
    std::cerr << "heddle: the simulator had to stop a program, so nothing is verified\n";
}

/// Builds both, runs them, prints; the exit code. `compiler` gets the one that was used.
int verifyOnce(const Verification &given, const std::vector<std::string> &flags,
               const std::shared_ptr<RepeatedInput> &input, Session &session, bool &mayBeFusion,
               std::string &compiler) {
  const Comparison programs(given, flags, input);
  compiler = programs.compiler();
  if (int exitCode = programs.report(session.errorColour))
    return exitCode;
  const Verdict verdict = programs.compare(session.programArguments);
  OtherInputs others{given.inputs, {}, {}, {}};
  if (given.inputs && verdict.isVerified())
    others = programs.tryOthers(session.programArguments);
  printVerdict(given, programs, verdict, others);
  if (!given.page.empty())
    write(given.page, verifyPage(given, programs.names(), verdict, others), session);
  // A program's own comparison may fail for a rounding; that it was aborted has another cause.
  const bool isAborted = std::ranges::any_of(verdict.exitCodes, [](int code) { return code >= 128; });
  mayBeFusion = !verdict.failed && !isAborted && !verdict.failsAlike() && verdict.originalIsDeterministic();
  return verdict.isVerified() && !others.different ? ExitDone : ExitRefused;
}

/// "a.cu,b.cu" are two files of one program, unless a file has that name.
std::vector<fs::path> filesOf(const fs::path &word) {
  std::error_code ignored;
  if (fs::exists(word, ignored))
    return {word};
  std::vector<fs::path> files;
  const std::string text = word.string();
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin)
      files.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

void readPrograms(VerifyRequest &given) {
  std::vector<fs::path> &files = given.options.sources.files;
  given.programs = {filesOf(files[0]), filesOf(files[1])};
  files.erase(files.begin(), files.begin() + 2);
}

/// Two recordings are compared without running anything.
bool areRecordings(const VerifyRequest &given) {
  return std::ranges::all_of(given.programs, [](const std::vector<fs::path> &files) {
    return files.size() == 1 && verify::isRecording(files.front());
  });
}

bool programsCanBeRead(const VerifyRequest &given, Session &session) {
  bool all = canRead(given.options.sources.files, session);
  for (const std::vector<fs::path> &files : given.programs)
    all &= canRead(files, session);
  return all;
}

} // namespace

void verifyPrograms(const Verification &given, Session &session) {
  const bool asksForMore = given.inputs > 0;
  if (asksForMore && verify::perturbedInputs(session.programArguments, given.seed, 1).empty())
    return complain(session, "--inputs: there is no number among the program's arguments",
                    "arguments follow --, as in heddle verify a.cu b.cu --inputs 5 -- 4096", ExitBadUsage);
  bool mayBeFusion = false;
  std::string compiler;
  const auto input = std::make_shared<RepeatedInput>();
  session.exitCode = verifyOnce(given, {}, input, session, mayBeFusion, compiler);
  if (session.exitCode != ExitRefused || !given.retriesUnfused || !mayBeFusion)
    return;
  const std::vector<std::string> flags = verify::unfusedFlags(compiler);
  std::cerr << "heddle: once more with " << flags.front()
            << ", so that no multiplication is fused with an addition in one of them alone\n";
  session.exitCode = verifyOnce(given, flags, input, session, mayBeFusion, compiler);
}

void addVerify(CLI::App &app, Session &session) {
  auto given = std::make_shared<VerifyRequest>();
  CLI::App *verb = app.add_subcommand("verify", aboutVerify);
  session.operands["verify"].usage = "PROGRAM PROGRAM [FILE...] [COMPILER-OPTION...] [-- ARGUMENT...]";
  verb->add_option(
          "--tol", given->toleranceText,
          "tolerance for floating-point elements and numbers on stdout with a point or an exponent: ulp=N, "
          "rel=X or abs=X, or several with commas, one of which suffices (default: bit for bit); copies of "
          "structs, void * and buffers of extern \"C\" kernels, whose type is not known, are compared bit "
          "for bit")
      ->type_name("TOLERANCE");
  verb->add_flag("--ignore-stdout", given->ignoreStdout, "compare device-to-host copies and exit codes only");
  verb->add_option("--inputs", given->inputs,
                   "also compare on this many other inputs: the program's arguments with other numbers "
                   "(default: none)")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--seed", given->seed, "seed of the random ones among these numbers");
  verb->add_option("--report", given->page, "also write a self-contained HTML page")->type_name("FILE");
  verb->add_flag("--json", given->json, "print the same facts as JSON");
  addProgramOptions(*verb, given->options, given->words, session);
  addDeviceOptions(*verb, given->options, given->words);
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    std::optional<verify::Tolerance> tolerance =
        given->toleranceText.empty() ? verify::Tolerance() : verify::readTolerance(given->toleranceText);
    if (!tolerance)
      diagnostics.error({}, fmt::format("invalid value '{}' for --tol", given->toleranceText))
          .withHint("ulp=4, rel=1e-6 or abs=1e-9");
    if (given->options.sources.files.size() < 2)
      diagnostics.error({}, "two programs are needed").withHint("heddle verify A.cu B.cu");
    if (complain(diagnostics, session, ExitBadUsage))
      return;
    readPrograms(*given);
    addBuildFlags(*verb, given->words, given->options.sources.files, {}, given->options, diagnostics);
    for (const std::vector<fs::path> &files : given->programs)
      addBuildFlags(*verb, given->words, files, given->programs[0].front(), given->options, diagnostics);
    if (complain(diagnostics, session, ExitBadUsage))
      return;
    if (!programsCanBeRead(*given, session) || !canWrite(given->page, session) ||
        (!areRecordings(*given) && !hasDevice(given->options, session)))
      return;
    given->tolerance = *tolerance;
    verifyPrograms(*given, session);
  });
}

} // namespace heddle::cli
