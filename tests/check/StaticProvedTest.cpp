// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the static check proves no run contradicts. Random kernels with barriers, also in divergent code, exits, loops,
// votes, volatile accesses, stores of equal values and accesses to global memory are checked statically and run on one
// block and on three, under 32 schedules each; a property that is proved must not be violated in any of them.
//
// HEDDLE_SEED=n looks at one kernel; HEDDLE_KERNELS=n at so many (`make matrix`: 500).
#include "KernelRuns.h"
#include "StaticRunner.h"
#include "check/StaticProperties.h"

#include <iostream>

namespace heddle::check::test {
namespace {

constexpr unsigned Words = 128, OrdersOfWarps = 32;
constexpr size_t DataBytes = 16384;

/// Writes the body of a random kernel of 64 threads. Registers: %r1 thread, %r21 a value, %rd2 the thread's own element of
/// the data.
class KernelWriter {
public:
  explicit KernelWriter(uint32_t seed) : random(seed) {}

  std::string kernel() {
    line("mov.u32 %r22, %ctaid.x;");
    line("mad.lo.s32 %r23, %r22, 64, %r1;");
    line("mul.wide.s32 %rd1, %r23, 4;");
    line("add.u64 %rd2, %rd0, %rd1;");
    line("ld.global.u32 %r21, [%rd2+4096];"); // never written
    line("st.shared.u32 [%r3], 0;");
    line("st.shared.u32 [%r3+256], 0;");
    if (pick(8))
      line("bar.sync 0;");
    for (unsigned i = 0, steps = 2 + pick(6); i < steps; ++i)
      step(2);
    return kernelAround(body);
  }

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }

  template <class... A> void line(fmt::format_string<A...> format, A &&...arguments) {
    body += "  " + fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }
  const char *mode() { return pick(3) ? "" : ".volatile"; }

  /// %r30 = the shared address of a word that depends on the thread, or of one for all.
  void address() {
    if (!pick(4))
      return line("mov.u32 %r30, s; add.u32 %r30, %r30, {};", 4 * pick(4));
    line("mad.lo.u32 %r30, %r1, {}, {};", pick(3) ? 1 : 1 + 2 * pick(3),
         pick(2) ? 0 : 32 * pick(3) + pick(2));
    line("and.b32 %r30, %r30, {}; shl.b32 %r30, %r30, 2; mov.u32 %r31, s; add.u32 %r30, %r30, %r31;",
         Words - 1);
  }
  /// What is stored: the same by all, the thread's number, or data.
  std::string value() { return pick(3) == 0 ? "%r21" : pick(2) ? "%r1" : std::to_string(pick(2)); }

  void store() {
    address();
    line("st{}.shared.u32 [%r30], {};", mode(), value());
  }
  void load() {
    address();
    line("ld{}.shared.u32 %r32, [%r30];", mode());
    if (pick(2))
      line("add.u32 %r21, %r21, %r32;");
  }
  void global() {
    switch (pick(5)) {
    case 0: return line("st{}.global.u32 [%rd2], {};", mode(), value());
    case 1: return line("ld{}.global.u32 %r32, [%rd2+{}];", mode(), 4 * pick(3));
    case 2: return line("st{}.global.u32 [%rd0], {};", mode(), value());
    case 3: return line("red.global.add.u32 [%rd0+8192], 1;");
    default: return line("st{}.global.u32 [%rd2+{}], {};", mode(), 4 * pick(2), value());
    }
  }
  /// Only some threads: of a warp, of the block, or as data decides.
  void branch(unsigned depth) {
    const unsigned id = ++labels;
    switch (pick(4)) {
    case 0: line("setp.ge.u32 %p1, %r1, {};", pick(2) ? 32 : 1 + pick(63)); break;
    case 1: line("and.b32 %r33, %r1, 1; setp.ne.u32 %p1, %r33, 0;"); break;
    case 2: line("setp.ge.u32 %p1, %r21, %r0;"); break;
    default: line("setp.ne.u32 %p1, %r1, {};", pick(64)); break;
    }
    line("@%p1 bra A{};", id);
    step(depth - 1);
    if (!pick(4))
      line("bar.sync 0;");
    body += fmt::format("A{}:\n", id);
  }
  void vote(unsigned depth) {
    const unsigned id = ++labels;
    pick(2) ? line("setp.lt.u32 %p2, %r1, {};", pick(64)) : line("setp.lt.u32 %p2, %r21, %r0;");
    line("vote.sync.{}.pred %p3, %p2, -1;", pick(2) ? "any" : "all");
    line("@%p3 bra V{};", id);
    step(depth - 1);
    if (!pick(3))
      line("bar.warp.sync -1;");
    body += fmt::format("V{}:\n", id);
  }
  void loop(unsigned depth) {
    const unsigned id = ++labels, counter = 34 + depth, limit = 37 + depth;
    line("mov.u32 %r{}, 0;", counter);
    pick(3) ? line("mov.u32 %r{}, {};", limit, 1 + pick(3))
            : line("and.b32 %r{}, %r{}, 3;", limit, pick(3) ? 1 : 21);
    body += fmt::format("L{}:\n", id);
    step(depth - 1);
    if (pick(2))
      line("bar.sync 0;");
    line("add.u32 %r{0}, %r{0}, 1;\n  setp.lt.u32 %p5, %r{0}, %r{1};\n  @%p5 bra L{2};", counter, limit, id);
  }
  /// Half of the warps wait for a flag.
  void spin() {
    const unsigned id = ++labels;
    line("setp.eq.u32 %p1, %r1, 63;\n  @%p1 st.volatile.shared.u32 [s+4096], 1;");
    line("setp.ge.u32 %p1, %r1, 32;\n  @%p1 bra S{0}E;\nS{0}:\n  ld.volatile.shared.u32 %r32, [s+4096];", id);
    line("setp.eq.u32 %p1, %r32, 0;\n  @%p1 bra S{0};\nS{0}E:", id);
  }

