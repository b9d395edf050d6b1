// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels on each engine: the same memory, faults and counts.
//
// HEDDLE_RANDOM_PTX="FIRST COUNT" runs those seeds in the first part, and nothing in the others. A kernel on which the engines differ is
// shrunk and printed. One that crashes is reported by its seed; run alone, it is shrunk too. HEDDLE_RANDOM_PTX_PRINT=1 prints each kernel,
// and what it took.
#include "vm/RandomPtx.h"

#include "vm/Engine.h"
#include "vm/Module.h"
#include "vm/Runner.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::vm::test {
namespace {

constexpr uint64_t KernelsOfPart = 100;
constexpr unsigned Parts = 10;
/// A kernel takes some hundredths of a second: what takes so long hangs.
constexpr unsigned SecondsOfKernel = 60;
constexpr double SecondsToShrink = 300;
constexpr unsigned MostFailures = 3; ///< shrunk in one part

// --- one kernel

struct Outcome {
  std::vector<uint32_t> memory;
  uint64_t warpInstructions = 0, threadInstructions = 0;
  std::string fault;
};

std::vector<uint32_t> initialMemory() {
  std::vector<uint32_t> words(MemoryWords);
  static constexpr uint32_t singles[] = {0,          0x3f800000, 0xbf800000, 0x7f800000,
                                         0x7fc00000, 0x00000001, 0x807fffff, 0x7f7fffff,
                                         0x42280000, 0x80000000, 0xcf000000, 0x3c003c00};
  static constexpr uint64_t doubles[] = {0x3ff8000000000000, 0x7ff0000000000000, 0x8000000000000001};
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = i % 3 ? uint32_t(i * 2654435761u) >> i % 29 : singles[i / 3 % std::size(singles)];
  for (size_t i = 0; i + 1 < WindowBytes / 4; i += 16)
    std::memcpy(&words[i], &doubles[i / 16 % std::size(doubles)], 8);
  return words;
}

/// A kernel that is loaded once, so that engines share what was compiled.
class Launcher {
public:
  explicit Launcher(const RandomPtx &given) : random(given), initial(initialMemory()) {
    Diagnostics problems;
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(
        ".version 8.5\n.target sm_90a\n.address_size 64\n" + random.text(), "random.ptx", problems));
    module = problems.empty() ? simulator.load(parsed, problems) : nullptr;
    kernel = module ? module->kernel("k", problems) : nullptr;
    if (!problems.empty())
      problem = textOf(problems);
    memory = static_cast<uint32_t *>(simulator.memory().allocate(MemoryWords * 4, AllocationKind::Device));
  }

  Outcome launch(Engine engine) {
    std::copy(initial.begin(), initial.end(), memory);
    module->initializeVariables();
    LaunchRequest request;
    request.kernel = kernel, request.grid = random.grid, request.block = random.block;
    request.cores = 1;
    request.scheduleSeed = random.schedule;
    request.parameters.resize(12);
    std::memcpy(request.parameters.data(), &memory, 8);
    std::memcpy(request.parameters.data() + 8, &random.number, 4);
    setEngine(engine);
    const LaunchResult result = simulator.launch(request, nullptr);
    setEngine(Engine::Interpreter);
    return {{memory, memory + MemoryWords},
            result.warpInstructions,
            result.threadInstructions,
            result.fault ? Runner::story(*result.fault) : result.refusal};
  }

  std::string problem; ///< why it cannot be executed
  bool wasCompiled() const { return kernel->entry().wasCompiled; }

private:
  const RandomPtx random;
  const std::vector<uint32_t> initial;
  Simulator simulator{Limits{}};
  LoadedModule *module = nullptr;
  const Kernel *kernel = nullptr;
  uint32_t *memory = nullptr;
};

std::string differenceOf(const Outcome &expected, const Outcome &found) {
  std::string all;
  if (found.fault != expected.fault)
    all += fmt::format("fault: {}\ninstead of: {}\n", found.fault, expected.fault);
  if (found.warpInstructions != expected.warpInstructions)
    all += fmt::format("{} warp instructions instead of {}\n", found.warpInstructions,
                       expected.warpInstructions);
  if (found.threadInstructions != expected.threadInstructions)
    all += fmt::format("{} thread instructions instead of {}\n", found.threadInstructions,
                       expected.threadInstructions);
  for (size_t i = 0; i < MemoryWords; ++i)
    if (found.memory[i] != expected.memory[i]) {
      all += fmt::format("word {} is {:#x} instead of {:#x}", i, found.memory[i], expected.memory[i]);
      if (const size_t byte = 4 * i; byte >= WindowBytes)
        all += fmt::format(" (thread {}, byte {})", (byte - WindowBytes) / SlotBytes,
                           (byte - WindowBytes) % SlotBytes);
      return all + "\n";
    }
  return all;
}

struct Tally {
  unsigned kernels = 0, faults = 0, compiled = 0;
};

/// Instructions of a part: every third kernel is compiled in parts, some of them of a few instructions.
uint32_t partsOf(const RandomPtx &kernel) { return kernel.number % 3 ? 0 : 5 + kernel.number / 3 % 80; }

