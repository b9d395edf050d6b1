// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels under observers, with each engine: the same events, profiles, counters and findings.
//
// HEDDLE_RANDOM_PTX="FIRST COUNT" runs those seeds.
#include "check/Checker.h"
#include "counts/AccessCounter.h"
#include "counts/Facts.h"
#include "counts/LaunchCounter.h"
#include "counts/Tables.h"
#include "divergence/Profiler.h"
#include "vm/Counters.h"
#include "vm/Engine.h"
#include "vm/Lanes.h"
#include "vm/NotedLoads.h"
#include "vm/ObserverPair.h"
#include "vm/RandomPtx.h"
#include "vm/Runner.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace heddle::vm::test {
namespace {

// --- events

/// Writes down what it sees. Counts have no order: they are at the end.
class Recorder final : public Observer {
public:
  explicit Recorder(ObservedForm which, uint64_t chosen) : observed(which), seed(chosen) {}

  uint32_t interests() const override {
    return observed == ObservedForm::Blocks     ? Branches | Lifetimes | CodeBlocks | Accesses
           : observed == ObservedForm::Accesses ? Accesses | Synchronization | Lifetimes | Branches
                                                : All & ~Instructions;
  }
  bool oneCore() const override { return true; }
  ObservedForm form() const override { return observed; }

  void kernelBegin(const LaunchRequest &, const KernelInfo &info, uint64_t) override {
    for (uint32_t site = 0; site < info.sites; ++site)
      watched.push_back(site % 3 == seed % 3);
  }
  void blockBegin(const WarpRef &at) override { add(at, "begins"); }
  void blockEnd(const WarpRef &at) override { add(at, "ends"); }
  void lanesExit(const WarpRef &at, SiteRef site, uint32_t mask) override {
    add(at, "{} of {} exit at {}", mask, at.lanes, site.site);
  }
  void codeBlock(const WarpRef &at, const BlockOfCode &block, uint32_t mask) override {
    codeBlocks(at, block, mask, 1);
  }
  void codeBlocks(const WarpRef &at, const BlockOfCode &block, uint32_t mask, uint64_t times) override {
    if (mask != AllLanes)
      add(at, "block {} mask {}", block.index, mask);
    else
      entries[{at.blockIndex, at.warp, block.index}] += times;
  }
  void branch(const WarpRef &at, SiteRef site, uint32_t mask, uint32_t taken) override {
    const bool agree = taken == 0 || taken == mask;
    if (observed != ObservedForm::Accesses && agree)
      return branches(at, site, 1);
    if (observed != ObservedForm::Accesses || watched[site.site])
      add(at, "branch {} mask {} taken {}", site.site, mask, taken);
  }
  void branches(const WarpRef &at, SiteRef site, uint64_t times) override {
    agreed[{at.blockIndex, site.site}] += times;
  }
  const uint8_t *watchedBranches(uint64_t) override { return watched.data(); }

  void access(const WarpRef &at, SiteRef site, const AccessEvent &event) override {
    if (event.space == Space::Constant || event.space == Space::Param ||
        (event.space == Space::Shared && observed == ObservedForm::Blocks))
      return;
    note(at, site, event.space, unsigned(event.kind), event.mask, event.bytes, event.addresses);
  }
  bool plainAccess(const WarpRef &at, SiteRef site, const PlainAccess &access) override {
    if (access.space == Space::Constant)
      return true;
    if (++offered % 7 == seed % 7) // as an observer does that needs a whole event
      return false;
    uint64_t addresses[Lanes];
    const unsigned lanes = access.groups ? Lanes / access.groups : 1;
    for (unsigned lane = 0; lane < Lanes; ++lane)
      addresses[lane] = access.addresses[lane / lanes] + uint64_t(int64_t(access.stride) * (lane % lanes));
    note(at, site, access.space, unsigned(access.isStore ? AccessKind::Store : AccessKind::Load), access.mask,
         access.bytes, addresses);
    ++plain;
    return true;
  }

