// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three properties, each failing and holding, with unknown data; and what may or may not
// happen.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

bool has(const StaticResult &result, Class cls) {
  for (const Finding &finding : result.findings)
    if (classOf(finding.rule) == cls)
      return true;
  return false;
}

void expectFails(Class cls, const StaticResult &result) {
  expectVerdict(Verdict::Fails, result);
  EXPECT_TRUE(has(result, cls)) << story(result);
}

// A tile is written by its own thread and read by the one at the other end of the block.
std::string exchange(const char *between) {
  return kernelAround(std::string(R"(
  ld.global.u32 %r4, [%rd0];
  st.shared.u32 [%r3], %r4;
)") + between + R"(
  sub.u32 %r5, 63, %r1;
  shl.b32 %r5, %r5, 2;
  mov.u32 %r6, s;
  add.u32 %r6, %r6, %r5;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd0], %r7;
)");
}

TEST(StaticVerdict, aRaceIsFoundWhateverTheData) { expectFails(Class::Race, check(exchange(""))); }
TEST(StaticVerdict, aBarrierEndsTheRace) { expectVerdict(Verdict::Holds, check(exchange("bar.sync 0;"))); }
TEST(StaticVerdict, aBarrierOfOneWarpDoesNot) {
  expectFails(Class::Race, check(exchange("bar.warp.sync -1;")));
}

// Warp 0 produces, warp 1 consumes.
std::string handOver(const char *producer, const char *consumer) {
  return kernelAround(std::string(R"(
  and.b32 %r4, %r1, 31;
  shl.b32 %r4, %r4, 2;
  mov.u32 %r5, s;
  add.u32 %r5, %r5, %r4;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra CONSUMER;
  ld.global.u32 %r6, [%rd0];
  st.shared.u32 [%r5], %r6;
)") + producer + "\n  bra END;\nCONSUMER:\n" +
                      consumer + R"(
  ld.shared.u32 %r7, [%r5];
  st.global.u32 [%rd0], %r7;
END:
)");
}

TEST(StaticVerdict, anArrivalOrdersBeforeAWait) {
  expectVerdict(Verdict::Holds, check(handOver("bar.arrive 1, 64;", "bar.sync 1, 64;")));
}
TEST(StaticVerdict, anArrivalThatIsMissingIsADeadlock) {
  expectFails(Class::Deadlock, check(handOver("", "bar.sync 1, 64;")));
}
TEST(StaticVerdict, aWaitThatIsMissingIsARace) {
  expectFails(Class::Race, check(handOver("bar.arrive 1, 64;", "")));
}
TEST(StaticVerdict, twoBarriersInOppositeOrderAreADeadlock) {
  expectFails(Class::Deadlock,
              check(handOver("bar.sync 1, 64; bar.sync 2, 64;", "bar.sync 2, 64; bar.sync 1, 64;")));
}
TEST(StaticVerdict, countsThatDisagreeAreABarrierFinding) {
  StaticResult result = check(handOver("bar.arrive 1, 64;", "bar.sync 1, 32;"));
  expectVerdict(Verdict::Fails, result);
}

TEST(StaticVerdict, memoryThatWasNotWrittenIsFound) {
  expectFails(Class::Uninitialized,
              check(kernelAround("st.shared.u32 [%r3], %r0; ld.shared.u32 %r4, [%r3+256];")));
}
TEST(StaticVerdict, unwrittenMemoryIsNotCertainBesideStoresThatMayHappen) {
  expectVerdict(Verdict::Undecided,
                check(kernelAround("ld.global.u32 %r4, [%rd0]; setp.lt.u32 %p1, %r4, %r0; @%p1 "
                                   "st.shared.u32 [%r3], %r0; ld.shared.u32 %r5, [%r3+256];")));
}

TEST(StaticVerdict, lanesInLockstepAreOrderedIfThatIsAssumed) {
  // A lane reads what its neighbour wrote one instruction before, in a warp; then across warps.
  const std::string text = kernelAround("st.shared.u32 [%r3], %r1; xor.b32 %r4, %r2, 4; mov.u32 %r5, s; "
                                        "add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, [%r5];"),
                    across = kernelAround("st.shared.u32 [%r3], %r1; xor.b32 %r4, %r2, 128; mov.u32 %r5, s; "
                                          "add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, [%r5];");
  StaticOptions options;
  expectFails(Class::Warp, check(text, options));
  options.lockstep = true;
  expectVerdict(Verdict::Holds, check(text, options));
  expectFails(Class::Race, check(across, options));
}

