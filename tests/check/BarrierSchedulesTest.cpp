// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels whose threads branch, loop and end by their index, with block barriers anywhere. Which threads
// come to a barrier depends on their paths alone, so that each of many schedules must lead to the same verdict.
#include "KernelRuns.h"
#include "StaticRunner.h"

#include <fmt/ranges.h>

#include <set>

namespace heddle::check::test {
namespace {

constexpr unsigned Threads = 96, Schedules = 32, MostDepth = 2;

/// Writes the body of a random kernel.
class Writer {
public:
  explicit Writer(uint32_t seed) : random(seed) {}

  std::string kernel() {
    line("mul.wide.u32 %rd1, %r1, 4;");
    line("add.u64 %rd1, %rd0, %rd1;");
    line("mov.u32 %r21, 0;");
    steps(0);
    line("st.global.u32 [%rd1], %r21;");
    return kernelAround(body);
  }

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }

  template <class... Parts> void line(fmt::format_string<Parts...> format, Parts &&...parts) {
    body += "  " + fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  /// Sets the predicate of this depth: for whole warps, for some lanes, for all, or for none.
  void condition(unsigned depth) {
    constexpr unsigned Bounds[] = {0, 1, 16, 32, 33, 64, 95, 96};
    line("setp.{}.u32 %p{}, %r1, {};", pick(2) ? "lt" : "ge", depth, Bounds[pick(std::size(Bounds))]);
  }

  void steps(unsigned depth) {
    for (unsigned i = 0, count = 1 + pick(3); i < count; ++i)
      step(depth);
  }

  void step(unsigned depth) {
    const unsigned label = labels++;
    switch (depth < MostDepth ? pick(6) : pick(3)) {
    case 0: line("add.u32 %r21, %r21, {};", 1 + pick(9)); return;
    case 1:
    case 2: line("bar.sync 0;"); return;
    case 3: // a branch, with work after it or not
      condition(depth);
      line("@!%p{} bra L{};", depth, label);
      steps(depth + 1);
      body += fmt::format("L{}:\n", label);
      if (pick(2))
        line("add.u32 %r21, %r21, 1;");
      return;
    case 4: // some threads end
      condition(depth);
      line("@%p{} ret;", depth);
      return;
    default: // a loop whose count depends on the warp or on the lane, or is the same for all
      line("shr.u32 %r{}, %r1, {};", 22 + depth, pick(2) ? 5 : pick(2) ? 4 : 7);
      line("mov.u32 %r{}, 0;", 25 + depth);
      body += fmt::format("L{}:\n", label);
      steps(depth + 1);
      line("add.u32 %r{0}, %r{0}, 1;", 25 + depth);
      line("setp.le.u32 %p{}, %r{}, %r{};", depth, 25 + depth, 22 + depth);
      line("@%p{} bra L{};", depth, label);
    }
  }

  std::mt19937 random;
  std::string body;
  unsigned labels = 0;
};

/// The rules about barriers and deadlocks that a run breaks.
std::string verdictOf(KernelRuns &runs, uint32_t schedule) {
  std::set<std::string> rules;
  const std::optional<std::vector<Finding>> all =
      runs.findings({{1, 1, 1}, {Threads, 1, 1}}, schedule, {uint32_t(0)});
  if (!all)
    return "stopped";
  for (const Finding &finding : *all)
    if (classOf(finding.rule) == Class::Barrier || classOf(finding.rule) == Class::Deadlock)
      rules.insert(std::string(idOf(finding.rule)));
  return fmt::format("{}", fmt::join(rules, ", "));
}

TEST(BarrierSchedules, LeadToOneVerdict) {
  const unsigned kernels = fromEnvironment("HEDDLE_KERNELS", 300), first = fromEnvironment("HEDDLE_SEED", 1);
  unsigned wrong = 0;
  for (uint32_t seed = first; seed < first + kernels; ++seed) {
    const std::string text = Writer(seed).kernel();
    Diagnostics problems;
    const ptx::Module module = ptx::parse(text, "random.ptx", problems);
    ASSERT_TRUE(problems.empty()) << textOf(problems) << text;
    KernelRuns runs(module, 4096);
    const std::string verdict = verdictOf(runs, 0);
    wrong += !verdict.empty();
    for (uint32_t schedule = 1; schedule < Schedules; ++schedule)
      ASSERT_EQ(verdict, verdictOf(runs, schedule))
          << "HEDDLE_SEED=" << seed << " schedule " << schedule << "\n"
          << text;
  }
  // Both verdicts occur, else nothing was tried.
  EXPECT_GT(wrong, kernels / 10);
  EXPECT_LT(wrong, kernels - kernels / 10);
}

} // namespace
} // namespace heddle::check::test
