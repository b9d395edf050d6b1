// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle profile: builds a CUDA program, runs it on the simulator or on a GPU, and reports what divergence costs its kernels.
#include "GpuProfile.h"
#include "InputOutput.h"
#include "KernelOption.h"
#include "ProgramWords.h"
#include "ShortLocation.h"
#include "Verbs.h"
#include "arch/Arch.h"
#include "build/Program.h"
#include "counts/Facts.h"
#include "divergence/Summary.h"
#include "report/ProfileHtml.h"
#include "report/ProfileReport.h"
#include "support/ExitCode.h"
#include "support/KernelPattern.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "support/Text.h"
#include "verify/Compare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using namespace divergence;

const char *const aboutProfile =
    R"(Run a CUDA program and report what divergence costs its kernels, branch by branch

Examples:
  heddle profile fractal.cu
  heddle profile main.cu kernels.cu -Iinclude -DN=1024 -- --size 64     flags go to the compiler, the rest after --
  heddle profile fractal.cu -k escape --arch gtx480      one kernel, with the latencies of another GPU
  heddle profile fractal.cu --bbv vectors.tsv            also: how often each thread executed each basic block
  heddle profile fractal.cu --accesses accesses.tsv      also: sectors and bank conflicts of each access, by source line
  heddle profile fractal.cu --report fractal.html        also: an HTML page, source with divergence at its lines
  heddle profile fractal.cu --device gpu                 counted on the GPU of this machine, by counters in the kernels

The program runs on the simulator by default; no GPU is needed. Cycles come from the architecture's table of latencies on
both. What the program itself prints to stdout is not shown, unless --output asks for it on stderr.

Exit code 0: done; 1: the program failed, launched no kernel, or a kernel was stopped; 2: bad usage, no such file, or no such kernel; 3: it does not
compile; 4: a file cannot be read or written.
)";

/// The table of an older GPU weighs what was compiled for a newer one: compilers no longer support the old
/// one.
constexpr unsigned OldestCompiled = 75;

struct ProfileRequest {
  build::ProgramOptions options;
  ProgramWords words;
  std::string kernel, bbv, accesses, orders, page, memory = "l1";
  unsigned group = 32;
  bool json = false, output = false;
};

MemoryLevel levelNamed(const std::string &word) {
  return word == "dram" ? MemoryLevel::Dram : word == "l2" ? MemoryLevel::L2 : MemoryLevel::L1;
}

std::string vectorsText(const ProgramProfile &profile) {
  std::string text;
  for (const LaunchProfile &launch : profile.launches) {
    text += fmt::format("# launch {}: {}, {} threads per block\n", launch.number,
                        verify::readableName(launch.kernel), launch.threadsPerBlock());
    for (size_t b = 0; b < launch.blocks.size(); ++b) {
      SourceLocation location = launch.blocks[b].location;
      shorten(location);
      text += fmt::format("# block {}: {}\n", b, location.isKnown() ? location.str() : "(no source line)");
    }
    for (uint32_t t = 0; t < launch.vectors.threads(); ++t)
      text += fmt::format("{}\t{}\t{}\n", launch.number, t, fmt::join(launch.vectors.thread(t), "\t"));
  }
  return text;
}

std::string orderFile(const ProfileRequest &given, Algorithm algorithm) {
  return fmt::format("{}.{}.txt", given.orders, nameOf(algorithm));
}

bool canWriteOrders(const ProfileRequest &given, Session &session) {
  return given.orders.empty() || std::ranges::all_of(Algorithms, [&](Algorithm algorithm) {
           return canWrite(orderFile(given, algorithm), session);
         });
}