/// How the engines differ; empty if they do not. A kernel that cannot be executed does not differ.
std::string differenceOn(const RandomPtx &kernel, Tally *tally = nullptr) {
  setMostInPart(partsOf(kernel));
  Launcher launcher(kernel);
  if (!launcher.problem.empty())
    return tally ? "it is no PTX: " + launcher.problem : "";
  const Outcome expected = launcher.launch(Engine::Interpreter);
  // Compiled code that Auto has made is there when Jit begins.
  for (Engine engine : {Engine::Auto, Engine::Jit})
    if (const std::string how = differenceOf(expected, launcher.launch(engine)); !how.empty())
      return std::string(nameOf(engine)) + ": " + how;
  if (tally) {
    ++tally->kernels;
    tally->faults += !expected.fault.empty();
    tally->compiled += launcher.wasCompiled();
  }
  return {};
}

// --- kernels that fail

/// SIGPROF after so many seconds of processor time; 0: never.
void limitTime(unsigned seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Whether the engines differ, or one crashes or hangs, in a process of its own.
bool failsApart(const RandomPtx &kernel) {
  const pid_t child = fork();
  if (child == 0) {
    for (int each : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGPROF})
      std::signal(each, SIG_DFL);
    limitTime(SecondsOfKernel);
    _exit(!differenceOn(kernel).empty());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

std::string shrunkText(const RandomPtx &kernel, bool mayCrash) {
  const RandomPtx small = shrunk(kernel, failsApart, SecondsToShrink);
  return fmt::format("shrunk: {} x {} x {} threads, {} blocks, number {}, schedule {}; {}{}", small.block.x,
                     small.block.y, small.block.z, small.grid.x, small.number, small.schedule,
                     mayCrash ? "" : differenceOn(small), small.text());
}

uint64_t seedNow = 0;
const char *levelNow = "";

extern "C" void reportSeed(int signal) {
  char text[128];
  const int length =
      std::snprintf(text, sizeof text, "\nsignal %d at HEDDLE_JIT_LEVEL=%s HEDDLE_RANDOM_PTX=\"%llu 1\"\n",
                    signal, levelNow, (unsigned long long)seedNow);
  [[maybe_unused]] const ssize_t written = write(2, text, size_t(length));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// The early hotness of EngineTest.cpp: within the first blocks, and in their midst.
constexpr Hotness Early{.perInstruction = 0, .atLeast = 200, .missedEntries = 2, .inBackground = false};

class RandomKernels : public testing::TestWithParam<unsigned> {};

/// Nearly all of the time is that of LLVM's code generator, which is not what is tested: nine of ten parts ask it for little. Our code
/// for all kernels is the same, with the passes over it, and so are the kernels.
const char *levelOfPart(unsigned part) { return part == 0 ? "2" : "0"; }

TEST_P(RandomKernels, AreTheSameOnEachEngine) {
  setenv("HEDDLE_JIT_CACHE", "off", 0); // nobody compiles them again
  setenv("HEDDLE_JIT_LEVEL", levelOfPart(GetParam()), 0);
  levelNow = std::getenv("HEDDLE_JIT_LEVEL");
  ASSERT_EQ(whyNoCompiler(), "");
  hotness() = Early;
  uint64_t first = 1 + GetParam() * KernelsOfPart, count = KernelsOfPart;
  if (const char *given = std::getenv("HEDDLE_RANDOM_PTX")) {
    std::istringstream(given) >> first >> count;
    count = GetParam() ? 0 : count;
  }
  for (int each : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGPROF})
    std::signal(each, reportSeed);
  Tally tally;
  unsigned failures = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    seedNow = seed;
    limitTime(SecondsOfKernel);
    const RandomPtx kernel = randomPtx(seed);
    if (std::getenv("HEDDLE_RANDOM_PTX_PRINT"))
      fmt::print("{}", kernel.text());
    const std::clock_t begin = std::clock();
    const bool isSuspect = count == 1 && failsApart(kernel); // one that was reported may crash
    const std::string how = isSuspect ? "in a process of its own; " : differenceOn(kernel, &tally);
    limitTime(0);
    if (std::getenv("HEDDLE_RANDOM_PTX_PRINT"))
      fmt::print("// seed {}: {} ms\n", seed, (std::clock() - begin) * 1000 / CLOCKS_PER_SEC);
    if (!how.empty())
      ADD_FAILURE() << "HEDDLE_JIT_LEVEL=" << levelNow << " HEDDLE_RANDOM_PTX=\"" << seed << " 1\": " << how
                    << shrunkText(kernel, isSuspect);
    if (!how.empty() && ++failures == MostFailures)
      break;
  }
  EXPECT_GE(10 * tally.compiled, 9 * tally.kernels) << "most kernels are to execute compiled code";
  fmt::print("{} kernels, {} with faults, {} compiled\n", tally.kernels, tally.faults, tally.compiled);
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomKernels, testing::Range(0u, Parts));

} // namespace
} // namespace heddle::vm::test