// A store at an unknown address may be what writes.
TEST(StaticVerdict, unwrittenMemoryIsNotCertainBesideStoresThatMayGoAnywhere) {
  StaticResult result = check(
      kernelAround("ld.global.u32 %r4, [%rd0]; and.b32 %r4, %r4, 252; mov.u32 %r5, s; add.u32 %r5, %r5, %r4; "
                   "st.shared.u32 [%r5], 0; bar.sync 0; ld.shared.u32 %r6, [%r3];"));
  expectDecision(Decision::Undecided, Property::Initialization, result);
  expectVerdict(Verdict::Undecided, result);
}

TEST(StaticVerdict, dynamicSharedMemoryWantsASize) {
  const std::string text =
      kernelAround("mov.u32 %r4, dynamic; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], 1;",
                   ".extern .shared .align 4 .b8 dynamic[];\n");
  const char *const hint = "give the size of dynamic shared memory: heddle check --static --shared BYTES";
  StaticOptions options;
  StaticResult result = check(text, options);
  expectVerdict(Verdict::Undecided, result);
  expectDecision(Decision::Undecided, Property::SharedBounds, result);
  expectDecision(Decision::Proved, Property::SharedRaces, result);
  ASSERT_EQ(result.undecided.size(), 1u) << story(result);
  EXPECT_EQ(result.undecided[0].hint, hint);
  options.dynamicSharedBytes = 256;
  expectVerdict(Verdict::Holds, check(text, options));
  options.dynamicSharedBytes = 0;
  result = check(text, options);
  expectFails(Class::Memory, result);
  EXPECT_EQ(result.findings[0].hint,
            "dynamic shared memory has 0 bytes here: the third argument of <<<...>>> is its size in bytes");
}
TEST(StaticVerdict, aRaceInDynamicSharedMemoryOfUnknownSizeIsFound) {
  expectDecision(Decision::Violated, Property::SharedRaces,
                 check(kernelAround("mov.u32 %r4, dynamic; st.shared.u32 [%r4], %r1;",
                                    ".extern .shared .align 4 .b8 dynamic[];\n")));
}
TEST(StaticVerdict, theSizeOfDynamicSharedMemoryIsDataIfItIsNotGiven) {
  const std::string text =
      kernelAround("mov.u32 %r4, dynamic; mov.u32 %r5, %dynamic_smem_size; add.u32 %r4, %r4, %r5; "
                   "ld.shared.u32 %r6, [%r4];",
                   ".extern .shared .align 4 .b8 dynamic[];\n");
  const StaticResult result = check(text);
  EXPECT_NE(story(result).find("depends on the size of dynamic shared memory (heddle check --static --shared "
                               "BYTES may decide it)"),
            std::string::npos)
      << story(result);
}

TEST(StaticVerdict, whatIsGivenIsPartOfEveryProof) {
  const std::string text = kernelAround("st.shared.u32 [%r3], %r0;");
  StaticOptions options;
  EXPECT_TRUE(check(text).given.empty());
  options.parameters = {{"n", "100"}};
  options.blockId = vm::Dim3{2, 0, 0};
  options.grid = vm::Dim3{3, 1, 1};
  options.constantsAreKnown = options.lockstep = true;
  const StaticResult result = check(text, options);
  EXPECT_EQ(result.given,
            (std::vector<std::string>{"n = 100", "blockIdx = (2, 0, 0)", "gridDim = (3, 1, 1)",
                                      "constant memory has its initial values",
                                      "the lanes of a warp execute each instruction together"}));
  for (const PropertyVerdict &each : result.properties)
    EXPECT_EQ(each.assuming, result.given) << story(result);
}

TEST(StaticVerdict, anOriginThatIsNamedIsNotAlsoARegisterThatWasNeverSet) {
  // Half of the warp loads the address, the other half has none.
  const StaticResult result = check(kernelAround("and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1; @%p1 bra NO; "
                                                 "ld.global.u32 %r4, [%rd0]; NO: st.shared.u32 [%r4], %r0;"));
  EXPECT_NE(story(result).find("depends on data in memory"), std::string::npos) << story(result);
  EXPECT_EQ(story(result).find("never set"), std::string::npos) << story(result);
}

