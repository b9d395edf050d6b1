// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle verify: do two programs bring the same results back from the device?
#include "ProgramWords.h"
#include "Verbs.h"
#include "Verification.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <future>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const char *const about =
    R"(Do two CUDA programs compute the same? Both are run, and what every copy from device
to host brought back is compared, in order, as well as stdout and the exit code.

Examples:
  heddle verify saxpy.cu saxpy.opt.cu
  heddle verify a.cu b.cu common.cpp -DN=64 --tol ulp=4 -- --size 100     further files belong to both
  heddle verify a.cu b.cu --tol rel=1e-6,abs=1e-12 --ignore-stdout
  heddle verify a.cu gpu.copies         a recording (heddle run --record, or the interposer) stands for a program

Exit code 0: the same; 1: not the same, with the first difference; 3: one of them does not compile.
)";

struct Given : Verification {
  ProgramWords words;
  std::string toleranceText;
};

/// One of the two programs with what its run left behind; or the recording of a run somewhere else.
struct Side {
  fs::path file;
  std::unique_ptr<build::Program> program; ///< none for a recording
  Diagnostics diagnostics;
  fs::path log;
  build::ProgramRun run;
};

/// Everything the answer is made of.
struct Verdict {
  uint64_t copies = 0;
  bool copiesOnly = false; ///< a recording has no stdout and no exit code, or nobody asked
  std::optional<build::CopyDifference> copy;
  std::optional<build::LineDifference> line;
  bool exitCodesDiffer = false;
  build::Summary::LastWrite writeA, writeB;

  bool same() const { return !copy && !line && !exitCodesDiffer; }
};

build::ProgramOptions optionsFor(const Verification &given, size_t which) {
  build::ProgramOptions options = given.options;
  std::vector<fs::path> files = {options.sources.files[which]};
  files.insert(files.end(), options.sources.files.begin() + 2, options.sources.files.end());
  options.sources.files = files;
  return options;
}

void buildBoth(const Verification &given, Side (&sides)[2]) {
  auto buildOne = [&](size_t i) {
    sides[i].file = given.shownAs[i].empty() ? given.options.sources.files[i] : given.shownAs[i];
    if (!build::isRecording(given.options.sources.files[i]))
      sides[i].program = std::make_unique<build::Program>(optionsFor(given, i), sides[i].diagnostics);
  };
  auto second = std::async(std::launch::async, [&] { buildOne(1); });
  buildOne(0);
  second.get();
}

/// Runs the program once more and asks who last wrote the element that came out wrong.
build::Summary::LastWrite findWriter(const Side &side, const cudart::CopyRecord &record,
                                     const build::CopyDifference &difference,
                                     const std::vector<std::string> &arguments) {
  if (!side.program || !record.allocation || !difference.differing)
    return {};
  size_t bytes = build::bytesOf(difference.element);
  std::string watch = fmt::format("HEDDLE_WATCH={}:{}:{}", record.allocation,
                                  record.offset + difference.index * bytes, bytes);
  return side.program->run(arguments, {watch}, build::Output::Captured).summary.lastWrite;
}

Verdict compare(const Verification &given, Side (&sides)[2], const std::vector<std::string> &arguments) {
  const build::Tolerance &tolerance = given.tolerance;
  TemporaryFolder logs;
  for (size_t i = 0; i < 2; ++i) {
    sides[i].log =
        sides[i].program ? logs.path() / fmt::format("copies.{}", i) : given.options.sources.files[i];
    if (sides[i].program)
      sides[i].run =
          sides[i].program->run(arguments, {"HEDDLE_LOG=" + sides[i].log.string()}, build::Output::Captured);
  }
  Verdict verdict;
  verdict.copy = build::compareLogs(sides[0].log.string(), sides[1].log.string(), tolerance, verdict.copies);
  bool bothRan = sides[0].program && sides[1].program;
  verdict.copiesOnly = given.ignoreStdout || !bothRan;
  if (!verdict.copiesOnly)
    verdict.line =
        build::compareText(sides[0].run.execution.output, sides[1].run.execution.output, tolerance);
  verdict.exitCodesDiffer = bothRan && sides[0].run.execution.exitCode != sides[1].run.execution.exitCode;
  // A 2-D copy's rows lie apart on the device: only a plain copy tells where an element is.
  bool onMachine = given.options.device == build::Device::Machine;
  bool plain = verdict.copy &&
               verdict.copy->a.rowBytes >= verdict.copy->elements * build::bytesOf(verdict.copy->element);
  if (onMachine && plain) {
    verdict.writeA = findWriter(sides[0], verdict.copy->a, *verdict.copy, arguments);
    verdict.writeB = findWriter(sides[1], verdict.copy->b, *verdict.copy, arguments);
  }
  return verdict;
}

std::string bufferText(const cudart::CopyRecord &record) {
  if (!record.allocation)
    return "unknown memory";
  std::string text = fmt::format("allocation {} of {} bytes", record.allocation, record.allocationBytes);
  if (record.kernelLaunch)
    text += fmt::format(", parameter {} of {}", record.kernelParameter, build::readableName(record.kernel));
  else if (!record.kernel.empty())
    text += fmt::format(", variable '{}'", record.kernel);
  return text;
}

std::string writerText(const build::Summary::LastWrite &write) {
  return fmt::format("kernel {}, launch {}, block ({},{},{}) thread {}", build::readableName(write.kernel),
                     write.launch, write.block[0], write.block[1], write.block[2], write.thread);
}

