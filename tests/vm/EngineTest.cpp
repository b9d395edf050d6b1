// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code beside the interpreter: the same results, faults and counts, for kernels written for the purpose (RandomPtxTest.cpp has
// random ones).
#include "vm/Engine.h"

#include "Runner.h"
#include "vm/CompileQueue.h"

#include <cstdlib>

namespace heddle::vm::test {
namespace {

/// What a launch leaves behind.
struct Outcome {
  std::vector<uint32_t> memory;
  uint64_t warpInstructions = 0, threadInstructions = 0;
  std::string fault;
  bool operator==(const Outcome &) const = default;
};

Outcome runOn(Engine engine, const std::string &text, Dim3 grid, Dim3 block, size_t words, uint32_t number) {
  setEngine(engine);
  Runner runner(text);
  runner.request.cores = 1;
  std::vector<uint32_t> initial(words);
  for (size_t i = 0; i < words; ++i)
    initial[i] = uint32_t(i * 2654435761u);
  uint32_t *memory = runner.buffer(initial);
  const LaunchResult result = runner.launch(grid, block, memory, number);
  setEngine(Engine::Interpreter);
  return {{memory, memory + words},
          result.warpInstructions,
          result.threadInstructions,
          result.fault ? Runner::story(*result.fault) : result.refusal};
}

/// Another time at which Engine::Auto compiles, while this exists.
class Hot {
public:
  explicit Hot(const Hotness &wanted) : before(hotness()) { hotness() = wanted; }
  ~Hot() { hotness() = before; }

private:
  const Hotness before;
};

/// Within the first blocks, and in their midst.
constexpr Hotness Early{.perInstruction = 0, .atLeast = 200, .missedEntries = 2, .inBackground = false};

/// Functions of more instructions are divided, while this exists.
class Divided {
public:
  explicit Divided(uint32_t mostInPart) { setMostInPart(mostInPart); }
  ~Divided() { setMostInPart(0); }
};

void expectSame(const std::string &text, Dim3 grid, Dim3 block, size_t words, uint32_t number = 7) {
  const Hot hot(Early);
  const Outcome expected = runOn(Engine::Interpreter, text, grid, block, words, number);
  for (Engine engine : {Engine::Jit, Engine::Auto}) {
    SCOPED_TRACE(std::string(nameOf(engine)));
    testing::internal::CaptureStderr();
    const Outcome found = runOn(engine, text, grid, block, words, number);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "it is interpreted";
    EXPECT_EQ(found.fault, expected.fault);
    EXPECT_EQ(found.warpInstructions, expected.warpInstructions);
    EXPECT_EQ(found.threadInstructions, expected.threadInstructions);
    for (size_t i = 0; i < words; ++i)
      ASSERT_EQ(found.memory[i], expected.memory[i]) << "word " << i << " of\n" << text;
  }
}

// --- cases

TEST(Engines, ACounterIsThatOfEachLaneBehindALoopThatLanesLeaveAtDifferentTimes) {
  expectSame(".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
             ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p;\n"
             "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 5; mov.u32 %r2, 0;\n"
             "AGAIN: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;\n"
             "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r2; ret; }\n",
             {1}, {64}, 64);
}

// --- lanes that are apart in compiled code

/// A kernel whose body has %r0 (the thread), %rd1 (its word), and %rd0 (all words).
std::string kernelOf(const std::string &body) {
  return ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
         ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<8>;\n"
         "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, "
         "%rd0;\n" +
         body + "ret; }\n";
}

/// With whole warps, with one that has fewer lanes, and with threads in two dimensions.
void expectSameInAllShapes(const std::string &body) {
  for (Dim3 block : {Dim3{64}, Dim3{45}, Dim3{16, 4}})
    expectSame(kernelOf(body), {2}, block, 256);
}

TEST(Engines, BothWaysOfAChoiceAreExecutedInOrder) {
  // Both ways write the same words: the later one remains.
  expectSameInAllShapes("and.b32 %r1, %r0, 3; setp.lt.u32 %p0, %r1, 2; @%p0 bra OTHER;\n"
                        "add.u32 %r2, %r0, 100; st.global.u32 [%rd0+256], %r2; bra END;\n"
                        "OTHER: mul.lo.u32 %r2, %r0, 3; st.global.u32 [%rd0+256], %r2;\n"
                        "END: st.global.u32 [%rd1], %r2;\n");
}

TEST(Engines, RegistersOfLanesThatWaitAreKept) {
  // The first way uses %r3 for itself, the second needs what it was before.
  expectSameInAllShapes("mov.u32 %r3, 7; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra OTHER;\n"
                        "mov.u32 %r3, 9; add.u32 %r2, %r3, %r0; bra END;\n"
                        "OTHER: mul.lo.u32 %r2, %r0, %r3;\n"
                        "END: st.global.u32 [%rd1], %r2;\n");
}

TEST(Engines, WhatAHandlerLoadsIsReadWhereLanesAreOn) {
  // The last lanes of a warp load a word; then its register is the same for each row of a block of short rows.
  expectSameInAllShapes("mov.u32 %r1, %laneid; setp.le.u32 %p0, %r1, 29; @%p0 bra OVER;\n"
                        "ld.global.u32 %r2, [%rd0+512]; st.global.u32 [%rd0+512], %r2;\n"
                        "OVER: mov.u32 %r2, %tid.y; add.u32 %r3, %r2, 1; st.global.u32 [%rd1], %r3;\n");
}

TEST(Engines, RoundsOfALoopAreThoseOfEachLane) {
  // A counter that the lanes in the loop have in common, a choice in the loop, and stores that lanes overwrite.
  expectSameInAllShapes("and.b32 %r1, %r0, 13; mov.u32 %r2, 0; mov.u32 %r4, %r0;\n"
                        "AGAIN: and.b32 %r3, %r4, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra EVEN;\n"
                        "mad.lo.u32 %r4, %r4, 3, 1; bra BOTH;\n"
                        "EVEN: shr.u32 %r4, %r4, 1; st.global.u32 [%rd0+512], %r4;\n"
                        "BOTH: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra AGAIN;\n"
                        "st.global.u32 [%rd1], %r4;\n");
}

TEST(Engines, LoopsInsideOfLoopsEndForEachLane) {
  expectSameInAllShapes(
      "and.b32 %r1, %r0, 5; mov.u32 %r4, 1;\n"
      "OUTER: and.b32 %r2, %r4, 7; setp.eq.u32 %p0, %r2, 0; @%p0 bra NEXT;\n"
      "INNER: mad.lo.u32 %r4, %r4, 5, %r0; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra INNER;\n"
      "NEXT: st.global.u32 [%rd0+600], %r4; add.u32 %r4, %r4, 3; setp.eq.u32 %p2, %r1, 0; sub.u32 %r1, %r1, "
      "1;\n"
      "@!%p2 bra OUTER; st.global.u32 [%rd1], %r4;\n");
}

TEST(Engines, LanesThatLeftALoopAtDifferentTimesPollAsOften) {
  // When lanes that poll let the other warp set the word depends on the backward jumps that they executed before.
  expectSame(
      kernelOf("and.b32 %r1, %r0, 9; setp.ge.u32 %p2, %r0, 32; @%p2 bra SET; mov.u32 %r2, 0;\n"
               "AGAIN: setp.ge.u32 %p0, %r2, %r1; @%p0 bra POLL; add.u32 %r2, %r2, 1; bra AGAIN;\n"
               "POLL: ld.volatile.global.u32 %r3, [%rd0+512]; setp.ne.u32 %p1, %r3, 1; @%p1 bra POLL;\n"
               "bra END;\n"
               "SET: st.volatile.global.u32 [%rd0+512], 1;\n"
               "END: st.global.u32 [%rd1], %r2;\n"),
      {1}, {64}, 256);
}

TEST(Engines, AFaultOfLanesThatAreApartIsTheSame) {
  expectSameInAllShapes("and.b32 %r1, %r0, 6; mov.u32 %r2, 0;\n"
                        "AGAIN: add.u32 %r2, %r2, 1; add.u64 %rd1, %rd1, 200; ld.global.u32 %r3, [%rd1];\n"
                        "setp.lt.u32 %p1, %r2, %r1; @%p1 bra AGAIN; st.global.u32 [%rd1], %r3;\n");
}

TEST(Engines, LanesThatAreApartUseUpTheirBudgetAtTheSamePlace) {
  // Warps that are interrupted in a long loop write to the same word: which is the last depends on where each stopped.
  expectSameInAllShapes(
      "mov.u32 %r2, 0; mad.lo.u32 %r1, %r0, 37, 2000; mov.u32 %r4, %r0;\n"
      "AGAIN: and.b32 %r3, %r4, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra EVEN;\n"
      "mad.lo.u32 %r4, %r4, 3, 1; bra BOTH;\n"
      "EVEN: shr.u32 %r4, %r4, 1; ld.global.u32 %r5, [%rd0+512]; xor.b32 %r4, %r4, %r5;\n"
      "BOTH: st.global.u32 [%rd0+512], %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra AGAIN;\n"
      "st.global.u32 [%rd1], %r4;\n");
}

TEST(Engines, AnIndexThatWrapsAroundIsExtendedAsEachLaneHasIt) {
  expectSame(
      ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<8>;\n"
      "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; add.u32 %r1, %r0, -13; cvt.u64.u32 %rd1, %r1;\n"
      "shr.u64 %rd1, %rd1, 8; cvt.u32.u64 %r2, %rd1;\n"
      "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r2; ret; }\n",
      {1}, {32}, 32);
}

TEST(Engines, AnIndexThatWrapsAroundInALaterChunkIsExtendedAsEachLaneHasIt) {
  for (const char *less : {"-17", "-31"})
    expectSame(".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
               ".reg .b64 %rd<4>; .reg .b32 %r<8>;\n"
               "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; add.u32 %r1, %r0, " +
                   std::string(less) +
                   "; mul.wide.u32 %rd1, %r1, 4; shr.u64 %rd1, %rd1, 8; cvt.u32.u64 %r2, %rd1;\n"
                   "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r2; ret; }\n",
               {1}, {64}, 64);
}

TEST(Engines, ACounterWithAStrideThatChangesIsReadAsItWasBefore) {
  expectSameInAllShapes(
      "mov.u32 %r1, %r0; mov.u32 %r3, 0;\n"
      "AGAIN: mul.lo.u32 %r2, %r1, 12; add.u32 %r1, %r1, 64; xor.b32 %r3, %r3, %r2;\n"
      "setp.lt.u32 %p0, %r1, 700; @%p0 bra AGAIN; mad.lo.u32 %r3, %r1, 5, %r3; st.global.u32 [%rd1], %r3;\n");
}

TEST(Engines, TheNumberOfABlockIsThatBeforeAndBehindABarrier) {
  expectSame(
      ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<12>;\n"
      "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; "
      "mov.u32 %r3, %ntid.x;\n"
      "mad.lo.u32 %r4, %r2, 3, %r1; mad.lo.u32 %r5, %r4, %r3, %r0; bar.sync 0; mov.u32 %r6, %ctaid.x; "
      "mov.u32 %r7, %ctaid.y;\n"
      "mad.lo.u32 %r8, %r6, 100, %r7; nanosleep.u32 1; mov.u32 %r9, %ctaid.y; mad.lo.u32 %r8, %r8, 10, %r9;\n"
      "mul.wide.u32 %rd1, %r5, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r8; ret; }\n",
      {3, 2}, {45}, 270);
}

/// A kernel of one warp that computes %r2 of each lane and stores it.
std::string ofEachLane(const std::string &body) {
  return ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
         ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<3>; .reg .pred %p<3>;\n"
         "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 4; add.u64 %rd8, %rd8, "
         "%rd0;\n" +
         body + "\nst.global.u32 [%rd8], %r2; ret; }\n";
}

// --- warps that run whole until something happens (vm/WholeWarps.cpp)

/// A kernel whose body has %r0 (the thread), %r1 (its warp) and %rd1 (its word), and a word `shared` for each thread.
std::string wholeKernelOf(const std::string &body) {
  return ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
         ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<8>; .shared .b32 words[128];\n"
         "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5;\n"
         "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; shl.b32 %r2, %r0, 2; mov.u32 %r9, words;\n"
         "add.u32 %r9, %r9, %r2; xor.b32 %r10, %r9, 256; st.shared.u32 [%r9], %r0; mov.u32 %r3, 0;\n" +
         body + "st.global.u32 [%rd1], %r3; ret; }\n";
}

constexpr auto SumOfOthers =
    "bar.sync 0; ld.shared.u32 %r4, [%r10]; mad.lo.u32 %r3, %r3, 3, %r4; bar.sync 0;\n"
    "st.shared.u32 [%r9], %r3;\n";

TEST(Engines, WarpsSynchronizeAtBarriersOfALongLoop) {
  expectSame(wholeKernelOf("mov.u32 %r5, 0;\nAGAIN: " + std::string(SumOfOthers) +
                           "add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 1200; @%p0 bra AGAIN;\n"),
             {2}, {128}, 128);
}

TEST(Engines, AHandlerIsCalledWhileOtherWarpsWait) {
  // Of the last warp, in the second round.
  expectSame(
      wholeKernelOf(
          SumOfOthers +
          std::string("setp.ne.u32 %p0, %r1, 2; @%p0 bra ON;\n"
                      "atom.global.add.f32 %r6, [%rd0+512], 0f3F800000; add.u32 %r3, %r3, %r6;\nON: ") +
          SumOfOthers),
      {3}, {128}, 256);
}

TEST(Engines, LanesAreSeparatedBetweenBarriers) {
  expectSame(wholeKernelOf(SumOfOthers +
                           std::string("and.b32 %r5, %r0, 97; setp.eq.u32 %p0, %r5, 96; @%p0 bra ON;\n"
                                       "atom.global.add.u32 %r6, [%rd0+512], %r0;\nON: ") +
                           SumOfOthers),
             {2}, {128}, 256);
}

TEST(Engines, WarpsEndWhileOthersWait) {
  expectSame(wholeKernelOf("setp.eq.u32 %p0, %r1, 1; @%p0 ret;\n" + std::string(SumOfOthers) +
                           "setp.eq.u32 %p0, %r1, 3; @%p0 bra END;\n" + SumOfOthers + "END:\n"),
             {2}, {128}, 128);
}

TEST(Engines, WarpsOfALongLoopTakeTurns) {
  // Warps write the same word once for each of many rounds: who writes last depends on the slices.
  expectSame(wholeKernelOf("mov.u32 %r5, 0;\nAGAIN: add.u32 %r5, %r5, 1; ld.global.u32 %r6, [%rd0+1020];\n"
                           "mad.lo.u32 %r3, %r3, 5, %r6; st.global.u32 [%rd0+1020], %r1;\n"
                           "mad.lo.u32 %r7, %r1, 700, 900; setp.lt.u32 %p0, %r5, %r7; @%p0 bra AGAIN;\n"),
             {1}, {128}, 256);
}

TEST(Engines, WarpsBeginWhereOthersEnd) {
  // From the second block on, nothing calls a handler at first. %r8: the block.
  const std::string block = "mov.u32 %r8, %ctaid.x; mad.lo.u32 %r3, %r1, 5, %r8;\n";
  for (const char *body : {
           "",
           "setp.ne.u32 %p0, %r1, 2; @%p0 bra ON; atom.global.add.f32 %r6, [%rd0+512], 0f3F800000; ON:\n",
           "setp.eq.u32 %p0, %r1, 1; @%p0 ret;\n",
           "and.b32 %r5, %r0, 97; setp.eq.u32 %p0, %r5, 96; @%p0 ret;\n",
           "and.b32 %r5, %r0, 97; setp.eq.u32 %p0, %r5, 96; @%p0 bra ON; add.u32 %r3, %r3, %r0; ON:\n",
           "and.b32 %r5, %r0, 97; setp.eq.u32 %p0, %r5, 96; @%p0 bra ON;\n"
           "atom.global.add.u32 %r6, [%rd0+512], %r0; ON:\n",
           "mul.lo.u32 %r5, %r1, 900; AGAIN: setp.eq.u32 %p0, %r5, 0; @%p0 bra ON;\n"
           "sub.u32 %r5, %r5, 1; xor.b32 %r3, %r3, %r5; st.global.u32 [%rd0+516], %r3; bra AGAIN; ON:\n",
           "mul.lo.u32 %r5, %r1, 50; AGAIN: setp.eq.u32 %p0, %r5, 0; @%p0 bra ON;\n"
           "sub.u32 %r5, %r5, 1; atom.shared.add.u32 %r6, [%r10], %r5; add.u32 %r3, %r3, %r6; bra AGAIN; "
           "ON:\n",
           "mul.lo.u32 %r5, %r1, 50; AGAIN: setp.eq.u32 %p0, %r5, 0; @%p0 bra ON;\n"
           "sub.u32 %r5, %r5, 1; red.shared.xor.b32 [%r10], 7; red.shared.or.b32 [%r9], %r5;\n"
           "red.shared.max.u32 [%r10], 77; bra AGAIN; ON: ld.shared.u32 %r3, [%r10];\n",
           "mad.lo.u32 %r5, %r8, 4, %r1; setp.ne.u32 %p0, %r5, 10; @%p0 bra ON; ld.global.u32 %r3, [0]; "
           "ON:\n",
           "mad.lo.u32 %r5, %r8, 4, %r1; setp.ne.u32 %p0, %r5, 10; @%p0 bra ON; ld.global.u32 %r3, [-4]; "
           "ON:\n",
           "mad.lo.u32 %r5, %r8, 4, %r1; setp.ne.u32 %p0, %r5, 10; @%p0 bra ON; mov.u64 %rd2, -8;\n"
           "ld.global.u64 %rd3, [%rd2]; cvt.u32.u64 %r3, %rd3; ON:\n",
       })
    expectSame(wholeKernelOf(block + body), {4}, {128}, 256);
}

TEST(Engines, AMisusedBarrierIsTheSameFault) {
  expectSame(wholeKernelOf(
                 "setp.eq.u32 %p0, %r1, 2; @%p0 bra OTHER; bar.sync 0; bra ON; OTHER: bar.sync 0, 64; ON:\n"),
             {1}, {128}, 128);
  expectSame(
      wholeKernelOf("setp.eq.u32 %p0, %r1, 2; @%p0 bra OTHER; bar.sync 0; bra ON; OTHER: bar.sync 1; ON:\n"),
      {1}, {128}, 128);
}

TEST(Engines, AnIndexThatWrappedAroundStaysBehindABarrier) {
  expectSame(ofEachLane("add.u32 %r1, %r0, -3; cvt.u64.u32 %rd1, %r1; bar.sync 0; shr.u64 %rd1, %rd1, 32;\n"
                        "cvt.u32.u64 %r2, %rd1;"),
             {1}, {32}, 32);
}

TEST(Engines, AnIndexThatWrappedAroundBeforeAFunctionIsCompiledStays) {
  expectSame(ofEachLane("add.u32 %r1, %r0, -3; cvt.u64.u32 %rd1, %r1; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                        "again: shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r4, %rd2; mad.lo.u32 %r2, %r2, 3, %r4;\n"
                        "add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 9000; @%p0 bra again;"),
             {1}, {32}, 32);
}

TEST(Engines, AnIndexThatWrapsAroundInASumWithoutStrideIsSeen) {
  expectSame(
      ofEachLane(
          "sub.u32 %r1, %r0, 8; mul.lo.u32 %r3, %r0, 4; cvt.u64.u32 %rd1, %r3; mov.u64 %rd2, 1000000;\n"
          "sub.u64 %rd2, %rd2, %rd1; mad.wide.u32 %rd3, %r1, 4, %rd2; shr.u64 %rd3, %rd3, 16;\n"
          "cvt.u32.u64 %r2, %rd3;"),
      {1}, {32}, 32);
}

TEST(Engines, BothHalvesOfAWideValueAreTheirOwn) {
  expectSame(
      ofEachLane("cvt.u64.u32 %rd1, %r0; add.u64 %rd1, %rd1, 20014547599360; mov.b64 {%r3, %r2}, %rd1;"), {1},
      {32}, 32);
}

TEST(Engines, ConversionsBetweenWiderRegistersCutOff) {
  expectSame(
      ofEachLane(
          "cvt.u64.u32 %rd1, %r0; add.u64 %rd1, %rd1, 4294967290; cvt.u64.u32 %rd2, %rd1;\n"
          "shr.u64 %rd2, %rd2, 32; add.u32 %r3, %r0, -5; cvt.u32.u32 %rd3, %r3; shr.u64 %rd3, %rd3, 32;\n"
          "cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r4, %rd3; mad.lo.u32 %r2, %r4, 16, %r2;"),
      {1}, {32}, 32);
}

TEST(Engines, ACachePolicyIsNoValue) {
  // From the second execution of an access on.
  expectSame(ofEachLane("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0; mov.u32 %r1, 0;\n"
                        "again: ld.global.L2::cache_hint.u32 %r2, [%rd8], %rd1; add.u32 %r2, %r2, 3;\n"
                        "st.global.L2::cache_hint.u32 [%rd8], %r2, %rd1; add.u32 %r1, %r1, 1;\n"
                        "setp.lt.u32 %p0, %r1, 5; @%p0 bra again;"),
             {1}, {32}, 32);
}

TEST(Engines, ARegisterThatIsReadBeforeItIsWrittenIsZero) {
  expectSame(ofEachLane("ld.param.u32 %r1, [number]; setp.eq.u32 %p0, %r1, 1; @%p0 add.u32 %r2, %r0, 0;"),
             {1}, {32}, 32);
}

TEST(Engines, LanesThatEndEarlyDoNotChangeTheSchedule) {
  // The order of atomics of two warps shows when each has used up its budget.
  expectSame(ofEachLane("mov.u32 %r1, 0; mov.u32 %r2, 0; setp.eq.u32 %p1, %r0, 5; @%p1 exit;\n"
                        "again: atom.global.add.u32 %r3, [%rd0+512], 1; mad.lo.u32 %r2, %r2, 31, %r3;\n"
                        "add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3000; @%p0 bra again;"),
             {1}, {64}, 129);
}

TEST(Engines, SpecialRegistersCanBeReadAsHalves) {
  expectSame(ofEachLane("mov.u16 %h0, %tid.x; cvt.u32.u16 %r2, %h0;"), {1}, {32}, 32);
  const Outcome found =
      runOn(Engine::Interpreter, ofEachLane("mov.u16 %h0, %tid.x; cvt.u32.u16 %r2, %h0;"), {1}, {32}, 32, 7);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found.memory[lane], lane);
}

TEST(Engines, FunctionsOfTheCLibraryAreCalledByCompiledCode) {
  expectSame(
      ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<8>;\n"
      "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f0, %r0;\n"
      "ex2.approx.f32 %f1, %f0; lg2.approx.f32 %f2, %f0; sin.approx.f32 %f3, %f0; tanh.approx.f32 %f4, %f0;\n"
      "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3;\n"
      "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; st.global.f32 [%rd1], %f1; ret; }\n",
      {1}, {64}, 64);
}

TEST(Engines, LanesThatCallDifferentFunctionsAreCountedOnce) {
  const std::string text =
      ".func (.param .b32 result) one(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r, [a]; add.u32 %r, %r, "
      "1;\n"
      "st.param.b32 [result], %r; ret; }\n"
      ".func (.param .b32 result) two(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r, [a]; add.u32 %r, %r, "
      "2;\n"
      "st.param.b32 [result], %r; ret; }\n"
      ".global .align 8 .u64 table[2] = {one, two};\n"
      ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
      ".reg .b64 %rd<8>; .reg .b32 %r<8>;\n"
      "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; mul.wide.u32 %rd1, %r1, 8;\n"
      "mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1; ld.global.u64 %rd3, [%rd2];\n"
      "{ .param .b32 given; .param .b32 taken; st.param.b32 [given], %r0;\n"
      "kind: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (taken), %rd3, (given), kind; ld.param.b32 %r2, [taken]; }\n"
      "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd0; st.global.u32 [%rd4], %r2; ret; }\n";
  expectSame(text, {1}, {64}, 64);
  // Each thread executes 14 instructions of the kernel and 4 of a function, however many call it together.
  EXPECT_EQ(runOn(Engine::Interpreter, text, {1}, {64}, 64, 7).threadInstructions, 64u * 18);
}

TEST(Engines, AnAccessOutsideIsTheSameFault) {
  for (const char *guard : {"", "@%p "})
    expectSame(
        std::string(".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
                    ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p;\n"
                    "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; setp.gt.u32 %p, %r0, 11;\n"
                    "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r1, [%rd1];\n") +
            guard + "st.global.u32 [%rd1+80], %r1; ret; }\n",
        {1}, {32}, 40);
}

// --- accesses that are checked together

/// A kernel whose body has %r0 (the thread), %rd0 (memory) and in %rd1 another word of memory for each thread, without a common stride.
void expectSameFromScatteredWords(const std::string &body) {
  expectSameInAllShapes("mul.lo.u32 %r1, %r0, %r0; and.b32 %r1, %r1, 124; mul.wide.u32 %rd2, %r1, 4; add.u64 "
                        "%rd2, %rd2, %rd0;\n" +
                        body + "st.global.u32 [%rd1+256], %r9;\n");
}

TEST(Engines, NeighbouringWordsOfEachLaneAreLoaded) {
  expectSameFromScatteredWords(
      "ld.global.u32 %r2, [%rd2+8]; ld.global.u32 %r3, [%rd2+4]; ld.global.u32 %r4, [%rd2+12]; ld.global.u32 "
      "%r5, [%rd2];\n"
      "mad.lo.u32 %r9, %r2, 3, %r3; mad.lo.u32 %r9, %r9, 5, %r4; mad.lo.u32 %r9, %r9, 7, %r5;\n");
}

TEST(Engines, NeighbouringDoubleWordsOfEachLaneAreLoaded) {
  expectSameFromScatteredWords("ld.global.u64 %rd3, [%rd2+16]; ld.global.u64 %rd4, [%rd2+24]; mad.lo.u64 "
                               "%rd3, %rd3, 3, %rd4; cvt.u32.u64 %r9, %rd3;\n");
}

TEST(Engines, LoadsBehindAStoreReadWhatItWrote) {
  expectSameFromScatteredWords(
      "ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+4]; mad.lo.u32 %r4, %r2, 3, %r3;\n"
      "st.global.u32 [%rd2+8], %r4; ld.global.u32 %r5, [%rd2+8]; ld.global.u32 %r6, [%rd2+12]; mad.lo.u32 "
      "%r9, %r5, 5, %r6;\n");
}

TEST(Engines, NeighboursOfAnAddressThatChangesAreItsOwn) {
  expectSameFromScatteredWords("ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+4]; add.u64 %rd2, %rd2, "
                               "8; ld.global.u32 %r4, [%rd2+8];\n"
                               "ld.global.u32 %r5, [%rd2+12]; mad.lo.u32 %r9, %r2, 3, %r3; mad.lo.u32 %r9, "
                               "%r9, 5, %r4; mad.lo.u32 %r9, %r9, 7, %r5;\n");
}

TEST(Engines, NeighbouringWordsAreLoadedForLanesThatAreStillInALoop) {
  expectSameFromScatteredWords(
      "and.b32 %r8, %r0, 7; mov.u32 %r9, 0;\n"
      "AGAIN: ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+4]; ld.global.u32 %r4, [%rd2+8]; "
      "ld.global.u32 %r5, [%rd2+12];\n"
      "add.u32 %r2, %r2, %r3; mad.lo.u32 %r9, %r9, 3, %r2; xor.b32 %r4, %r4, %r5; mad.lo.u32 %r9, %r9, 5, "
      "%r4;\n"
      "add.u64 %rd2, %rd2, 16; setp.eq.u32 %p0, %r8, 0; add.u32 %r8, %r8, -1; @!%p0 bra AGAIN;\n");
}

TEST(Engines, AFaultOfOneOfSeveralAccessesIsThatOfItsInstruction) {
  for (const char *address : {"%rd1", "%rd2"}) // with a common stride, and without
    for (const char *last : {"ld.global.u32 %r5, [ADDRESS+900];", "ld.global.u32 %r5, [ADDRESS+902];",
                             "st.global.u32 [ADDRESS+900], %r4;"}) {
      std::string body = std::string("ld.global.u32 %r2, [ADDRESS]; ld.global.u32 %r3, [ADDRESS+8]; "
                                     "ld.global.u32 %r4, [ADDRESS+12];\n") +
                         "st.global.u32 [ADDRESS+4], %r3; add.u32 %r9, %r2, %r4;\n" + last + "\n";
      for (size_t at = body.find("ADDRESS"); at != std::string::npos; at = body.find("ADDRESS"))
        body.replace(at, 7, address);
      expectSameFromScatteredWords(body);
    }
}

TEST(Engines, SharedWordsAtOffsetsFromARegisterAreThose) {
  expectSameInAllShapes(".shared .align 4 .b8 words[512]; mov.u32 %r1, words; mad.lo.u32 %r2, %r0, 4, %r1; "
                        "st.shared.u32 [%r2], %r0;\n"
                        "bar.sync 0; and.b32 %r3, %r0, 3; mad.lo.u32 %r3, %r3, 16, %r1;\n"
                        "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3+4]; ld.shared.u32 %r6, [%r3+8]; "
                        "ld.shared.u32 %r7, [%r3+12];\n"
                        "mad.lo.u32 %r9, %r4, 3, %r5; mad.lo.u32 %r9, %r9, 5, %r6; mad.lo.u32 %r9, %r9, 7, "
                        "%r7; st.global.u32 [%rd1], %r9;\n");
}

// --- progress

TEST(Engines, LanesThatWaitForEachOtherMakeProgress) {
  expectSame(".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
             ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
             "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; mov.u32 %r3, 0; st.global.u32 [%rd0], 0;\n"
             "bar.sync 0;\n"
             "AGAIN: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;\n"
             "ld.volatile.global.u32 %r2, [%rd0+4]; mad.lo.u32 %r2, %r2, 3, %r0; st.volatile.global.u32 "
             "[%rd0+4], %r2;\n"
             "membar.gl; atom.global.exch.b32 %r1, [%rd0], 0; ret; }\n",
             {1}, {64}, 8);
}

// --- NaNs

TEST(Engines, NaNsOfFloatsAreCanonicalWhereTheirBitsAreRead) {
  expectSameInAllShapes(
      "ld.global.u32 %r2, [%rd1]; or.b32 %r2, %r2, 2139095041; ld.global.u32 %r3, [%rd1+256]; and.b32 %r4, "
      "%r0, 1;\n"
      "setp.eq.u32 %p0, %r4, 0; add.f32 %r5, %r2, %r3; mul.f32 %r6, %r5, %r3; fma.rn.f32 %r7, %r6, %r5, "
      "%r2;\n"
      "@%p0 add.f32 %r7, %r7, %r6; xor.b32 %r8, %r7, %r0; st.global.u32 [%rd1+512], %r8; sub.f32 %r5, %r7, "
      "%r6;\n"
      "mul.sat.f32 %r6, %r5, %r3; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+256], %r5;\n"
      "add.ftz.f32 %r5, %r2, %r2; mul.rz.f32 %r6, %r5, %r2; neg.f32 %r6, %r6; st.global.u32 [%rd1+768], "
      "%r6;\n");
}

/// A kernel of 64 threads with %rd1, %rd2 and %rd3 of its own, some of them NaNs of different bits if the thread's number has the bits of
/// `mask`; it stores %rd4 and %rd5.
std::string withNaNs(const std::string &mask, const std::string &body) {
  return ".visible .entry k(.param .u64 memory, .param .u32 number) {\n"
         ".reg .b64 %rd<16>; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
         "ld.param.u64 %rd0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd8, %r0, 16; add.u64 %rd8, %rd8, "
         "%rd0;\n"
         "cvt.rn.f64.u32 %rd1, %r0; add.f64 %rd2, %rd1, 0d3FF8000000000000; mov.f64 %rd3, "
         "0d4000000000000000;\n"
         "mov.u64 %rd4, 0; mov.u64 %rd5, 0; mov.u32 %r1, 0; and.b32 %r2, %r0, " +
         mask +
         ";\n"
         "setp.eq.u32 %p0, %r2, 1; @%p0 mov.u64 %rd1, 0x7ff4000000001234;\n"
         "setp.eq.u32 %p0, %r2, 3; @%p0 mov.u64 %rd2, 0xfff8000000005678;\n"
         "setp.eq.u32 %p0, %r2, 5; @%p0 mov.u64 %rd3, 0xfff0000000000042; @%p0 mov.u64 %rd1, "
         "0x7ffabc0000000000;\n" +
         body + "st.global.u64 [%rd8], %rd4; st.global.u64 [%rd8+8], %rd5; ret; }\n";
}

TEST(Engines, ProductSumsOfHalvesAreRoundedOnce) {
  // Random numbers, and a third operand near the product, so that most of both cancels.
  for (const char *type : {"f16", "bf16"})
    for (const char *end : {"", ".relu"}) {
      const std::string fma = std::string("fma.rn") + end + "." + type;
      expectSame(
          kernelOf(
              ".reg .b16 %h<8>; mad.lo.u32 %r2, %r0, 2246822519, 374761393; mov.u32 %r3, 0; mov.u32 %r7, 0;\n"
              "AGAIN: mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r4, %r2, 7; xor.b32 %r4, %r4, %r2;\n"
              "mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r5, %r2, 9; xor.b32 %r5, %r5, %r2;\n"
              "mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r6, %r2, 5; xor.b32 %r6, %r6, %r2;\n"
              "mov.b32 {%h0, %h1}, %r4; mov.b32 {%h2, %h3}, %r5; mov.b32 {%h4, %h5}, %r6;\n" +
              fma + " %h6, %h0, %h2, %h4; mul.rn." + type + " %h7, %h1, %h3; xor.b16 %h5, %h7, 0x8003;\n" +
              fma + " %h7, %h1, %h3, %h5; mov.b32 %r8, {%h6, %h7}; " + fma +
              "x2 %r9, %r4, %r5, %r6;\n"
              "mad.lo.u32 %r3, %r3, 31, %r8; mad.lo.u32 %r3, %r3, 31, %r9;\n"
              "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 3000; @%p0 bra AGAIN; st.global.u32 [%rd1], "
              "%r3;\n"),
          {1}, {64}, 64);
    }
}

TEST(Engines, BitsOfNaNsAreThose) {
  const char *const bodies[] = {
      "fma.rn.f64 %rd4, %rd1, %rd2, %rd3; sub.f64 %rd5, %rd3, %rd1; mul.f64 %rd5, %rd5, %rd2;\n",
      "neg.f64 %rd4, %rd1; add.f64 %rd4, %rd2, %rd4; abs.f64 %rd5, %rd4; div.rn.f64 %rd5, %rd5, %rd3;\n",
      // Bits of a value that is no more than a step on the way.
      "add.f64 %rd6, %rd1, %rd2; shr.u64 %rd4, %rd6, 3; mov.u64 %rd6, 1; mul.f64 %rd6, %rd2, %rd3;\n"
      "mov.b64 {%r3, %r4}, %rd6; cvt.u64.u32 %rd5, %r4;\n",
      "mul.f64 %rd6, %rd1, %rd2; setp.lt.f64 %p1, %rd6, %rd3; selp.f64 %rd4, %rd6, %rd3, %p1;\n"
      "min.f64 %rd5, %rd6, %rd1; max.f64 %rd5, %rd5, %rd6;\n",
      "mul.f64 %rd6, %rd1, %rd2; cvt.rzi.s32.f64 %r3, %rd6; cvt.s64.s32 %rd4, %r3; cvt.rn.f32.f64 %r4, "
      "%rd6;\n"
      "cvt.u64.u32 %rd5, %r4; cvt.rni.f64.f64 %rd7, %rd6; xor.b64 %rd5, %rd5, %rd7;\n",
      "setp.gt.u32 %p1, %r0, 20; @%p1 sqrt.rn.f64 %rd4, %rd1; @!%p1 rcp.rn.f64 %rd4, %rd2; mov.f64 %rd5, "
      "%rd4;\n"
      "@%p1 add.f64 %rd5, %rd5, %rd1;\n",
      // A sum that is NaN from some iteration on, in a loop that lanes leave at different times.
      "and.b32 %r3, %r0, 7; add.u32 %r3, %r3, 3;\n"
      "again: fma.rn.f64 %rd4, %rd4, %rd3, %rd2; mul.f64 %rd5, %rd4, %rd4; add.u32 %r1, %r1, 1;\n"
      "setp.eq.u32 %p2, %r1, 4; @%p2 mul.f64 %rd2, %rd2, %rd1; st.global.u64 [%rd8], %rd5;\n"
      "setp.lt.u32 %p1, %r1, %r3; @%p1 bra again;\n",
  };
  for (const char *body : bodies)
    for (const char *mask : {"32", "7", "39"}) // in no lane, in each warp, in the first warp
      for (unsigned threads : {64u, 50u})
        expectSame(withNaNs(mask, body), {2}, {threads}, 1024);
}

// --- functions in parts

/// With parts of several sizes, so that different instructions are the first of one.
void expectSameInParts(const std::string &body) {
  for (uint32_t most : {4u, 7u}) {
    SCOPED_TRACE("parts of " + std::to_string(most));
    const Divided divided(most);
    expectSameInAllShapes(body);
  }
}

TEST(Engines, ALoopGoesThroughParts) {
  // Both warps store to the same word, so it shows where each of them used up its budget.
  expectSameInParts("mov.u32 %r1, 0; mov.u32 %r2, 1; mov.u32 %r3, 2;\n"
                    "AGAIN: mad.lo.u32 %r2, %r2, 5, %r0; xor.b32 %r3, %r3, %r2; shr.u32 %r4, %r3, 3;\n"
                    "add.u32 %r3, %r3, %r4; st.global.u32 [%rd0+512], %r3; mad.lo.u32 %r2, %r3, 7, %r1;\n"
                    "ld.global.u32 %r5, [%rd0+512]; add.u32 %r2, %r2, %r5; add.u32 %r1, %r1, 1;\n"
                    "setp.lt.u32 %p0, %r1, 1500; @%p0 bra AGAIN; st.global.u32 [%rd1], %r2;\n");
}

TEST(Engines, LanesDivergeAcrossParts) {
  expectSameInParts("and.b32 %r1, %r0, 3; mov.u32 %r2, 5; mov.u32 %r4, 0;\n"
                    "AGAIN: setp.lt.u32 %p0, %r1, 2; @%p0 bra OTHER;\n"
                    "add.u32 %r2, %r0, 100; mul.lo.u32 %r2, %r2, %r1; xor.b32 %r2, %r2, 77;\n"
                    "st.global.u32 [%rd0+256], %r2; add.u32 %r2, %r2, %r4; bra END;\n"
                    "OTHER: mul.lo.u32 %r3, %r0, 3; add.u32 %r2, %r2, %r3; shl.b32 %r3, %r3, 2;\n"
                    "sub.u32 %r2, %r2, %r3; st.global.u32 [%rd0+256], %r2;\n"
                    "END: add.u32 %r4, %r4, 1; add.u32 %r1, %r1, 1; and.b32 %r1, %r1, 3;\n"
                    "setp.lt.u32 %p1, %r4, %r0; @%p1 bra AGAIN; st.global.u32 [%rd1], %r2;\n");
}

TEST(Engines, BarriersAndShufflesAreWherePartsBegin) {
  for (uint32_t most = 1; most < 6; ++most) {
    const Divided divided(most);
    expectSame(kernelOf("mov.u32 %r1, 3; bar.sync 0; add.u32 %r1, %r1, %r0; bar.sync 0; bar.sync 0;\n"
                        "shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1; st.global.u32 [%rd1], %r2; bar.sync 0;\n"
                        "ld.global.u32 %r3, [%rd0+12]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;\n"),
               {2}, {64}, 256);
  }
}

TEST(Engines, AFaultInAnotherPartIsTheSame) {
  expectSameInParts("mov.u32 %r2, 0; and.b32 %r1, %r0, 6; add.u32 %r1, %r1, 1; mov.u32 %r3, 0;\n"
                    "AGAIN: add.u32 %r2, %r2, 1; add.u64 %rd1, %rd1, 200; ld.global.u32 %r3, [%rd1];\n"
                    "setp.lt.u32 %p1, %r2, %r1; @%p1 bra AGAIN; st.global.u32 [%rd1], %r3;\n");
}

TEST(Engines, StridesAndWrappedIndicesArriveInOtherParts) {
  for (uint32_t most : {1u, 3u, 5u}) {
    const Divided divided(most);
    expectSame(ofEachLane("add.u32 %r1, %r0, -3; cvt.u64.u32 %rd1, %r1; mul.lo.u32 %r3, %r0, 4;\n"
                          "shr.u64 %rd1, %rd1, 32; cvt.u32.u64 %r2, %rd1; mad.lo.u32 %r2, %r2, 5, %r3;"),
               {1}, {32}, 32);
  }
}

TEST(Engines, OnlyPartsThatAreEnteredAreCompiled) {
  const Divided divided(6);
  setEngine(Engine::Jit);
  Runner runner(kernelOf("ld.param.u32 %r1, [number]; setp.eq.u32 %p0, %r1, 0; @%p0 bra RARE;\n"
                         "mov.u32 %r2, 3; st.global.u32 [%rd1], %r2; ret;\n"
                         "RARE: add.u32 %r2, %r0, 5; mul.lo.u32 %r2, %r2, 7; xor.b32 %r2, %r2, 9;\n"
                         "st.global.u32 [%rd1], %r2; add.u32 %r2, %r2, 1; st.global.u32 [%rd1+4], %r2;\n"));
  auto compiledParts = [&] {
    const auto &tier = runner.request.kernel->entry().tiers[unsigned(LaunchShape::Rows32)];
    size_t count = 0;
    for (const CompiledPart &part : tier.compiled.load()->whole.parts)
      count += part.run.load() != nullptr;
    return count;
  };
  uint32_t *memory = runner.buffer<uint32_t>(64);
  runner.run({1}, {32}, memory, 1u);
  const size_t usual = compiledParts();
  EXPECT_GE(usual, 1u);
  runner.run({1}, {32}, memory, 0u);
  EXPECT_GT(compiledParts(), usual);
  setEngine(Engine::Interpreter);
}

// --- when functions are compiled

/// A kernel of this name that runs a loop `number` times; odd lanes leave it first if `separates`.
std::string loopKernel(const std::string &name, bool separates = false) {
  return ".visible .entry " + name +
         "(.param .u64 memory, .param .u32 number) {\n"
         ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p;\n"
         "ld.param.u64 %rd0, [memory]; ld.param.u32 %r3, [number]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; "
         "mov.u32 "
         "%r2, 1;\n" +
         (separates ? "and.b32 %r4, %r0, 1; sub.u32 %r3, %r3, %r4;\n" : "") +
         "AGAIN: mad.lo.u32 %r2, %r2, 5, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r3; @%p bra AGAIN;\n"
         "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r2; ret; }\n";
}

/// Launches loopKernel on Engine::Auto.
struct AutoLaunches {
  AutoLaunches(const std::string &name, bool separates = false) : runner(loopKernel(name, separates)) {
    setEngine(Engine::Auto);
    runner.name = name;
    runner.request.cores = 1;
    memory = runner.buffer<uint32_t>(64);
  }
  ~AutoLaunches() { setEngine(Engine::Interpreter); }
  /// Whether compiled code was executed for the first time.
  bool launch(unsigned threads, uint32_t rounds) {
    const size_t before = executedFunctions().compiled;
    runner.run({1}, {threads}, memory, rounds);
    return executedFunctions().compiled > before;
  }

