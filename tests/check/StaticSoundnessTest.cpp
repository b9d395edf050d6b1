// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels whose synchronization and shared addresses depend on the thread's index only: what the static check reports for all inputs is what the dynamic check reports for any
// input, under any schedule.
#include "KernelRuns.h"
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

constexpr unsigned Words = 256;

/// Writes the body of a random kernel.
class Writer {
public:
  /// `agreed`: with a loop and a branch whose ways the parameter decides, for all threads alike.
  explicit Writer(uint32_t seed, bool agreed = false) : random(seed), agreed(agreed) {}

  unsigned threads() const { return warps * 32; }

  std::string kernel() {
    warps = 2 + pick(3);
    for (unsigned word = 0; word < Words; word += threads())
      line("st.shared.u32 [%r3+{}], 0;", 4 * word);
    line("bar.sync 0;");
    line("shr.u32 %r20, %r1, 5;");
    line("mul.wide.u32 %rd1, %r1, 4;");
    line("add.u64 %rd1, %rd0, %rd1;");
    line("ld.global.u32 %r21, [%rd1];");
    for (unsigned i = 0, steps = 3 + pick(6); i < steps; ++i)
      agreed ? plain() : step(2);
    if (agreed)
      agreedFlow();
    line("st.global.u32 [%rd1], %r21;");
    return kernelAround(body);
  }

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }

  template <class... A> void line(fmt::format_string<A...> format, A &&...arguments) {
    body += "  " + fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }

  /// %r30 = the address of word (thread * factor + shift) % Words.
  void address() {
    const unsigned factor = pick(4) ? 1 : 1 + 2 * pick(4);
    line("mad.lo.u32 %r30, %r1, {}, {};", factor, pick(3) ? 32 * pick(3) : pick(Words));
    line("and.b32 %r30, %r30, {};", Words - 1);
    line("shl.b32 %r30, %r30, 2;");
    line("mov.u32 %r31, s;");
    line("add.u32 %r30, %r30, %r31;");
  }

  /// Nothing that only some warps do.
  void plain() { pick(3) ? step(0) : line("bar.sync 0;"); }

  /// One to three rounds, as the parameter's last two bits say, and a branch by its third.
  void agreedFlow() {
    line("and.b32 %r22, %r0, 3;\n  and.b32 %r23, %r0, 4;\n  setp.eq.u32 %p6, %r23, 0;\n  mov.u32 %r36, 0;");
    body += "AGREED:\n";
    const bool inside = pick(2);
    auto some = [&] {
      for (unsigned i = 0, steps = 1 + pick(4); i < steps; ++i)
        plain();
    };
    auto branch = [&] {
      line("@%p6 bra OVER;");
      some();
      line("bar.sync 0;");
      body += "OVER:\n";
    };
    some();
    if (inside)
      branch();
    some();
    line("add.u32 %r36, %r36, 1;\n  setp.lt.u32 %p7, %r36, %r22;\n  @%p7 bra AGREED;");
    if (!inside)
      branch();
    some();
  }

  void step(unsigned depth) {
    switch (pick(depth ? 9 : 3)) {
    case 0:
      address();
      line("st.shared.u32 [%r30], %r21;");
      return;
    case 1:
      address();
      line("ld.shared.u32 %r32, [%r30];");
      line("add.u32 %r21, %r21, %r32;");
      return;
    case 2: line("ld.global.u32 %r32, [%rd1];\n  mad.lo.u32 %r21, %r21, 5, %r32;"); return;
    case 3: line("bar.sync 0;"); return;
    case 4: return ofSomeWarps(depth);
    case 5: return handOver();
    case 6: return onlyData();
    case 7: return perhapsStore();
    default: return loop(depth);
    }
  }

  /// The first warps only, with a barrier of their own.
  void ofSomeWarps(unsigned depth) {
    const unsigned count = 1 + pick(warps), id = ++labels;
    line("setp.ge.u32 %p1, %r20, {};\n  @%p1 bra A{};", count, id);
    for (unsigned i = 0, steps = 1 + pick(3); i < steps; ++i)
      pick(3) ? step(0) : line("bar.sync {}, {};", 1 + pick(2), 32 * count);
    line("bar.sync 3, {};", 32 * (pick(12) ? count : warps));
    body += fmt::format("A{}:\n", id);
    (void)depth;
  }

  /// One warp arrives, another waits.
  void handOver() {
    const unsigned id = ++labels, from = pick(warps), to = (from + 1) % warps, barrier = 4 + pick(2);
    line("setp.ne.u32 %p1, %r20, {};\n  @%p1 bra B{};", from, id);
    address();
    line("st.shared.u32 [%r30], %r21;\n  bar.arrive {}, 64;", barrier);
    body += fmt::format("B{}:\n", id);
    line("setp.ne.u32 %p1, %r20, {};\n  @%p1 bra C{};", to, id);
    line("bar.sync {}, 64;", barrier);
    address();
    line("ld.shared.u32 %r32, [%r30];\n  add.u32 %r21, %r21, %r32;");
    body += fmt::format("C{}:\n", id);
  }

  void onlyData() {
    const unsigned id = ++labels;
    line("setp.lt.u32 %p1, %r21, %r0;\n  @%p1 bra D{};", id);
    line("ld.global.u32 %r32, [%rd1];\n  add.u32 %r21, %r21, %r32;");
    body += fmt::format("D{}:\n", id);
  }

  /// Every thread at a place of its own, so that it cannot matter who does it.
  void perhapsStore() {
    const unsigned id = ++labels;
    line("bar.sync 0;");
    line("setp.lt.u32 %p1, %r21, %r0;\n  @%p1 bra E{};", id);
    line("st.shared.u32 [%r3], %r21;");
    body += fmt::format("E{}:\n", id);
    line("bar.sync 0;");
  }

  void loop(unsigned depth) {
    const unsigned id = ++labels, counter = 33 + depth;
    line("mov.u32 %r{}, 0;", counter);
    body += fmt::format("L{}:\n", id);
    for (unsigned i = 0, steps = 1 + pick(3); i < steps; ++i)
      step(depth - 1);
    line("add.u32 %r{0}, %r{0}, 1;\n  setp.lt.u32 %p5, %r{0}, {1};\n  @%p5 bra L{2};", counter, 2 + pick(2),
         id);
  }

  std::mt19937 random;
  const bool agreed;
  std::string body;
  unsigned warps = 2, labels = 0;
};