/// The launch with most threads, in the order that each algorithm gives to it: one number after the other.
void writeOrders(const ProfileRequest &given, const ProgramProfile &profile, const arch::Arch &arch,
                 Session &session) {
  const auto most =
      std::max_element(profile.launches.begin(), profile.launches.end(), [](const auto &a, const auto &b) {
        return a.vectors.threads() < b.vectors.threads();
      });
  const std::vector<double> latencies = blockLatencies(*most, arch, levelNamed(given.memory));
  for (Algorithm algorithm : Algorithms) {
    const Regrouping made = regroup(most->vectors, latencies, algorithm, {.groupSize = given.group});
    if (!write(orderFile(given, algorithm), fmt::format("{}\n", fmt::join(made.order, "\n")), session))
      return;
  }
}

bool launchesOneKernel(const ProgramProfile &profile) {
  return std::all_of(profile.launches.begin(), profile.launches.end(),
                     [&](const auto &launch) { return launch.kernel == profile.launches.front().kernel; });
}

void shortenLocations(std::vector<KernelSummary> &kernels) {
  for (KernelSummary &kernel : kernels) {
    for (LineLoss &line : kernel.lines)
      shorten(line.location);
    for (Input &input : kernel.prediction.inputs)
      shorten(input.location);
  }
}

/// The source that the page shows is read by the same names.
ProgramProfile withShortLocations(ProgramProfile profile) {
  for (LaunchProfile &launch : profile.launches)
    for (CodeBlock &block : launch.blocks)
      shorten(block.location);
  return profile;
}

void printProfile(const ProfileRequest &given, const ProgramProfile &profile,
                  const counts::ProgramCounters &counters, const report::ProfileOrigin &origin,
                  const arch::Arch &arch, Session &session) {
  const SummaryOptions options{levelNamed(given.memory), given.group};
  std::vector<KernelSummary> kernels = summarize(profile, arch, options);
  shortenLocations(kernels);
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const KernelSummary &kernel : kernels)
    names.push_back(verify::readableName(kernel.kernel));
  const report::ProfileOfProgram shown{arch,
                                       kernels,
                                       names,
                                       options.memory,
                                       counts::estimateKernels(counters.launches, arch),
                                       profile.stopped,
                                       origin};
  if (given.json)
    std::cout << jsonText(report::profileJson(shown));
  else
    std::cout << report::profileText(shown);
  if (!given.page.empty())
    write(
        given.page,
        report::profileHtml(given.options.sources.files.front().string(), shown, withShortLocations(profile)),
        session);
}

/// A profile as it comes from where the program ran.
struct Run {
  ProgramProfile profile;
  counts::ProgramCounters counters;
  report::ProfileOrigin origin;
  bool hasProfile = false;
};

/// What went wrong while the program ran, on stderr; the exit code that comes of it.
int complainOfEnd(const ProcessResult &end, bool hasProfile, bool failed) {
  if (!hasProfile)
    std::cerr << fmt::format("heddle: the program ended early, with {}: there is no profile\n",
                             withSignalName(end.exitCode));
  else if (end.exitCode)
    std::cerr << fmt::format("heddle: the program itself ended with {}\n", withSignalName(end.exitCode));
  return !hasProfile || end.exitCode || failed ? ExitRefused : ExitDone;
}

/// Launches that the simulator stopped are not in the report; they are named on stderr.
void reportStopped(const std::map<std::string, uint64_t> &stopped) {
  for (const auto &[kernel, launches] : stopped)
    std::cerr << fmt::format("heddle: {} of kernel '{}' {} stopped before the end: not profiled\n",
                             counted(launches, "launch", "launches"), verify::readableName(kernel),
                             launches == 1 ? "was" : "were");
}

/// The program wrote the accesses of all kernels: -k keeps the lines of those that it names. The second column is the kernel.
void keepAccesses(const ProfileRequest &given, Session &session) {
  std::ifstream in(given.accesses);
  std::string kept, line;
  std::getline(in, line); // the names of the columns
  kept = line + "\n";
  while (std::getline(in, line)) {
    const size_t kernel = line.find('\t') + 1;
    if (isMeant(line.substr(kernel, line.find('\t', kernel) - kernel), given.kernel))
      kept += line + "\n";
  }
  in.close();
  write(given.accesses, kept, session);
}