  bool takesNotedLoads(uint64_t) const override { return seed % 2; }
  void notedLoads(const WarpRef &at, const NotedLoads &loads) override {
    eachLoad(loads, [&](SiteRef site, const PlainAccess &access) {
      std::array<uint64_t, Lanes> room;
      if (access.space != Space::Constant)
        note(at, site, access.space, unsigned(AccessKind::Load), access.mask, access.bytes,
             addressesOf(access, room));
      ++noted;
    });
  }

  void barrierReached(const WarpRef &at, SiteRef site, const BarrierEvent &event) override {
    add(at, "barrier {} at {} mask {}", event.barrier, site.site, event.mask);
  }
  void barrierCompleted(const WarpRef &at, unsigned barrier, uint64_t generation) override {
    add(at, "barrier {} complete {}", barrier, generation);
  }
  void warpSync(const WarpRef &at, SiteRef site, const WarpSyncEvent &event) override {
    add(at, "sync {} kind {} mask {} here {} waits {}", site.site, unsigned(event.kind), event.mask,
        event.here, event.waits);
  }
  void mbarrier(const WarpRef &at, SiteRef site, const MbarrierEvent &event) override {
    add(at, "mbarrier {} mask {}", site.site, event.mask);
  }
  void async(const WarpRef &at, SiteRef site, const AsyncEvent &event) override {
    add(at, "async {} kind {} mask {}", site.site, unsigned(event.kind), event.mask);
  }
  void fence(const WarpRef &at, SiteRef site, const FenceEvent &event) override {
    add(at, "fence {} mask {}", site.site, event.mask);
  }

  std::string text() {
    reportLoads();
    std::string all = events;
    for (const auto &[key, times] : entries)
      all += fmt::format("block {} warp {} code {}: {} times\n", std::get<0>(key), std::get<1>(key),
                         std::get<2>(key), times);
    for (const auto &[key, times] : agreed)
      all += fmt::format("block {} branch {}: {} times\n", key.first, key.second, times);
    return all;
  }
  uint64_t plain = 0; ///< accesses of compiled code
  uint64_t noted = 0; ///< loads that it noted

private:
  template <class... T> void add(const WarpRef &at, fmt::format_string<T...> format, T &&...values) {
    reportLoads();
    events += textOf(at, format, std::forward<T>(values)...);
  }
  template <class... T>
  static std::string textOf(const WarpRef &at, fmt::format_string<T...> format, T &&...values) {
    return fmt::format("{}.{}: ", at.blockIndex, at.warp) + fmt::format(format, std::forward<T>(values)...) +
           "\n";
  }
  /// Loads from shared memory and others are reported in no common order.
  void reportLoads() { events += std::exchange(globalLoads, {}) + std::exchange(sharedLoads, {}); }
  void note(const WarpRef &at, SiteRef site, Space space, unsigned kind, uint32_t mask, uint32_t bytes,
            const uint64_t *addresses) {
    uint64_t hash = 0;
    eachLane(mask, [&](unsigned lane) { hash = (hash ^ (addresses[lane] + lane)) * 0x9e3779b97f4a7c15; });
    const std::string text = textOf(at, "access {} space {} kind {} mask {} bytes {} at {:x}", site.site,
                                    unsigned(space), kind, mask, bytes, hash);
    const bool isLoad = kind == unsigned(AccessKind::Load);
    if (!isLoad)
      reportLoads();
    (!isLoad ? events : space == Space::Shared ? sharedLoads : globalLoads) += text;
  }

  const ObservedForm observed;
  const uint64_t seed;
  uint64_t offered = 0;
  std::string events, globalLoads, sharedLoads;
  std::vector<uint8_t> watched;
  std::map<std::tuple<uint64_t, unsigned, uint32_t>, uint64_t> entries;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> agreed;
};

// --- one kernel

class Launcher {
public:
  explicit Launcher(const RandomPtx &given) : random(given) {
    Diagnostics problems;
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(
        ".version 8.5\n.target sm_90a\n.address_size 64\n" + random.text(), "random.ptx", problems));
    module = problems.empty() ? simulator.load(parsed, problems) : nullptr;
    kernel = module ? module->kernel("k", problems) : nullptr;
    memory = static_cast<uint32_t *>(simulator.memory().allocate(MemoryWords * 4, AllocationKind::Device));
  }