  void step(unsigned depth) {
    switch (pick(depth ? 14 : 6)) {
    case 0:
    case 1: return store();
    case 2: return load();
    case 3: return global();
    case 4: return line("bar.sync 0;");
    case 5: return line("bar.warp.sync -1;");
    case 6:
    case 7:
    case 8: return branch(depth);
    case 9:
    case 10: return loop(depth);
    case 11: return vote(depth);
    case 12:
      return pick(3) ? line("setp.ge.u32 %p4, %r1, {};\n  @%p4 ret;", pick(2) ? 32 : 1 + pick(63)) : spin();
    default: step(depth - 1), step(depth - 1); return;
    }
  }

  std::mt19937 random;
  std::string body;
  unsigned labels = 0;
};

bool isProved(const StaticResult &result, Property property) {
  return result.of(property).decision == Decision::Proved;
}

/// Whether what one run found is what the static check proved that there is not.
bool contradicts(const StaticResult &result, const Finding &finding, uint32_t blocks) {
  // Lanes that rely on lockstep do so in shared or in global memory: the text says where.
  const bool inGlobal =
      finding.rule == Rule::RaceGlobal || finding.text.find("global memory") != std::string::npos;
  if (!inGlobal)
    return isProved(result, propertyOf(finding.rule));
  return isProved(result, Property::GlobalRacesInBlock) &&
         (blocks == 1 || isProved(result, Property::GlobalRacesBetweenBlocks));
}

TEST(StaticProved, noRunUnderAnyScheduleContradicts) {
  const uint32_t first = fromEnvironment("HEDDLE_SEED", 1);
  const unsigned count = std::getenv("HEDDLE_SEED") ? 1 : fromEnvironment("HEDDLE_KERNELS", 100);
  std::cout << fmt::format("seeds {} to {}\n", first, first + count - 1);
  unsigned decisions[Properties][3] = {};
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const std::string text = KernelWriter(seed).kernel();
    Diagnostics problems;
    ptx::Module module = ptx::parse(text, "test.ptx", problems);
    ASSERT_TRUE(problems.empty()) << textOf(problems) << text;
    StaticOptions options;
    options.block = {64, 1, 1};
    const StaticResult result = checkStatic(module, "k", options);
    ASSERT_TRUE(result.problems.empty()) << textOf(result.problems);
    for (const PropertyVerdict &each : result.properties)
      ++decisions[unsigned(each.property)][unsigned(each.decision)];
    KernelRuns runs(module, DataBytes);
    for (uint32_t blocks : {1u, 3u})
      for (uint32_t schedule = 0; schedule < OrdersOfWarps; ++schedule) {
        const uint32_t n = std::mt19937(seed * 1024 + schedule)();
        const auto found = runs.findings({{blocks, 1, 1}, {64, 1, 1}, 0.5}, seed * 1024 + schedule, {n});
        if (!found) // some of the kernels spin
          break;
        for (const Finding &finding : *found)
          ASSERT_FALSE(contradicts(result, finding, blocks))
              << fmt::format("HEDDLE_SEED={}, {} blocks, schedule {}: {}: {}: {}\n", seed, blocks, schedule,
                             idOf(finding.rule), finding.location.str(), finding.text)
              << story(result) << text;
      }
  }
  // The kernels are worth something only if each property is proved of some and violated or undecided of others.
  if (count >= 50)
    for (unsigned p = 0; p < Properties; ++p) {
      EXPECT_GT(decisions[p][unsigned(Decision::Proved)], count / 20) << nameOf(Property(p));
      std::cout << fmt::format("{}: {} proved, {} violated, {} undecided\n", nameOf(Property(p)),
                               decisions[p][0], decisions[p][1], decisions[p][2]);
    }
}

} // namespace
} // namespace heddle::check::test