Run runOnSimulator(const ProfileRequest &given, const build::Program &program, Session &session) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "profile", countersFile = folder.path() / "counters";
  std::vector<std::string> watched = {"HEDDLE_PROFILE=" + file.string(),
                                      "HEDDLE_COUNTERS=" + countersFile.string()};
  if (!given.accesses.empty())
    watched.push_back("HEDDLE_ACCESSES=" + fs::absolute(given.accesses).string());
  const build::ProgramRun run = program.run(session.programArguments, watched, build::Output::Captured);
  if (given.output)
    std::cerr << run.execution.standardOutput;
  Run made;
  made.hasProfile = readProfile(file, made.profile) && counts::readCounters(countersFile, made.counters);
  session.exitCode = complainOfEnd(run.execution, made.hasProfile, run.summary.failed);
  if (!given.accesses.empty() && !given.kernel.empty() && fs::exists(given.accesses))
    keepAccesses(given, session);
  return made;
}

Run runOnGpu(const ProfileRequest &given, const build::Program &program, Session &session) {
  std::optional<instrument::Measured> measured = measureOnGpu(program, given.options, given.output, session);
  if (!measured)
    return {};
  if (!measured->error.empty())
    std::cerr << fmt::format("heddle: {}\n", measured->error);
  for (const auto &[kernel, launches] : measured->unknown)
    std::cerr << fmt::format(
        "heddle: {} of kernel '{}' {} not counted: its code is loaded while the program runs\n",
        counted(launches, "launch", "launches"), verify::readableName(kernel),
        launches == 1 ? "was" : "were");
  // A program that launches nothing ends without a result.
  const bool hasProfile = measured->isSeen || measured->end.succeeded();
  session.exitCode = complainOfEnd(measured->end, hasProfile, !measured->profile.stopped.empty());
  return {std::move(measured->profile), {}, {measured->device, std::move(measured->sampled)}, hasProfile};
}

/// Launches of other kernels than -k names are left out; how many there were of each.
std::map<std::string, uint64_t> leaveOutOthers(const ProfileRequest &given, ProgramProfile &made) {
  std::map<std::string, uint64_t> others;
  for (const LaunchProfile &launch : made.launches)
    if (!isMeant(launch.kernel, given.kernel))
      ++others[launch.kernel];
  std::erase_if(made.launches, [&](const auto &launch) { return others.contains(launch.kernel); });
  std::erase_if(made.stopped, [&](const auto &each) { return !isMeant(each.first, given.kernel); });
  return others;
}

void profile(const ProfileRequest &given, const arch::Arch &arch, Session &session) {
  Diagnostics diagnostics;
  build::Program program(given.options, diagnostics);
  std::cerr << program.messages();
  print(std::cerr, diagnostics, session.errorColour);
  if (!program.ok()) {
    session.exitCode = program.compiled() ? ExitRefused : ExitDoesNotCompile;
    return;
  }
  Run run = given.options.device == build::Device::Gpu ? runOnGpu(given, program, session)
                                                       : runOnSimulator(given, program, session);
  if (!run.hasProfile)
    return;
  ProgramProfile &made = run.profile;
  const std::map<std::string, uint64_t> others = leaveOutOthers(given, made);
  reportStopped(made.stopped);
  if (made.launches.empty() && !made.stopped.empty())
    return complain(session, "no launch completed: there is no profile", "", ExitRefused);
  if (made.launches.empty() && !made.skipped.empty() && given.options.device == build::Device::Gpu)
    return complain(session, "launches in CUDA graphs cannot be counted on a GPU",
                    "--device sim profiles them", ExitRefused);
  if (made.launches.empty())
    return complainOfNoLaunch(given.kernel, others, session);
  printProfile(given, made, run.counters, run.origin, arch, session);
  if (!given.bbv.empty())
    write(given.bbv, vectorsText(made), session);
  if (given.orders.empty())
    return;
  if (!launchesOneKernel(made))
    complain(session, "--orders: the program launches several kernels", "-k chooses one", ExitBadUsage);
  else
    writeOrders(given, made, arch, session);
}

