// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that depend on parameters and gridDim: row * width + col, grid-stride loops, loops over a row. First what is
// decided, and then random kernels of these forms, right and wrong ones: what is proved of them no run contradicts.
//
// HEDDLE_SEED=n looks at one random kernel; HEDDLE_KERNELS=n at so many (`make matrix`: 500).
#include "KernelRuns.h"
#include "StaticRunner.h"

#include <iostream>

namespace heddle::check::test {
namespace {

constexpr Property InBlock = Property::GlobalRacesInBlock, Between = Property::GlobalRacesBetweenBlocks;

/// Whether it has rows of blocks.
bool hasRows(std::string_view body) {
  return body.find("%r11") != std::string_view::npos || body.find("%r4") != std::string_view::npos;
}

/// %r1, %r2 threadIdx.x, .y; %r10 column and %r11 row of the thread in the grid; %r12 threads in a row of blocks; %r13 a
/// number that is the thread's own; %r5, %r6 width and height; %rd0 data.
std::string indexKernel(std::string_view body) {
  return std::string(R"(.version 8.5
.target sm_90a
.address_size 64
.visible .entry k(.param .u32 width, .param .u32 height, .param .u64 p) {
  .reg .pred %p<20>;
  .reg .b32 %r<60>;
  .reg .b64 %rd<20>;
  ld.param.u32 %r5, [width];
  ld.param.u32 %r6, [height];
  ld.param.u64 %rd0, [p];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r7, %ntid.x; mov.u32 %r8, %ntid.y; mov.u32 %r9, %nctaid.x;
  mad.lo.s32 %r10, %r3, %r7, %r1;
  mul.lo.s32 %r12, %r9, %r7;
  mad.lo.s32 %r13, %r10, 8, %r2;
)") +
         (hasRows(body)
              ? "  mov.u32 %r4, %ctaid.y; mad.lo.s32 %r11, %r4, %r8, %r2; mad.lo.s32 %r13, %r4, 4096, %r13;\n"
              : "") +
         std::string(body) + "\nEND:\n  ret;\n}\n";
}

/// %rd2 = &p[%r20]
constexpr const char *At = "mul.wide.s32 %rd1, %r20, 4; add.u64 %rd2, %rd0, %rd1;\n";
const std::string Store = std::string(At) + "st.global.u32 [%rd2], %r13;\n";
const std::string Matrix = "mad.lo.s32 %r20, %r11, %r5, %r10;\n" + Store;

StaticResult checkIndex(const std::string &body, vm::Dim3 block = {16, 4, 1}, const char *width = nullptr) {
  StaticOptions options;
  options.block = block;
  if (width)
    options.parameters.push_back({"width", width});
  return check(indexKernel(body), options);
}

void expectBoth(Decision inBlock, Decision between, const StaticResult &result) {
  expectDecision(inBlock, InBlock, result);
  expectDecision(between, Between, result);
}

TEST(StaticIndex, aMatrixWhoseColumnsAreGuardedIsProved) {
  const std::string guard = "setp.ge.s32 %p1, %r10, %r5; @%p1 bra END;\n";
  StaticResult result = checkIndex(guard + Matrix);
  expectBoth(Decision::Proved, Decision::Proved, result);
  EXPECT_EQ(result.of(Between).assuming,
            (std::vector<std::string>{"index arithmetic does not overflow",
                                      "the grid is 1 in z, which the kernel does not read"}));
  // As one condition, as a return, as a predicate of the store, and with unsigned numbers.
  expectBoth(Decision::Proved, Decision::Proved,
             checkIndex("setp.lt.s32 %p1, %r10, %r5; setp.lt.s32 %p2, %r11, %r6; and.pred %p3, %p1, %p2; "
                        "not.pred %p4, %p3; @%p4 bra END;\n" +
                        Matrix));
  expectBoth(
      Decision::Proved, Decision::Proved,
      checkIndex("setp.ge.s32 %p1, %r11, %r6; setp.ge.or.s32 %p2, %r10, %r5, %p1; @%p2 ret;\n" + Matrix));
  expectBoth(Decision::Proved, Decision::Proved,
             checkIndex("setp.lt.u32 %p1, %r10, %r5; mad.lo.s32 %r20, %r11, %r5, %r10;\n" + std::string(At) +
                        "@%p1 st.global.u32 [%rd2], %r13;"));
}
TEST(StaticIndex, aGuardThatDoesNotKeepColumnsBelowTheWidthIsNotEnough) {
  for (const char *guard :
       {"", "setp.gt.s32 %p1, %r10, %r5; @%p1 bra END;\n", "setp.ge.s32 %p1, %r11, %r6; @%p1 bra END;\n",
        "setp.lt.s32 %p1, %r10, %r5; @%p1 bra END;\n", "setp.ge.s32 %p1, %r10, %r6; @%p1 bra END;\n",
        "setp.ge.s32 %p1, %r10, %r5; setp.ge.s32 %p2, %r11, %r6; and.pred %p3, %p1, %p2; "
        "@%p3 bra END;\n"}) {
    SCOPED_TRACE(guard);
    expectBoth(Decision::Undecided, Decision::Undecided, checkIndex(guard + Matrix));
  }
}
TEST(StaticIndex, aWidthThatIsGivenIsProvedAsEachWidthIs) {
  const vm::Dim3 block = {16, 4, 1};
  for (const char *guard :
       {"setp.ge.s32 %p1, %r10, %r5; @%p1 bra END;\n", "setp.ge.u32 %p1, %r10, %r5; @%p1 bra END;\n",
        "setp.gt.s32 %p1, %r10, 63; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n"}) {
    SCOPED_TRACE(guard);
    expectBoth(Decision::Proved, Decision::Proved, checkIndex(guard + Matrix, block, "64"));
  }
  for (const char *guard :
       {"", "setp.gt.s32 %p1, %r10, %r5; @%p1 bra END;\n", "setp.gt.s32 %p1, %r10, 64; @%p1 bra END;\n",
        "setp.ge.s32 %p1, %r11, %r5; @%p1 bra END;\n", "setp.lt.s32 %p1, %r10, %r5; @%p1 bra END;\n",
        "min.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "setp.ge.s32 %p1, %r1, %r5; @%p1 bra END;\n", "setp.ge.s32 %p1, %r10, %r6; @%p1 bra END;\n"}) {
    SCOPED_TRACE(guard);
    expectDecision(Decision::Undecided, Between, checkIndex(guard + Matrix, block, "64"));
  }
}
// Compilers make one comparison of `row < n && col < n`.
TEST(StaticIndex, aComparisonOfTheLargestIsOneOfEach) {
  for (const char *guard :
       {"max.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r11, %r10; setp.lt.s32 %p1, %r21, %r5; @!%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.gt.s32 %p1, %r5, %r21; not.pred %p2, %p1; @%p2 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.le.s32 %p1, %r5, %r21; @%p1 bra END;\n",
        "max.u32 %r21, %r10, %r11; setp.ge.u32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r11, 3; max.s32 %r22, %r21, %r10; setp.ge.s32 %p1, %r22, %r5; @%p1 bra END;\n",
        "neg.s32 %r21, %r10; neg.s32 %r22, %r11; min.s32 %r23, %r21, %r22; neg.s32 %r24, %r5; "
        "setp.le.s32 %p1, %r23, %r24; @%p1 bra END;\n"}) {
    SCOPED_TRACE(guard);
    expectBoth(Decision::Proved, Decision::Proved, checkIndex(guard + Matrix));
  }
}
TEST(StaticIndex, whatIsAlmostAComparisonOfTheLargestProvesNothing) {
  for (const char *guard :
       {// the smallest one, or either of the two
        "min.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.lt.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.gt.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.eq.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r5, %r21; @!%p1 bra END;\n",
        // another bound, a bound from memory, an index that is not the one of the column
        "max.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r6; @%p1 bra END;\n",
        "ld.global.u32 %r22, [%rd0]; max.s32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r22; @%p1 bra END;\n",
        "max.s32 %r21, %r11, %r2; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        // one of them as unsigned: -1 is the largest number there is
        "max.s32 %r21, %r10, %r11; setp.ge.u32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.u32 %r21, %r10, %r11; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        // not below 0
        "neg.s32 %r21, %r10; neg.s32 %r22, %r11; min.relu.s32 %r23, %r21, %r22; neg.s32 %r24, %r5; "
        "setp.le.s32 %p1, %r23, %r24; @%p1 bra END;\n",
        // a mixture, and a largest one that was overwritten
        "min.s32 %r21, %r10, %r11; max.s32 %r22, %r21, %r2; setp.ge.s32 %p1, %r22, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; ld.global.u32 %r21, [%rd0]; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n",
        "max.s32 %r21, %r10, %r11; setp.gt.u32 %p2, %r1, 3; @%p2 mov.u32 %r21, %r6; "
        "setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n"}) {
    SCOPED_TRACE(guard);
    expectDecision(Decision::Undecided, Between, checkIndex(guard + Matrix));
  }
}
TEST(StaticIndex, anIndexThatMayBeNegativeIsNotBelow) {
  // (unsigned)(col - 1) < width holds for col = 0 where width is large enough; then two rows meet.
  const std::string guard = "sub.s32 %r21, %r10, 1; setp.ge.u32 %p1, %r21, %r5; @%p1 bra END;\n";
  expectBoth(Decision::Undecided, Decision::Undecided,
             checkIndex(guard + "mad.lo.s32 %r20, %r11, %r5, %r21;\n" + Store));
  const std::string below = "sub.s32 %r21, %r10, 1; setp.ge.s32 %p1, %r21, %r5; @%p1 bra END;\n";
  expectBoth(Decision::Undecided, Decision::Undecided,
             checkIndex(below + "mad.lo.s32 %r20, %r11, %r5, %r21;\n" + Store));
}
TEST(StaticIndex, threeDimensionsNeedTwoGuards) {
  const std::string volume = "mov.u32 %r14, %ctaid.z; mad.lo.s32 %r20, %r14, %r6, %r11; "
                             "mad.lo.s32 %r20, %r20, %r5, %r10;\n" +
                             Store;
  const std::string columns = "setp.ge.s32 %p1, %r10, %r5; @%p1 bra END;\n",
                    rows = "setp.ge.s32 %p2, %r11, %r6; @%p2 bra END;\n";
  expectBoth(Decision::Proved, Decision::Proved, checkIndex(columns + rows + volume));
  expectDecision(Decision::Undecided, Between, checkIndex(columns + volume));
  expectDecision(Decision::Undecided, Between, checkIndex(rows + volume));
}
TEST(StaticIndex, aGridStrideLoopIsProved) {
  const std::string body = "mov.u32 %r20, %r10;\nLOOP:\n  setp.ge.s32 %p1, %r20, %r5; @%p1 bra END;\n" +
                           Store + "add.s32 %r20, %r20, %r12; bra LOOP;\n";
  expectBoth(Decision::Proved, Decision::Proved, checkIndex(body, {64, 1, 1}));
  // The same, tested at the end; and with a pointer that moves.
  const std::string atEnd = "setp.ge.s32 %p1, %r10, %r5; @%p1 bra END;\n  mov.u32 %r20, %r10;\nLOOP:\n" +
                            Store + "add.s32 %r20, %r20, %r12; setp.lt.s32 %p2, %r20, %r5; @%p2 bra LOOP;\n";
  expectBoth(Decision::Proved, Decision::Proved, checkIndex(atEnd, {64, 1, 1}));
  const std::string pointer =
      "mul.wide.s32 %rd4, %r10, 4; add.u64 %rd5, %rd0, %rd4; mul.wide.s32 %rd6, %r12, 4; mov.u32 %r20, "
      "%r10;\n"
      "LOOP:\n  setp.ge.s32 %p1, %r20, %r5; @%p1 bra END;\n  st.global.u32 [%rd5], %r13;\n"
      "add.s64 %rd5, %rd5, %rd6; add.s32 %r20, %r20, %r12; bra LOOP;\n";
  expectBoth(Decision::Proved, Decision::Proved, checkIndex(pointer, {64, 1, 1}));
}
TEST(StaticIndex, aStrideThatIsNotTheGridsIsNotProved) {
  auto loop = [](const char *stride) {
    return "mov.u32 %r20, %r10;\n  " + std::string(stride) +
           "\nLOOP:\n  setp.ge.s32 %p1, %r20, %r5; @%p1 bra END;\n" + Store +
           "add.s32 %r20, %r20, %r21; bra LOOP;\n";
  };
  expectBoth(Decision::Proved, Decision::Undecided, checkIndex(loop("mov.u32 %r21, %r7;"), {64, 1, 1}));
  expectBoth(Decision::Undecided, Decision::Undecided, checkIndex(loop("mov.u32 %r21, 32;"), {64, 1, 1}));
  expectDecision(Decision::Undecided, Between, checkIndex(loop("sub.s32 %r21, %r12, 1;"), {64, 1, 1}));
  expectDecision(Decision::Undecided, InBlock, checkIndex(loop("mov.u32 %r21, %r6;"), {64, 1, 1}));
}
TEST(StaticIndex, aNeighbourOfAnElementOfAGridStrideLoopIsNotProved) {
  const std::string body = "mov.u32 %r20, %r10;\nLOOP:\n  setp.ge.s32 %p1, %r20, %r5; @%p1 bra END;\n" +
                           Store + "ld.global.u32 %r30, [%rd2+4]; add.s32 %r20, %r20, %r12; bra LOOP;\n";
  expectBoth(Decision::Undecided, Decision::Undecided, checkIndex(body, {64, 1, 1}));
}
TEST(StaticIndex, aLoopOverARowOfABlockIsProved) {
  auto rows = [](const char *step) {
    return "mov.u32 %r22, %r1;\nLOOP:\n  setp.ge.s32 %p1, %r22, %r5; @%p1 bra END;\n"
           "mad.lo.s32 %r20, %r3, %r5, %r22;\n" +
           Store + step + " bra LOOP;\n";
  };
  expectBoth(Decision::Proved, Decision::Proved, checkIndex(rows("add.s32 %r22, %r22, %r7;"), {64, 1, 1}));
  expectBoth(Decision::Undecided, Decision::Proved, checkIndex(rows("add.s32 %r22, %r22, 1;"), {64, 1, 1}));
  // A step that differs from iteration to iteration.
  expectBoth(Decision::Undecided, Decision::Undecided,
             checkIndex(rows("add.s32 %r22, %r22, %r7; xor.b32 %r22, %r22, 1;"), {64, 1, 1}));
}

// --- random kernels
// ---------------------------------------------------------------------------------------------

class IndexWriter {
public:
  explicit IndexWriter(uint32_t seed) : random(seed) {}

  std::string kernel() {
    isFlat = pick(2);
    for (unsigned i = 0, count = 1 + pick(2); i < count; ++i)
      part();
    return indexKernel(body);
  }
  bool isFlat = false; ///< the block has one dimension

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }
  /// The first one in about two of three cases.
  std::string oneOf(std::vector<std::string> all) { return all[pick(3) ? 0 : pick(unsigned(all.size()))]; }
  void line(const std::string &text) { body += "  " + text + "\n"; }

  void access() {
    line("mul.wide.s32 %rd1, %r20, 4; add.u64 %rd2, %rd0, %rd1;");
    if (pick(2))
      line("ld.global.u32 %r30, [%rd2" + oneOf({"", "+4", "-4"}) + "];");
    line("st.global.u32 [%rd2" + oneOf({"", "", "+4"}) + "], %r13;");
  }
  void part() {
    const std::string end = fmt::format("E{}", ++labels);
    pick(2) ? matrix(end) : loop(end);
    body += end + ":\n";
  }
  /// p[row * width + col], or almost.
  void matrix(const std::string &end) {
    const std::string column = oneOf({"%r10", "%r11", "%r1"}), row = oneOf({"%r11", "%r10", "%r4"});
    const std::string compare = oneOf({"ge.s32", "ge.u32", "gt.s32", "lt.s32", "ge.s32"});
    const std::string width = oneOf({"%r5", "%r6"});
    switch (pick(6)) {
    case 0: break;
    case 1:
    case 2:
      line(oneOf({"max", "min"}) + oneOf({".s32", ".u32"}) + " %r23, " + column + ", " + row + ";");
      line("setp." + compare + " %p1, %r23, " + width + "; @%p1 bra " + end + ";");
      break;
    case 3:
      line("setp." + compare + " %p1, " + column + ", " + width + "; setp.ge.s32 %p2, " + row + ", %r6;");
      line(oneOf({"or", "and"}) + ".pred %p3, %p1, %p2; @%p3 bra " + end + ";");
      break;
    default: line("setp." + compare + " %p1, " + column + ", " + width + "; @%p1 bra " + end + ";"); break;
    }
    line("mad.lo.s32 %r20, " + row + ", %r5, " + column + ";");
    if (!pick(4))
      line("add.s32 %r20, %r20, " + oneOf({"1", "%r5", "%r6"}) + ";");
    access();
  }
  /// A grid-stride loop, or one over a row; tested at its beginning or at its end.
  void loop(const std::string &end) {
    const std::string start = oneOf({"%r10", "%r1", "%r13"}), begin = fmt::format("L{}", labels);
    const bool overRow = pick(3) == 0, atEnd = pick(2);
    const std::string step = overRow ? oneOf({"%r7", "1", "%r12"}) : oneOf({"%r12", "%r7", "%r6", "32"});
    line("mov.u32 %r22, " + (overRow ? std::string("%r1") : start) + ";");
    if (atEnd)
      line("setp.ge.s32 %p4, %r22, %r5; @%p4 bra " + end + ";");
    body += begin + ":\n";
    if (!atEnd)
      line("setp.ge.s32 %p4, %r22, %r5; @%p4 bra " + end + ";");
    line(overRow ? "mad.lo.s32 %r20, " + oneOf({"%r3", "%r11"}) + ", %r5, %r22;" : "mov.u32 %r20, %r22;");
    access();
    if (!pick(5)) { // sometimes twice
      const std::string skip = fmt::format("S{}", ++labels);
      line("setp.gt.s32 %p6, %r13, %r6; @%p6 bra " + skip + ";");
      line("add.s32 %r22, %r22, " + step + ";");
      body += skip + ":\n";
    }
    line("add.s32 %r22, %r22, " + step + ";");
    if (atEnd)
      line("setp.lt.s32 %p5, %r22, %r5; @%p5 bra " + begin + ";");
    else
      line("bra " + begin + ";");
  }

  std::mt19937 random;
  std::string body;
  unsigned labels = 0;
};

/// `isWidthGiven`: the width is one of the command line, and so it is in all runs.
void compareRandomKernels(bool isWidthGiven) {
  const uint32_t first = fromEnvironment("HEDDLE_SEED", 1);
  const unsigned count = std::getenv("HEDDLE_SEED") ? 1 : fromEnvironment("HEDDLE_KERNELS", 150);
  std::cout << fmt::format("seeds {} to {}\n", first, first + count - 1);
  unsigned proved[2] = {}, raced = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    IndexWriter writer(seed);
    const std::string text = writer.kernel();
    Diagnostics problems;
    ptx::Module module = ptx::parse(text, "test.ptx", problems);
    ASSERT_TRUE(problems.empty()) << textOf(problems) << text;
    StaticOptions options;
    options.block = writer.isFlat ? vm::Dim3{32, 1, 1} : vm::Dim3{8, 4, 1};
    const uint32_t givenWidth = 1 + seed * 13 % 70;
    if (isWidthGiven)
      options.parameters.push_back({"width", std::to_string(givenWidth)});
    const StaticResult result = checkStatic(module, "k", options);
    const bool inBlock = result.of(InBlock).decision == Decision::Proved,
               between = result.of(Between).decision == Decision::Proved;
    proved[0] += inBlock, proved[1] += between;
    KernelRuns runs(module, 1 << 20);
    bool races = false;
    for (uint32_t run = 0; run < 8; ++run) {
      const bool alone = run % 4 == 3;
      const uint32_t width = isWidthGiven ? givenWidth : 1 + (seed * 7 + run * 11) % 70,
                     height = 1 + (seed + run * 5) % 20;
      // Kernels that do not read blockIdx.y are taken to have one row of blocks.
      const vm::Dim3 grid =
          alone ? vm::Dim3{1, 1, 1} : vm::Dim3{3, text.find("ctaid.y") == text.npos ? 1u : 2u, 1};
      const auto found = runs.findings({grid, options.block, 2}, seed * 64 + run, {width, height});
      ASSERT_TRUE(found) << text;
      for (const Finding &finding : *found) {
        if (classOf(finding.rule) != Class::Race && finding.rule != Rule::WarpLockstep)
          continue;
        races = true;
        ASSERT_FALSE(inBlock && (alone || between))
            << fmt::format("HEDDLE_SEED={}, run {}: width {}, height {}: {}\n", seed, run, width, height,
                           finding.text)
            << story(result) << text;
      }
    }
    raced += races;
  }
  std::cout << fmt::format("proved within a block: {}, between blocks: {}; a run raced: {}\n", proved[0],
                           proved[1], raced);
  if (count >= 50) {
    EXPECT_GT(proved[0], count / 6);
    EXPECT_GT(proved[1], count / 6);
    EXPECT_GT(raced, count / 4);
  }
}

TEST(StaticIndex, noRunContradictsWhatIsProvedOfRandomKernels) { compareRandomKernels(false); }
TEST(StaticIndex, noRunContradictsWhatIsProvedForAWidthThatIsGiven) { compareRandomKernels(true); }

} // namespace
} // namespace heddle::check::test
