// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores in every space, atomics, and what bad addresses report.
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

const std::string Head =
    ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
    ".reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .b16 %h<8>; .reg .pred %p<8>; .reg .f32 %f<8>; .reg .f64 "
    "%fd<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [in];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd3, %rd2, %rd1; add.u64 %rd1, %rd0, %rd1;\n";
const std::string StoreR1 = "st.global.u32 [%rd1], %r1; ret; }\n";

// --- the allocator
// ---------------------------------------------------------------------------------------------

TEST(MemoryTable, FreedMemoryStaysKnownAndIsNotHandedOutAgain) {
  Memory memory(1 << 20);
  void *a = memory.allocate(100, AllocationKind::Device), *b = memory.allocate(100, AllocationKind::Device);
  EXPECT_EQ(memory.usedBytes(), 200u);
  EXPECT_EQ(memory.free(a), FreeResult::Freed);
  EXPECT_EQ(memory.free(a), FreeResult::AlreadyFreed);
  EXPECT_EQ(memory.free(static_cast<char *>(b) + 4), FreeResult::InsideAnAllocation);
  EXPECT_EQ(memory.free(&memory), FreeResult::NotAnAllocation);
  EXPECT_NE(memory.allocate(100, AllocationKind::Device), a);
  EXPECT_FALSE(memory.find(uint64_t(a)));
  ASSERT_TRUE(memory.nearest(uint64_t(a)));
  EXPECT_FALSE(memory.nearest(uint64_t(a))->live);
}

TEST(MemoryTable, CapacityIsKept) {
  Memory memory(1000);
  EXPECT_EQ(memory.allocate(1001, AllocationKind::Device), nullptr);
  void *a = memory.allocate(600, AllocationKind::Device);
  EXPECT_EQ(memory.allocate(600, AllocationKind::Device), nullptr);
  memory.free(a);
  EXPECT_NE(memory.allocate(600, AllocationKind::Device), nullptr);
}

TEST(MemoryTable, RegisteredHostMemoryIsKnownUntilUnregistered) {
  Memory memory(1000);
  std::vector<int> host(100);
  EXPECT_TRUE(memory.registerHost(host.data(), 400));
  EXPECT_FALSE(memory.registerHost(host.data() + 10, 40));
  EXPECT_TRUE(memory.find(uint64_t(host.data() + 99)));
  EXPECT_TRUE(memory.unregisterHost(host.data()));
  EXPECT_FALSE(memory.find(uint64_t(host.data())));
}

// --- spaces
// ----------------------------------------------------------------------------------------------------

TEST(Access, VectorsAndNarrowTypesInGlobalMemory) {
  Runner runner(
      Head +
      "shl.b64 %rd4, %rd1, 0; mul.wide.u32 %rd5, %r0, 16; add.u64 %rd5, %rd2, %rd5;\n"
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd5]; ld.global.s8 %h0, [%rd5+3]; cvt.s32.s16 %r6, %h0;\n"
      "ld.global.u8 %r7, [%rd5+3]; add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; "
      "add.u32 %r1, %r1, %r6;\n"
      "sub.u32 %r1, %r1, %r7; st.global.v2.u32 [%rd5], {%r5, %r2};\n" +
      StoreR1);
  std::vector<uint32_t> values(128);
  for (uint32_t i = 0; i < 128; ++i)
    values[i] = i * 0x11223344u;
  auto *in = runner.buffer(values);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, in);
  for (unsigned i = 0; i < 32; ++i) {
    const uint32_t *v = &values[4 * i];
    uint8_t top = uint8_t(v[0] >> 24);
    EXPECT_EQ(out[i], v[0] + v[1] + v[2] + v[3] + uint32_t(int32_t(int8_t(top))) - top) << i;
    EXPECT_EQ(in[4 * i], v[3]);
    EXPECT_EQ(in[4 * i + 1], v[0]);
  }
}