  Runner runner;
  uint32_t *memory = nullptr;
};

TEST(Engines, AFunctionThatRanLongIsCompiledInTheBackground) {
  const Hot hot({.perInstruction = 0, .atLeast = 1000});
  AutoLaunches launches("longer");
  EXPECT_FALSE(launches.launch(32, 10));
  awaitCompiled();
  EXPECT_FALSE(launches.launch(32, 10)) << "it has not run for long";
  launches.launch(32, 1000);
  awaitCompiled();
  const size_t before = executedFunctions().compiled;
  launches.launch(32, 10);
  EXPECT_GE(executedFunctions().compiled, before);
  EXPECT_TRUE(launches.runner.request.kernel->entry().wasCompiled);
}

TEST(Engines, ALaunchGoesOnWithCompiledCodeThatIsMadeMeanwhile) {
  const Hot hot({.perInstruction = 0, .atLeast = 5000, .inBackground = false});
  AutoLaunches launches("meanwhile");
  EXPECT_TRUE(launches.launch(32, 100'000));
}

TEST(Engines, AShortProgramDoesNotLoadTheCompiler) {
  AutoLaunches launches("short");
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(launches.launch(64, 100));
  EXPECT_FALSE(launches.runner.request.kernel->entry().tiers[unsigned(LaunchShape::Rows32)].isAsked);
}

TEST(Engines, LanesThatAreSeparatedOftenGetCodeOfTheirOwn) {
  const Hot hot({.perInstruction = 0, .atLeast = 1000, .missedEntries = 3, .inBackground = false});
  AutoLaunches launches("separated", true);
  launches.launch(32, 1000);
  auto codeOf = [&] {
    return launches.runner.request.kernel->entry().tiers[unsigned(LaunchShape::Rows32)].compiled.load();
  };
  launches.launch(32, 10'000);
  ASSERT_NE(codeOf(), nullptr);
  EXPECT_NE(codeOf()->whole.parts[0].run.load(), nullptr);
  EXPECT_EQ(codeOf()->masked.parts[0].run.load(), nullptr);
  for (int i = 0; i < 8; ++i)
    launches.launch(16, 10);
  EXPECT_NE(codeOf()->masked.parts[0].run.load(), nullptr);
}

TEST(Engines, AFunctionThatIsNotCompiledIsNotCountedAsCompiled) {
  std::string many;
  for (int i = 0; i < 101'000; ++i)
    many += "add.u32 %r1, %r1, %r0;\n";
  const std::string text = ".visible .entry enormous(.param .u64 memory, .param .u32 number) {\n"
                           ".reg .b32 %r<4>; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n" +
                           many + "ret; }\n";
  const ExecutedFunctions before = executedFunctions();
  setEngine(Engine::Jit);
  Runner runner(text);
  runner.name = "enormous";
  testing::internal::CaptureStderr();
  runner.run({1}, {32}, runner.buffer<uint32_t>(1), 0u);
  setEngine(Engine::Interpreter);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("enormous is interpreted"), std::string::npos) << said;
  EXPECT_EQ(executedFunctions().all, before.all + 1);
  EXPECT_EQ(executedFunctions().compiled, before.compiled);
}

// --- ends of processes and of kernels

TEST(Engines, AKernelCanGoWhileItIsCompiled) {
  const Hot hot({.perInstruction = 0, .atLeast = 1});
  for (int i = 0; i < 3; ++i) {
    AutoLaunches launches("goes");
    launches.launch(32, 100);
  }
  awaitCompiled();
}

TEST(EnginesDeathTest, AProcessEndsWhileCodeIsCompiled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Hot hot({.perInstruction = 0, .atLeast = 1});
        AutoLaunches launches("unfinished");
        launches.launch(32, 100);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(EnginesDeathTest, AChildThatWasForkedEndsWithoutTheThread) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const Hot hot({.perInstruction = 0, .atLeast = 1});
  AutoLaunches launches("parent");
  launches.launch(32, 100);
  EXPECT_EXIT(std::exit(0), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace heddle::vm::test