std::string copyText(const Verdict &verdict, const Side (&sides)[2]) {
  const build::CopyDifference &d = *verdict.copy;
  std::string a = sides[0].file.string(), b = sides[1].file.string();
  std::string text = fmt::format("{} and {} differ at device-to-host copy {}\n", a, b, d.copy);
  text += fmt::format("  buffer      {}\n", bufferText(d.a.allocation ? d.a : d.b));
  if (!d.what.empty())
    return text + fmt::format("  difference  {}\n", d.what);
  text += fmt::format("  element     [{}] ({}): {} in {}, {} in {}\n", d.index, build::nameOf(d.element),
                      d.valueA, a, d.valueB, b);
  text += fmt::format("  bits        {} and {}\n", d.bitsA, d.bitsB);
  text += fmt::format("  differing   {} of {} elements of this copy\n", d.differing, d.elements);
  if (verdict.writeA.launch)
    text += fmt::format("  written by  {} in {}\n", writerText(verdict.writeA), a);
  if (verdict.writeB.launch)
    text += fmt::format("  written by  {} in {}\n", writerText(verdict.writeB), b);
  if (!verdict.writeA.launch && !verdict.writeB.launch && d.a.kernelLaunch)
    text += fmt::format("  last given  to kernel {}, launch {}\n", build::readableName(d.a.kernel),
                        d.a.kernelLaunch);
  return text;
}

std::string text(const Verdict &verdict, const Side (&sides)[2]) {
  if (verdict.same()) {
    bool one = verdict.copies == 1;
    return fmt::format("same: {} device-to-host cop{} {}\n", verdict.copies, one ? "y" : "ies",
                       !verdict.copiesOnly ? "and stdout agree"
                       : one               ? "agrees"
                                           : "agree");
  }
  std::string out;
  if (verdict.copy)
    out += copyText(verdict, sides);
  if (verdict.line)
    out += fmt::format("stdout differs at line {}\n  {}: {}\n  {}: {}\n", verdict.line->line,
                       sides[0].file.string(), verdict.line->a, sides[1].file.string(), verdict.line->b);
  if (verdict.exitCodesDiffer)
    out += fmt::format("exit codes differ: {} and {}\n", sides[0].run.execution.exitCode,
                       sides[1].run.execution.exitCode);
  return out;
}

Json json(const Verdict &verdict) {
  Json out = {{"schema", "heddle.verify/1"}, {"same", verdict.same()}, {"copies", verdict.copies}};
  if (verdict.copy) {
    const build::CopyDifference &d = *verdict.copy;
    out["copy"] = {{"number", d.copy},
                   {"kernel", d.a.kernel},
                   {"launch", d.a.kernelLaunch},
                   {"parameter", d.a.kernelParameter},
                   {"allocation", d.a.allocation},
                   {"what", d.what},
                   {"element", build::nameOf(d.element)},
                   {"index", d.index},
                   {"values", {d.valueA, d.valueB}},
                   {"bits", {d.bitsA, d.bitsB}},
                   {"differing", d.differing},
                   {"elements", d.elements},
                   {"writers", {verdict.writeA.kernel, verdict.writeB.kernel}}};
  }
  if (verdict.line)
    out["stdout"] = {{"line", verdict.line->line}, {"texts", {verdict.line->a, verdict.line->b}}};
  if (verdict.exitCodesDiffer)
    out["exitCodesDiffer"] = true;
  return out;
}

} // namespace

void verifyPrograms(const Verification &given, Session &session) {
  Side sides[2];
  buildBoth(given, sides);
  for (Side &side : sides) {
    if (!side.program)
      continue;
    std::cerr << side.program->messages();
    print(std::cerr, side.diagnostics, session.colour);
    if (!side.program->ok())
      session.exitCode = side.program->compiled() ? 1 : 3;
  }
  if (session.exitCode)
    return;
  Verdict verdict = compare(given, sides, session.programArguments);
  std::cout << (given.json ? json(verdict).dump(2) + "\n" : text(verdict, sides));
  // Two programs that fail alike prove nothing.
  bool failed = sides[0].run.summary.failed || sides[1].run.summary.failed;
  if (failed)
    std::cerr << "heddle: the machine had to stop a program, so nothing is verified\n";
  session.exitCode = verdict.same() && !failed ? 0 : 1;
}

void addVerify(CLI::App &app, Session &session) {
  auto given = std::make_shared<Given>();
  CLI::App *verb = app.add_subcommand("verify", about);
  verb->add_option("--tol", given->toleranceText,
                   "ulp=N, rel=X or abs=X, or several with commas: one suffices");
  verb->add_flag("--ignore-stdout", given->ignoreStdout, "compare what came back from the device only");
  verb->add_flag("--json", given->json, "the same facts as JSON");
  addProgramOptions(*verb, given->options, given->words, session);
  addDeviceOptions(*verb, given->options, given->words);
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    std::optional<build::Tolerance> tolerance =
        given->toleranceText.empty() ? build::Tolerance() : build::readTolerance(given->toleranceText);
    if (!tolerance)
      diagnostics.error({}, fmt::format("'{}' is no tolerance", given->toleranceText))
          .withHint("ulp=4, rel=1e-6 or abs=1e-9");
    if (given->options.sources.files.size() < 2)
      diagnostics.error({}, "two programs are needed").withHint("heddle verify A.cu B.cu");
    if (complain(diagnostics, session, 2))
      return;
    given->tolerance = *tolerance;
    verifyPrograms(*given, session);
  });
}

} // namespace heddle::cli