  LaunchResult launch(Engine engine, Observer &observer) {
    for (size_t i = 0; i < MemoryWords; ++i)
      memory[i] = i % 3 ? uint32_t(i * 2654435761u) >> i % 29 : uint32_t(i);
    module->initializeVariables();
    LaunchRequest request;
    request.kernel = kernel, request.grid = random.grid, request.block = random.block;
    request.cores = 1;
    request.scheduleSeed = random.schedule;
    request.parameters.resize(12);
    std::memcpy(request.parameters.data(), &memory, 8);
    std::memcpy(request.parameters.data() + 8, &random.number, 4);
    setEngine(engine);
    LaunchResult result = simulator.launch(request, &observer);
    setEngine(Engine::Interpreter);
    return result;
  }

  const RandomPtx random;
  Simulator simulator{Limits{}};
  LoadedModule *module = nullptr;
  const Kernel *kernel = nullptr;
  uint32_t *memory = nullptr;
};

template <class Write> std::string fileText(Write write) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("heddle-observers-{}", getpid());
  EXPECT_TRUE(write(path));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

std::string findingsText(const check::FindingList &list) {
  std::string text;
  for (const check::Finding &each : list.all()) {
    text += fmt::format("{} {} {}:{} {} ({} times)\n", idOf(each.rule), each.kernel, each.location.line,
                        each.location.column, each.text, each.times);
    for (const check::Finding::Note &note : each.notes)
      text += fmt::format("  {}:{} {}\n", note.location.line, note.location.column, note.text);
  }
  return text;
}

/// What the same observer has to say after a launch with each engine.
template <class See> void expectSame(uint64_t seed, const char *what, See see) {
  const std::string expected = see(Engine::Interpreter);
  for (Engine engine : {Engine::Auto, Engine::Jit}) {
    const std::string found = see(engine);
    if (found == expected)
      continue;
    std::istringstream a(expected), b(found);
    std::string before, wanted, is;
    for (unsigned line = 1; std::getline(a, wanted) && std::getline(b, is) && wanted == is; ++line)
      before = fmt::format("line {}: {}", line, wanted);
    ADD_FAILURE() << "HEDDLE_RANDOM_PTX=\"" << seed << " 1\", " << nameOf(engine) << ", " << what << ": "
                  << is << "\ninstead of: " << wanted << "\nafter " << before;
  }
}