// --- safe recycling: three warps, one barrier number, used again before all of its waiters are known to have
// left
std::string recycle(const char *between) {
  return kernelAround(std::string(R"(
  shr.u32 %r4, %r1, 5;
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra FIRST;
  setp.eq.u32 %p1, %r4, 1;
  @%p1 bra SECOND;
  bar.sync 1, 64;
  bra END;
FIRST:
  bar.arrive 1, 64;
)") + between + R"(
  bra END;
SECOND:
  bar.sync 1, 64;
  bar.sync 1, 64;
END:
)");
}

TEST(StaticVerdict, aBarrierUsedByThreeWarpsInPairsIsNotRecycledSafely) {
  StaticOptions options;
  options.block = {96, 1, 1};
  StaticResult result = check(recycle(""), options);
  expectVerdict(Verdict::Fails, result);
}

TEST(StaticVerdict, aBarrierThatHalfAWarpPassesByIsFound) {
  expectFails(Class::Barrier, check(kernelAround(R"(
  setp.ge.u32 %p1, %r1, 48;
  @%p1 bra BY;
  bar.sync 0;
BY:
  st.global.u32 [%rd0], %r1;
)")));
}

// --- may or may not

/// `if (data < n) STORE`
std::string perhaps(const char *body, const char *rest = "") {
  return kernelAround(std::string(R"(
  ld.global.u32 %r4, [%rd0];
  setp.ge.u32 %p1, %r4, %r0;
  @%p1 bra SKIP;
)") + body + "\nSKIP:\n" +
                      rest);
}

TEST(StaticPerhaps, aStoreToOnesOwnPlaceIsFine) {
  expectVerdict(Verdict::Holds, check(perhaps("st.shared.u32 [%r3], %r4;")));
}
TEST(StaticPerhaps, bothWaysMayStore) {
  StaticResult result = check(perhaps("st.shared.u32 [%r3], %r4; bra DONE;",
                                      "st.shared.u32 [%r3], 0; DONE: bar.sync 0; ld.shared.u32 %r5, [s];"));
  expectDecision(Decision::Proved, Property::SharedRaces, result);
  // Each of the two stores may not happen; that one of them does is not seen.
  expectDecision(Decision::Undecided, Property::Initialization, result);
}
TEST(StaticPerhaps, aStoreThatMayRaceIsUndecided) {
  expectVerdict(Verdict::Undecided, check(perhaps("st.shared.u32 [s], %r1;")));
}
TEST(StaticPerhaps, aGuardedStoreThatMayRaceIsUndecided) {
  expectVerdict(Verdict::Undecided,
                check(kernelAround(
                    "ld.global.u32 %r4, [%rd0]; setp.ge.u32 %p1, %r4, %r0; @%p1 st.shared.u32 [s], %r1;")));
}
TEST(StaticPerhaps, aRaceBesideItFails) {
  expectFails(Class::Race, check(perhaps("st.shared.u32 [%r3], %r4;", "st.shared.u32 [s], %r1;")));
}
TEST(StaticPerhaps, aLoopOfUnknownLengthMayReadItsOwnPlace) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  st.shared.u32 [%r3], %r0;
  mov.u32 %r4, 0;
L:
  ld.shared.u32 %r5, [%r3];
  add.u32 %r6, %r6, %r5;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r0;
  @%p1 bra L;
  bar.sync 0;
)")));
}
TEST(StaticPerhaps, aLoopOfUnknownLengthThatStridesIsUndecided) {
  expectVerdict(Verdict::Undecided, check(kernelAround(R"(
  mov.u32 %r4, 0;
L:
  st.shared.u32 [%r3], %r0;
  add.u32 %r3, %r3, 256;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r0;
  @%p1 bra L;
)")));
}
TEST(StaticPerhaps, aLoopOfKnownLengthInsideIsFollowed) {
  expectVerdict(Verdict::Holds, check(perhaps(R"(
  mov.u32 %r5, 0;
L:
  st.shared.u32 [%r3], %r4;
  add.u32 %r3, %r3, 256;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 8;
  @%p2 bra L;
)")));
}
TEST(StaticPerhaps, anAccessOutOfBoundsThatMayNotHappenIsUndecided) {
  expectVerdict(Verdict::Undecided, check(perhaps("st.shared.u32 [%r3+100000], %r4;")));
}
TEST(StaticPerhaps, valuesThatMayBeTheSameAreUndecided) {
  // All threads write what is at *p: one value, but the check does not know that.
  const StaticResult result = check(kernelAround("ld.global.u32 %r4, [%rd0]; st.shared.u32 [s], %r4;"));
  expectVerdict(Verdict::Undecided, result);
  EXPECT_NE(story(result).find("by one instruction, with values that are not known to be equal"),
            std::string::npos)
      << story(result);
}
TEST(StaticPerhaps, unknownValuesOfTwoStoresDiffer) {
  expectFails(Class::Race, check(kernelAround(R"(
  ld.global.u32 %r4, [%rd0];
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra OTHER;
  st.shared.u32 [%r3], %r4;
  bra END;
OTHER:
  st.shared.u32 [%r3-128], %r4;
END:
)")));
}
TEST(StaticPerhaps, accessesThatAFlagMayOrderAreUndecided) {
  StaticResult result = check(kernelAround(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra WAIT;
  st.shared.u32 [%r3], %r4;
  bar.warp.sync -1;
  st.release.cta.shared.u32 [s+512], 1;
  bra END;
WAIT:
  ld.acquire.cta.shared.u32 %r5, [s+512];
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra WAIT;
  ld.shared.u32 %r6, [%r3-128];
END:
)"));
  expectVerdict(Verdict::Undecided, result);
}
TEST(StaticPerhaps, whatDependsOnHowLongAWaitTookIsUndecided) {
  auto body = [](const char *early) {
    return kernelAround(fmt::format(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra INIT;
  mbarrier.init.shared.b64 [s+512], 64;
INIT:
  bar.sync 0;
  mbarrier.arrive.shared.b64 _, [s+512];
  mbarrier.test_wait.parity.shared.b64 %p2, [s+512], 0;
  selp.u32 %r4, 1, 0, %p2;
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra DONE;
  {}
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [s+512], 0;
  @!%p2 bra WAIT;
DONE:
)",
                                    early));
  };
  expectVerdict(Verdict::Holds, check(body("")));
  expectVerdict(Verdict::Undecided, check(body("st.shared.u32 [%r3], 1;")));
}
TEST(StaticPerhaps, valuesThatAreKnownToBeTheSameAreFine) {
  expectVerdict(Verdict::Holds, check(kernelAround("st.shared.u32 [s], 7;")));
}

// --- asynchronous copies and mbarriers

TEST(StaticVerdict, aCopyThatIsWaitedForIsFine) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  cp.async.ca.shared.global [%r3], [%rd0], 4;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  ld.shared.u32 %r4, [s];
)")));
}
TEST(StaticVerdict, aCopyThatIsNotWaitedForIsFound) {
  expectFails(Class::Async, check(kernelAround(R"(
  cp.async.ca.shared.global [%r3], [%rd0], 4;
  cp.async.commit_group;
  bar.sync 0;
  ld.shared.u32 %r4, [s];
)")));
}

std::string bulk(const char *bytes) {
  return kernelAround(fmt::format(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra INIT;
  mbarrier.init.shared.b64 [s], 1;
  fence.proxy.async.shared::cta;
INIT:
  bar.sync 0;
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 _, [s], {};
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+256], [%rd0], 256, [s];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;
  @!%p2 bra WAIT;
  ld.shared.u32 %r4, [%r3+256];
  st.global.u32 [%rd0], %r4;
)",
                                  bytes));
}

TEST(StaticVerdict, aBulkCopyWithItsMbarrierHolds) { expectVerdict(Verdict::Holds, check(bulk("256"))); }
TEST(StaticVerdict, bytesThatNeverComeAreFound) { expectVerdict(Verdict::Fails, check(bulk("512"))); }

// --- what was once called right and is not

TEST(StaticProperties, volatileOrdersNothing) {
  std::string text = exchange("");
  for (const char *access : {"st.shared", "ld.shared"})
    for (size_t at = 0; (at = text.find(std::string(access) + ".u32", at)) != std::string::npos; at += 12)
      text.insert(at + 2, ".volatile");
  ASSERT_NE(text.find("st.volatile.shared.u32"), std::string::npos);
  expectDecision(Decision::Violated, Property::SharedRaces, check(text));
}

TEST(StaticProperties, aLoopThatSpinsOnMemoryMayNotEnd) {
  for (const char *load : {"ld.volatile.global.u32 %r4, [%rd0];", "ld.global.u32 %r4, [%rd0];",
                           "ld.volatile.shared.u32 %r4, [s];", "atom.global.exch.b32 %r4, [%rd0], 1;"}) {
    StaticResult result = check(kernelAround(fmt::format(R"(
  setp.ne.u32 %p1, %r1, 63;
  @%p1 bra WAIT;
  st.volatile.shared.u32 [s], 1;
  st.volatile.global.u32 [%rd0], 1;
WAIT:
  {}
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra WAIT;
)",
                                                         load)));
    expectDecision(Decision::Undecided, Property::Deadlock, result);
  }
}
TEST(StaticProperties, aLoopOverDataThatNoThreadWritesIsTakenToEnd) {
  StaticResult result = check(kernelAround(R"(
NEXT:
  ld.global.u32 %r4, [%rd0];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra NEXT;
)"));
  expectDecision(Decision::Proved, Property::Deadlock, result);
  EXPECT_EQ(result.of(Property::Deadlock).assuming,
            std::vector<std::string>{"loops that wait for no other thread end"});
}
TEST(StaticProperties, aSpinBehindABranchOnDataIsSeen) {
  expectDecision(Decision::Undecided, Property::Deadlock, check(perhaps(R"(
WAIT:
  atom.global.exch.b32 %r5, [%rd0], 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra WAIT;
)")));
}

// Half of the threads come to a barrier that the others leave to them, before or after they did their part.
std::string leaving(const char *before, const char *after) {
  return kernelAround(fmt::format(R"(
  {}
  setp.ge.u32 %p1, %r1, 48;
  @%p1 bra GONE;
  bar.sync 0;
  ret;
GONE:
  {}
)",
                                  before, after));
}
TEST(StaticProperties, aBarrierThatSomeThreadsLeaveIsNotProved) {
  const std::string work = "st.shared.u32 [%r3], %r1;";
  for (const std::string &text : {leaving(work.c_str(), ""), leaving("", work.c_str()),
                                  leaving("bar.sync 0;", ""), leaving("ld.global.u32 %r4, [%rd0];", "")})
    EXPECT_NE(nameOf(check(text).of(Property::BarrierUse).decision), nameOf(Decision::Proved)) << text;
}
TEST(StaticProperties, threadsThatEndAtOnceCountAsArrived) {
  StaticResult result = check(leaving("", ""));
  expectDecision(Decision::Proved, Property::BarrierUse, result);
  EXPECT_EQ(result.of(Property::BarrierUse).assuming,
            std::vector<std::string>{"threads that have ended count as arrived at __syncthreads()"});
}
TEST(StaticProperties, threadsThatLeaveALoopEarlyAreSeen) {
  // As many rounds as the thread's number says.
  StaticResult result = check(kernelAround(R"(
  mov.u32 %r4, 0;
L:
  bar.sync 0;
  add.u32 %r4, %r4, 1;
  setp.le.u32 %p1, %r4, %r1;
  @%p1 bra L;
)"));
  EXPECT_NE(nameOf(result.of(Property::BarrierUse).decision), nameOf(Decision::Proved)) << story(result);
}

TEST(StaticProperties, whatIsWrittenInGlobalMemoryIsNotProvedByOmission) {
  StaticResult result = check(kernelAround("st.global.u32 [%rd0], %r1;"));
  for (Property property : {Property::GlobalRacesInBlock, Property::GlobalRacesBetweenBlocks})
    EXPECT_NE(nameOf(result.of(property).decision), nameOf(Decision::Proved)) << story(result);
  result = check(kernelAround("ld.global.u32 %r4, [%rd0];"));
  for (Property property : {Property::GlobalRacesInBlock, Property::GlobalRacesBetweenBlocks})
    expectDecision(Decision::Proved, property, result);
}

} // namespace
} // namespace heddle::check::test