TEST(Access, ConstantsGlobalsAndTheirInitializers) {
  Runner runner(".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n.global .align 4 .u32 sum = 7;\n.global "
                ".u64 where = table;\n" +
                Head +
                "and.b32 %r2, %r0, 3; mul.wide.u32 %rd4, %r2, 4; mov.u64 %rd5, table; add.u64 %rd5, %rd5, "
                "%rd4; ld.const.u32 %r1, [%rd5];\n"
                "ld.global.u32 %r3, [sum]; add.u32 %r1, %r1, %r3; ld.global.u64 %rd6, [where]; "
                "cvta.const.u64 %rd6, %rd6; ld.u32 %r4, [%rd6+4]; add.u32 %r1, %r1, %r4;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 10 * (i % 4 + 1) + 7 + 20);
  ASSERT_NE(runner.module->variable("sum"), nullptr);
  *reinterpret_cast<uint32_t *>(runner.module->variable("sum")->address) = 100;
  runner.run({1}, {32}, out, out);
  EXPECT_EQ(out[0], 130u);
}

TEST(Access, LocalMemoryIsPrivateToEachThread) {
  Runner runner(Head +
                ".local .align 4 .b8 mine[64]; mov.u64 %rd4, mine; and.b32 %r2, %r0, 15; mul.wide.u32 %rd5, "
                "%r2, 4; add.u64 %rd5, %rd4, %rd5;\n"
                "st.local.u32 [%rd5], %r0; cvta.local.u64 %rd6, %rd5; ld.u32 %r1, [%rd6]; ld.local.u32 %r3, "
                "[mine+60]; add.u32 %r1, %r1, %r3;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({2}, {64}, out, out);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i + (i % 16 == 15 ? i : 0)) << i;
}

TEST(Access, GenericAddressesReachEverySpaceInOneInstruction) {
  Runner runner(".shared .align 4 .u32 cell[32];\n" + Head +
                ".local .align 4 .u32 mine; mov.u64 %rd4, cell; cvta.shared.u64 %rd5, %rd4; add.u64 %rd5, "
                "%rd5, %rd1; sub.u64 %rd5, %rd5, %rd0;\n"
                "mov.u64 %rd6, mine; cvta.local.u64 %rd6, %rd6; setp.lt.u32 %p0, %r0, 10; selp.b64 %rd7, "
                "%rd5, %rd6, %p0; setp.gt.u32 %p1, %r0, 20; selp.b64 %rd7, %rd1, %rd7, %p1;\n"
                "add.u32 %r2, %r0, 5; st.u32 [%rd7], %r2; ld.u32 %r1, [%rd7]; isspacep.shared %p2, %rd7; "
                "@%p2 add.u32 %r1, %r1, 100; isspacep.global %p3, %rd7; @%p3 add.u32 %r1, %r1, 200;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i + 5 + (i < 10 ? 100 : i > 20 ? 200 : 0)) << i;
}

TEST(Access, HostMemoryThatIsRegisteredOrManaged) {
  Runner runner(Head + "ld.global.u32 %r1, [%rd3]; add.u32 %r1, %r1, 1;\n" + StoreR1);
  std::vector<uint32_t> host(32, 4);
  auto *managed = static_cast<uint32_t *>(runner.simulator.memory().allocate(128, AllocationKind::Managed));
  EXPECT_EQ(runner.launch({1}, {32}, managed, host.data()).status, LaunchStatus::Fault);
  runner.simulator.memory().registerHost(host.data(), 128);
  runner.run({1}, {32}, managed, host.data());
  EXPECT_EQ(managed[31], 5u);
}

// --- atomics
// ---------------------------------------------------------------------------------------------------

TEST(Atomics, EveryOperationOnEveryCore) {
  Runner runner(Head +
                "red.global.add.u32 [%rd2], 1; red.global.max.s32 [%rd2+4], %r0; red.global.min.s32 "
                "[%rd2+8], %r0; red.global.or.b32 [%rd2+12], %r0;\n"
                "atom.global.add.u32 %r1, [%rd2+16], 2; red.global.xor.b32 [%rd2+20], 1; cvt.u64.u32 %rd4, "
                "%r0; red.global.add.u64 [%rd2+24], %rd4;\n"
                "atom.global.inc.u32 %r2, [%rd2+32], 9; mov.f32 %f0, 0f3F000000; red.global.add.f32 "
                "[%rd2+36], %f0; mov.f64 %fd0, 0d3FF0000000000000; red.global.add.f64 [%rd2+40], %fd0;\n"
                "red.global.and.b32 [%rd2+48], 0xfffffffe; ret; }\n");
  for (unsigned cores : {1u, 2u}) {
    runner.request.cores = cores;
    auto *cells = runner.buffer<uint32_t>(16);
    cells[2] = 1000, cells[12] = ~0u;
    runner.run({50}, {128}, cells, cells);
    EXPECT_EQ(cells[0], 6400u);
    EXPECT_EQ(cells[1], 127u);
    EXPECT_EQ(cells[2], 0u);
    EXPECT_EQ(cells[3], 127u);
    EXPECT_EQ(cells[4], 12800u);
    EXPECT_EQ(cells[5], 0u);
    EXPECT_EQ(reinterpret_cast<uint64_t &>(cells[6]), 50u * 8128);
    EXPECT_EQ(cells[8], 6400u % 10);
    EXPECT_EQ(reinterpret_cast<float &>(cells[9]), 3200.0f);
    EXPECT_EQ(reinterpret_cast<double &>(cells[10]), 6400.0);
    EXPECT_EQ(cells[12], 0xfffffffeu);
  }
}

TEST(Atomics, FloatSumsAndSlotsAreTheSameOnAnyNumberOfCores) {
  // A sum whose rounding shows the order, and a queue whose slots are handed out by an atomic.
  Runner runner(Head + "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r0; "
                       "cvt.rn.f32.u32 %f0, %r4; mul.f32 %f0, %f0, 0f3DCCCCCD;\n"
                       "mov.u32 %r8, 0; and.b32 %r9, %r4, 511;\nBUSY: add.u32 %r8, %r8, 1; setp.lt.u32 %p0, "
                       "%r8, %r9; @%p0 bra BUSY;\n"
                       "red.global.add.f32 [%rd2], %f0; atom.global.add.u32 %r5, [%rd2+4], 1; mul.wide.u32 "
                       "%rd4, %r5, 4; add.u64 %rd4, %rd0, %rd4; st.global.u32 [%rd4], %r4; ret; }\n");
  std::vector<uint32_t> first;
  for (unsigned cores : {1u, 2u, 2u, 2u, 2u}) {
    runner.request.cores = cores;
    auto *cells = runner.buffer<uint32_t>(2);
    auto *out = runner.buffer<uint32_t>(64 * 100);
    runner.run({100}, {64}, out, cells);
    std::vector<uint32_t> now(out, out + 6400);
    now.push_back(cells[0]);
    if (first.empty())
      first = now;
    EXPECT_EQ(now, first) << cores << " cores";
  }
}

TEST(Atomics, SharedMemoryAndCompareAndSwap) {
  Runner runner(".shared .align 4 .u32 total;\n" + Head +
                "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [total], 0; bar.sync 0;\n"
                "AGAIN: ld.volatile.shared.u32 %r2, [total]; add.u32 %r3, %r2, %r0; atom.shared.cas.b32 %r4, "
                "[total], %r2, %r3; setp.ne.u32 %p1, %r4, %r2; @%p1 bra AGAIN;\n"
                "bar.sync 0; ld.shared.u32 %r1, [total];\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(128);
  runner.run({1}, {128}, out, out);
  EXPECT_EQ(out[77], 8128u);
}

TEST(DeviceHeap, MallocAndFreeInKernels) {
  Runner runner(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" +
                Head +
                "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 "
                "%rd4, [r]; }\n"
                "st.u32 [%rd4+12], %r0; ld.u32 %r1, [%rd4+12]; { .param .b64 p; st.param.b64 [p], %rd4; call "
                "free, (p); }\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, out);
  EXPECT_EQ(out[63], 63u);
}

// --- faults
// ----------------------------------------------------------------------------------------------------

struct Bad {
  Runner runner;
  uint32_t *out, *in;
  LaunchResult result;
  Bad(const std::string &body, size_t inWords = 32)
      : runner(".shared .align 4 .u32 cell[16];\n.const .align 4 .u32 fixed = 3;\n.file 1 \"saxpy.cu\"\n"
               ".file 2 \"inner.h\"\n" +
               Head + body + "\nmov.u32 %r1, 0;\n" + StoreR1),
        out(runner.buffer<uint32_t>(64)), in(runner.buffer<uint32_t>(inWords)) {}
  const Fault &fault(Dim3 block = {64}) {
    result = runner.launch({2}, block, out, in);
    EXPECT_EQ(result.status, LaunchStatus::Fault);
    if (!result.fault)
      result.fault = Fault();
    return *result.fault;
  }
};

TEST(Faults, OutOfBoundsNamesThreadAddressAndTheNearestAllocation) {
  Bad bad(".loc 1 19 20\nld.global.u32 %r2, [%rd3];");
  const Fault &fault = bad.fault();
  EXPECT_EQ(fault.kind, FaultKind::OutOfBounds);
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.where.block, (Dim3{0, 0, 0}));
  EXPECT_EQ(fault.where.thread, (Dim3{32, 0, 0}));
  EXPECT_EQ(fault.where.warp, 1u);
  EXPECT_EQ(fault.address, uint64_t(bad.in + 32));
  EXPECT_EQ(fault.source.str(), "saxpy.cu:19:20");
  ASSERT_EQ(fault.details.size(), 1u);
  EXPECT_NE(fault.details[0].find("it is directly after the end of allocation"), std::string::npos)
      << fault.details[0];
  EXPECT_NE(fault.details[0].find("(device, 128 bytes at"), std::string::npos);
  EXPECT_NE(Runner::story(fault).find("ld.global.u32"), std::string::npos);
}

TEST(Faults, ALineOfAHeaderIsNamedWithTheHeaderAndWhatItWasInlinedInto) {
  // Files are known by their place in the module, which is one less than their number here.
  Bad bad(".loc 1 19 20\n.loc 2 341 3, function_name $name, inlined_at 1 19 20\n"
          "ld.global.u32 %r2, [%rd3];");
  const Fault &fault = bad.fault();
  EXPECT_EQ(fault.source.str(), "inner.h:341:3");
  ASSERT_EQ(fault.details.size(), 2u);
  EXPECT_EQ(fault.details[1], "inlined at saxpy.cu:19:20");
}

TEST(Faults, TheSimulatorsOwnMemoryIsNobodysNeighbour) {
  Bad bad("add.u64 %rd3, %rd3, 0x100000; ld.global.u32 %r2, [%rd3];");
  const Fault &fault = bad.fault();
  ASSERT_FALSE(fault.details.empty());
  EXPECT_NE(fault.details[0].find("past the end of allocation"), std::string::npos) << fault.details[0];
}

TEST(Faults, UseAfterFreeIsDistinguished) {
  Bad bad("ld.global.u32 %r2, [%rd3];", 64);
  bad.runner.simulator.memory().free(bad.in);
  EXPECT_EQ(bad.fault().kind, FaultKind::UseAfterFree);
}

TEST(Faults, MisalignedAccess) {
  Bad bad("add.u64 %rd3, %rd3, 2; ld.global.u32 %r2, [%rd3];");
  EXPECT_EQ(bad.fault({8}).kind, FaultKind::Misaligned);
}

TEST(Faults, NullPointer) {
  Bad bad("mov.u64 %rd5, 0; ld.global.u32 %r2, [%rd5];");
  EXPECT_NE(bad.fault().text.find("null pointer"), std::string::npos);
}

TEST(Faults, SharedMemoryHasAnEnd) {
  Bad bad("mov.u32 %r5, cell; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], %r0;");
  const Fault &fault = bad.fault();
  EXPECT_EQ(fault.where.thread.x, 16u);
  EXPECT_EQ(fault.text, "shared store of 4 bytes at 0x40 is outside the block's 64 bytes");
}

TEST(Faults, GlobalPointerUsedAsShared) {
  Bad bad("ld.shared.u32 %r2, [%rd2];");
  EXPECT_EQ(bad.fault().kind, FaultKind::WrongSpace);
}

TEST(Faults, ConstantMemoryIsReadOnlyAndConstantLoadsStayInIt) {
  Bad write("mov.u64 %rd5, fixed; cvta.const.u64 %rd5, %rd5; st.u32 [%rd5], %r0;");
  EXPECT_EQ(write.fault().kind, FaultKind::ReadOnly);
  Bad read("ld.const.u32 %r2, [%rd2];");
  EXPECT_EQ(read.fault().kind, FaultKind::WrongSpace);
}

TEST(Faults, TrapStopsTheLaunch) {
  Bad bad("setp.eq.u32 %p0, %r0, 5; @%p0 trap;");
  const Fault &fault = bad.fault();
  EXPECT_EQ(fault.kind, FaultKind::Trap);
  EXPECT_EQ(fault.where.thread.x, 5u);
}

TEST(Faults, TheFirstBlockIsReportedWhateverTheNumberOfCores) {
  // Every block but the first two faults; later ones fault sooner.
  for (unsigned cores : {1u, 2u}) {
    Runner runner(Head +
                  "mov.u32 %r5, %ctaid.x; setp.lt.u32 %p0, %r5, 2; @%p0 ret; mov.u32 %r8, 0; mul.lo.u32 %r9, "
                  "%r5, 40; sub.u32 %r9, 4000, %r9;\n"
                  "BUSY: add.u32 %r8, %r8, 1; setp.lt.u32 %p0, %r8, %r9; @%p0 bra BUSY; trap; ret; }\n");
    runner.request.cores = cores;
    auto *out = runner.buffer<uint32_t>(64);
    LaunchResult result = runner.launch({64}, {32}, out, out);
    ASSERT_EQ(result.status, LaunchStatus::Fault);
    EXPECT_EQ(result.fault->where.block.x, 2u);
  }
}

TEST(Refusals, LimitsAreNamedWithBothNumbers) {
  Runner runner(Head + "mov.u32 %r1, 0;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  EXPECT_EQ(runner.launch({1}, {2048}, out, out).refusal, "2048 threads per block exceed the limit of 1024");
  EXPECT_EQ(runner.launch({1}, {1, 1, 65}, out, out).refusal, "blockDim.z is 65, and the limit is 64");
  EXPECT_EQ(runner.launch({0}, {1}, out, out).refusal, "a dimension of the grid or of the block is 0");
  runner.request.dynamicSharedBytes = 300000;
  EXPECT_EQ(runner.launch({1}, {1}, out, out).status, LaunchStatus::Refused);
}

} // namespace
} // namespace heddle::vm::test