void compareOn(uint64_t seed, uint64_t &taken, uint64_t &noted) {
  const RandomPtx random = randomPtx(seed);
  setMostInPart(seed % 3 ? 0 : 5 + seed / 3 % 80);
  Launcher launcher(random);
  if (!launcher.kernel)
    return;
  constexpr std::pair<ObservedForm, const char *> forms[] = {
      {ObservedForm::Blocks, "blocks"}, {ObservedForm::Accesses, "accesses"}, {ObservedForm::All, "all"}};
  for (const auto &[form, name] : forms)
    expectSame(seed, name, [&](Engine engine) {
      Recorder recorder(form, seed);
      const LaunchResult result = launcher.launch(engine, recorder);
      taken += recorder.plain, noted += recorder.noted;
      return recorder.text() + fmt::format("{} instructions, {}\n", result.threadInstructions,
                                           result.fault ? Runner::story(*result.fault) : "");
    });
  expectSame(seed, "profile", [&](Engine engine) {
    divergence::Profiler profiler(*launcher.kernel, divergence::kernelInputs(*launcher.kernel));
    launcher.launch(engine, profiler);
    divergence::ProgramProfile profile;
    profile.launches.push_back(profiler.take(16));
    profile.launches.back().number = 1;
    return fileText([&](const auto &path) { return divergence::writeProfile(path, profile); });
  });
  // As the runtime has them: all three at once.
  expectSame(seed, "profile, counters and accesses", [&](Engine engine) {
    const counts::KernelCode code = counts::codeOf(*launcher.kernel, counts::h200());
    const counts::AccessCounter::Code locations = counts::AccessCounter::codeOf(*launcher.kernel);
    const divergence::Inputs inputs = divergence::kernelInputs(*launcher.kernel);
    divergence::Profiler profiler(*launcher.kernel, inputs);
    counts::LaunchCounter counter(*launcher.kernel, code);
    counts::AccessCounter accessCounter(*launcher.kernel, locations);
    ObserverPair two(profiler, counter), three(two, accessCounter);
    EXPECT_EQ(three.form(), ObservedForm::All);
    const LaunchResult result = launcher.launch(engine, three);
    if (!result.ok())
      return std::string();
    divergence::ProgramProfile profile;
    counts::ProgramCounters counters;
    counts::ProgramAccesses accesses;
    profile.launches.push_back(profiler.take(16));
    counters.launches.push_back(counter.take(16));
    accesses.launches.push_back(accessCounter.take(16));
    profile.launches.back().number = counters.launches.back().number = accesses.launches.back().number = 1;
    return fileText([&](const auto &path) { return divergence::writeProfile(path, profile); }) +
           fileText([&](const auto &path) { return counts::writeCounters(path, counters); }) +
           fileText([&](const auto &path) { return counts::writeAccesses(path, accesses); });
  });
  // Without the profiler, which wants values of loads, compiled code notes them.
  expectSame(seed, "counters and accesses", [&](Engine engine) {
    const counts::KernelCode code = counts::codeOf(*launcher.kernel, counts::h200());
    const counts::AccessCounter::Code locations = counts::AccessCounter::codeOf(*launcher.kernel);
    counts::LaunchCounter counter(*launcher.kernel, code);
    counts::AccessCounter accessCounter(*launcher.kernel, locations);
    ObserverPair both(counter, accessCounter);
    EXPECT_TRUE(both.takesNotedLoads(1));
    const LaunchResult result = launcher.launch(engine, both);
    if (!result.ok())
      return std::string();
    counts::ProgramCounters counters;
    counts::ProgramAccesses accesses;
    counters.launches.push_back(counter.take(16)), accesses.launches.push_back(accessCounter.take(16));
    counters.launches.back().number = accesses.launches.back().number = 1;
    return fileText([&](const auto &path) { return counts::writeCounters(path, counters); }) +
           fileText([&](const auto &path) { return counts::writeAccesses(path, accesses); });
  });
  expectSame(seed, "findings", [&](Engine engine) {
    check::FindingList findings;
    check::Checker checker({.memory = &launcher.simulator.memory()}, findings);
    checker.hostWrote(uint64_t(launcher.memory), MemoryWords * 4, "copy");
    launcher.launch(engine, checker);
    const check::CheckCounts counts = checker.counts();
    return findingsText(findings) +
           fmt::format("{} accesses, {} synchronizations\n", counts.accesses, counts.synchronizations);
  });
}

class Observers : public testing::TestWithParam<unsigned> {};

constexpr unsigned Parts = 4, KernelsOfPart = 12; // more of them with `make matrix`

TEST_P(Observers, SeeTheSameWithEachEngine) {
  setenv("HEDDLE_JIT_CACHE", "off", 0);                  // nobody compiles them again
  setenv("HEDDLE_JIT_LEVEL", GetParam() ? "0" : "2", 0); // LLVM's code generator is not what is tested
  ASSERT_EQ(whyNoCompiler(), "");
  hotness() = {.perInstruction = 0, .atLeast = 200, .missedEntries = 2, .inBackground = false};
  uint64_t first = 1 + GetParam() * KernelsOfPart, count = KernelsOfPart, taken = 0, noted = 0;
  if (const char *given = std::getenv("HEDDLE_RANDOM_PTX")) {
    std::istringstream(given) >> first >> count;
    count = GetParam() ? 0 : count;
  }
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed)
    compareOn(seed, taken, noted);
  EXPECT_TRUE(noted > 0 || count < KernelsOfPart) << "some loads are to be noted by compiled code";
  EXPECT_TRUE(taken > 0 || count < KernelsOfPart) << "some accesses are to be reported by compiled code";
}

INSTANTIATE_TEST_SUITE_P(Parts, Observers, testing::Range(0u, Parts));

} // namespace
} // namespace heddle::vm::test
