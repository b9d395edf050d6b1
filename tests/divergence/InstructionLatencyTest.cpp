// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/InstructionLatency.h"

#include "arch/Latencies.h"
#include "ptx/Parser.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace heddle::divergence {
namespace {

/// Of each of these instructions in turn.
std::vector<std::string> classesOf(const std::string &instructions) {
  Diagnostics problems;
  const ptx::Module module =
      ptx::parse(".version 8.5\n.target sm_90a\n.address_size 64\n.const .u32 char_size;\n"
                 ".visible .entry k(.param .u64 pointer) {\n.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 "
                 "%f<8>; .reg .f64 "
                 "%fd<8>; .reg .pred %p<4>;\n" +
                     instructions + "\nret; }\n",
                 "t.ptx", problems);
  EXPECT_TRUE(problems.empty());
  std::vector<std::string> classes;
  for (const ptx::Instr &instr : module.functions[0].instrs)
    classes.emplace_back(latencyClassOf(module.functions[0], instr));
  classes.pop_back(); // ret
  return classes;
}

TEST(InstructionLatency, ArithmeticIsDistinguishedByTypeAndWidth) {
  EXPECT_EQ(classesOf("add.s32 %r0, %r1, %r2; add.s64 %rd0, %rd1, %rd2; add.f32 %f0, %f1, %f2; fma.rn.f64 "
                      "%fd0, %fd1, %fd2, %fd0;"
                      "mul.wide.s32 %rd0, %r1, %r2; mul.hi.u32 %r0, %r1, %r2; div.s32 %r0, %r1, %r2; "
                      "div.approx.f32 %f0, %f1, %f2;"
                      "rcp.rn.f64 %fd0, %fd1; rem.u64 %rd0, %rd1, %rd2;"),
            (std::vector<std::string>{"add.s32", "add.s64", "add.f32", "fma.f64", "mul.wide.s32",
                                      "mul.hi.s32", "div.s32", "div.approx.f32", "rcp.rn.f64", "rem.u64"}));
}

TEST(InstructionLatency, MemoryIsDistinguishedBySpace) {
  EXPECT_EQ(classesOf("ld.global.f32 %f0, [%rd0]; ld.shared.u32 %r0, [%r1]; ld.const.u32 %r0, [char_size]; "
                      "st.global.u32 [%rd0], %r0;"
                      "atom.shared.add.u32 %r0, [%r1], %r2; atom.global.cas.b32 %r0, [%rd0], %r1, %r2;"),
            (std::vector<std::string>{"ld.global.l1", "ld.shared", "ld.const", "st.global", "atom.shared",
                                      "atom.global.cas"}));
}

TEST(InstructionLatency, EveryKeyOfTheTableOfInstructionsIsAClassOfLatencies) {
  for (unsigned i = 0; i < ptx::kNumOps; ++i)
    if (const ptx::OpInfo &op = ptx::info(ptx::Op(i)); !op.latencyKey.empty())
      EXPECT_TRUE(arch::isLatencyClass(op.latencyKey)) << op.name << ": " << op.latencyKey;
}

TEST(InstructionLatency, WhatIsNoInstructionOfAGpuTakesNoTime) {
  const std::vector<std::string> classes =
      classesOf("ld.param.u64 %rd0, [pointer]; cvta.to.global.u64 %rd1, %rd0; add.s64 %rd2, %rd1, 4;");
  const std::string none(NoInstruction);
  EXPECT_EQ(classes, (std::vector<std::string>{none, none, "add.s64"}));
  const std::optional<arch::LatencyTable> noTable;
  BlockLatencies latencies(noTable, MemoryLevel::L1);
  EXPECT_EQ(latencies.of({{none, 5}, {"add.s64", 1}}), 1);
  EXPECT_EQ(latencies.counted, 1u);
}

TEST(InstructionLatency, ABlockTakesTheSumOfItsInstructions) {
  // Listing 2 of the paper: 610 cycles on a GTX 480.
  ClassCounts counts;
  for (const std::string &cls : classesOf("mul.lo.s32 %r3, %r2, 8; ld.const.u32 %r4, [char_size]; mul.lo.u32 "
                                          "%r5, %r3, %r4; rem.u32 %r6, %r1, %r5;"
                                          "div.u32 %r7, %r6, %r4;"))
    ++counts[cls];
  const std::optional<arch::LatencyTable> table = arch::LatencyTable{
      "the paper", {{"mul.lo.s32", 18}, {"ld.const", 46}, {"rem.u32", 264}, {"div.u32", 264}}, {}};
  BlockLatencies latencies(table, MemoryLevel::L1);
  EXPECT_EQ(latencies.of(counts), 610);
  EXPECT_EQ(latencies.own, 5u);
}

TEST(InstructionLatency, WithoutATableInstructionsAreCounted) {
  const std::optional<arch::LatencyTable> none;
  BlockLatencies latencies(none, MemoryLevel::Dram);
  EXPECT_EQ(latencies.of({{"add.s32", 3}, {"ld.global.l1", 2}}), 5);
  EXPECT_EQ(latencies.counted, 5u);
}

TEST(InstructionLatency, GlobalLoadsTakeWhatTheirMemoryTakes) {
  const std::optional<arch::LatencyTable> table = arch::LatencyTable{
      "a test", {{"ld.global.l1", 30}, {"ld.global.l2", 200}, {"ld.global.dram", 600}}, {}};
  const ClassCounts load = {{"ld.global.l1", 1}};
  EXPECT_EQ(BlockLatencies(table, MemoryLevel::L1).of(load), 30);
  EXPECT_EQ(BlockLatencies(table, MemoryLevel::L2).of(load), 200);
  EXPECT_EQ(BlockLatencies(table, MemoryLevel::Dram).of(load), 600);
}

} // namespace
} // namespace heddle::divergence