/// Without --arch, the latencies are those of the GPU that counts, if they are known.
arch::Arch archOnGpu(const ProfileRequest &given, const arch::Arch &chosen, bool isChosen) {
  Diagnostics ignored;
  return isChosen ? chosen : arch::findArch(given.options.arch, ignored).value_or(chosen);
}

} // namespace

void addProfile(CLI::App &app, Session &session) {
  auto given = std::make_shared<ProfileRequest>();
  CLI::App *verb = app.add_subcommand("profile", aboutProfile);
  addKernelOption(*verb, given->kernel, "only this kernel (default: all)");
  verb->add_option("--bbv", given->bbv,
                   "also write every thread's basic-block vector to this file, as tab-separated text")
      ->type_name("FILE.tsv");
  verb->add_option(
          "--accesses", given->accesses,
          "also write what each access to memory cost to this file, as tab-separated text: sectors of global "
          "memory, passes over the banks of shared memory")
      ->type_name("FILE.tsv");
  verb->add_option(
          "--orders", given->orders,
          "also write the order of threads by each algorithm to files (PREFIX.sorting.txt and so on)")
      ->type_name("PREFIX");
  verb->add_option("--memory", given->memory,
                   "the level that global loads are assumed to hit: l1, l2 or dram")
      ->check(CLI::IsMember({"l1", "l2", "dram"}));
  verb->add_option("--group", given->group, "group size for the regrouping of threads: 32, 64, ...")
      ->check(CLI::Range(32u, 1024u));
  verb->add_option("--report", given->page, "also write a self-contained HTML page")->type_name("FILE");
  verb->add_flag("--json", given->json,
                 "print the same facts as JSON, and the prediction models per basic block");
  verb->add_flag("--output", given->output, "show what the program prints to stdout, on stderr");
  addProgramOptions(*verb, given->options, given->words, session);
  addDeviceOption(
      *verb, given->words.device,
      "sim (the simulator), gpu: counters in the kernels count on the GPU of this machine, or auto: the "
      "GPU if there is one and nvcc");
  addEngineOption(*verb);
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    addBuildFlags(*verb, given->words, given->options.sources.files, {}, given->options, diagnostics);
    if (given->options.sources.files.empty())
      diagnostics.error({}, "FILE is required").withHint("heddle profile FILE.cu");
    if (given->group % 32)
      diagnostics.error(
          {}, fmt::format("--group: {} is not a multiple of 32, the threads of a warp", given->group));
    const bool isOnGpu = given->options.device == build::Device::Gpu;
    if (isOnGpu && !given->accesses.empty())
      diagnostics.error({}, "--accesses: a GPU does not count what accesses cost")
          .withHint("--device sim does");
    std::optional<arch::Arch> arch = arch::findArch(given->options.arch, diagnostics);
    if (arch && arch->major * 10 + arch->minor < OldestCompiled)
      given->options.arch = build::ProgramOptions().arch;
    if (!complain(diagnostics, session, ExitBadUsage) && canRead(given->options.sources.files, session) &&
        areNotPtx(given->options.sources.files, session) && canWrite(given->bbv, session) &&
        canWrite(given->accesses, session) && canWrite(given->page, session) &&
        canWriteOrders(*given, session) && (!isOnGpu || prepareGpuProfile(given->options, session))) {
      if (isOnGpu)
        arch = archOnGpu(*given, *arch, verb->count("--arch") > 0);
      profile(*given, *arch, session);
    }
  });
}

} // namespace heddle::cli