bool isOfTheThree(const Finding &finding) {
  const Class cls = classOf(finding.rule);
  return cls == Class::Race || cls == Class::Deadlock || cls == Class::Barrier || cls == Class::Warp;
}

/// Whether a run with these data finds something wrong.
class Brute {
public:
  explicit Brute(const ptx::Module &parsed) : runs(parsed, 4096, withoutGlobalMemory()) {}

  bool isWrong(unsigned threads, uint32_t seed, std::optional<uint32_t> parameter = {}) {
    const uint32_t n = parameter.value_or(uint32_t(std::mt19937(seed)()));
    found.clear();
    const std::optional<std::vector<Finding>> all = runs.findings({{1, 1, 1}, {threads, 1, 1}}, seed, {n});
    for (const Finding &finding : all.value())
      if (isOfTheThree(finding))
        found += fmt::format("{}: {}: {}\n", idOf(finding.rule), finding.location.str(), finding.text);
    return !found.empty();
  }

  std::string found; ///< of the last run

private:
  static CheckOptions withoutGlobalMemory() {
    CheckOptions options;
    options.globalMemory = false;
    return options;
  }
  KernelRuns runs;
};

TEST(StaticSoundness, agreesForAllInputsWithTheDynamicCheckOfAny) {
  const char *given = std::getenv("HEDDLE_SEED");
  const uint32_t first = given ? uint32_t(std::strtoul(given, nullptr, 10)) : 1;
  const unsigned count = given ? 1 : 400;
  unsigned verdicts[3] = {};
  for (uint32_t seed = first; seed < first + count; ++seed) {
    Writer writer(seed);
    const std::string text = writer.kernel();
    SCOPED_TRACE(fmt::format("HEDDLE_SEED={}\n{}", seed, text));
    Diagnostics problems;
    ptx::Module module = ptx::parse(text, "test.ptx", problems);
    ASSERT_TRUE(problems.empty()) << textOf(problems);
    StaticOptions options;
    options.block = {writer.threads(), 1, 1};
    const StaticResult result = checkStatic(module, "k", options);
    const Verdict verdict = withoutGlobal(result);
    ASSERT_TRUE(result.problems.empty()) << textOf(result.problems);
    ++verdicts[unsigned(verdict)];
    Brute brute(module);
    for (uint32_t data = 1; data <= 3; ++data) {
      const bool wrong = brute.isWrong(writer.threads(), seed * 16 + data);
      if (verdict == Verdict::Holds)
        ASSERT_FALSE(wrong) << "data " << data << "\n" << story(result) << brute.found;
      if (verdict == Verdict::Fails)
        ASSERT_TRUE(wrong) << "data " << data << "\n" << story(result);
    }
  }
  // The generator is worth something only if it makes kernels of both kinds, and few that it cannot decide.
  if (!given) {
    EXPECT_GT(verdicts[unsigned(Verdict::Holds)], count / 10);
    EXPECT_GT(verdicts[unsigned(Verdict::Fails)], count / 10);
    EXPECT_LT(verdicts[unsigned(Verdict::Undecided)], count / 3);
  }
  RecordProperty("holds", int(verdicts[0]));
  RecordProperty("fails", int(verdicts[1]));
  RecordProperty("undecided", int(verdicts[2]));
}

TEST(StaticSoundness, triesAllWaysThatTheBlockMayGoAsAWhole) {
  const char *given = std::getenv("HEDDLE_SEED");
  const uint32_t first = given ? uint32_t(std::strtoul(given, nullptr, 10)) : 1;
  const unsigned count = given ? 1 : 150;
  unsigned verdicts[3] = {};
  for (uint32_t seed = first; seed < first + count; ++seed) {
    Writer writer(seed, true);
    const std::string text = writer.kernel();
    SCOPED_TRACE(fmt::format("HEDDLE_SEED={}\n{}", seed, text));
    Diagnostics problems;
    ptx::Module module = ptx::parse(text, "test.ptx", problems);
    ASSERT_TRUE(problems.empty()) << textOf(problems);
    StaticOptions options;
    options.block = {writer.threads(), 1, 1};
    const StaticResult result = checkStatic(module, "k", options);
    const Verdict verdict = withoutGlobal(result);
    ++verdicts[unsigned(verdict)];
    Brute brute(module);
    bool wrong = false;
    for (uint32_t n = 0; n < 8; ++n)
      wrong |= brute.isWrong(writer.threads(), seed * 16 + n, n);
    if (verdict == Verdict::Holds)
      ASSERT_FALSE(wrong) << story(result) << brute.found;
    if (verdict == Verdict::Fails)
      ASSERT_TRUE(wrong) << story(result);
  }
  if (!given) {
    EXPECT_GT(verdicts[unsigned(Verdict::Holds)], count / 10);
    EXPECT_GT(verdicts[unsigned(Verdict::Fails)], count / 10);
    EXPECT_LT(verdicts[unsigned(Verdict::Undecided)], count / 10);
  }
}

} // namespace
} // namespace heddle::check::test
