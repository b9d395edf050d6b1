// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/BlockSample.h"

#include "Runner.h"

#include <set>

namespace heddle::vm {
namespace {

using test::Runner;

TEST(BlockSample, AllAreTakenInTheirOrderIfThereAreNoMore) {
  for (uint64_t most : {uint64_t(0), uint64_t(7), uint64_t(100)}) {
    const BlockSample sample = BlockSample::of(7, most);
    ASSERT_EQ(sample.taken, 7u);
    for (uint64_t i = 0; i < 7; ++i)
      EXPECT_EQ(sample.at(i), i);
  }
}

TEST(BlockSample, IndicesRiseAndStayInTheGrid) {
  for (uint64_t all : {9u, 100u, 4096u, 2147483647u})
    for (uint64_t most : {1u, 8u, 96u}) {
      const BlockSample sample = BlockSample::of(all, most);
      uint64_t before = 0;
      for (uint64_t i = 0; i < sample.taken; ++i) {
        EXPECT_LT(sample.at(i), all);
        EXPECT_TRUE(i == 0 || sample.at(i) > before) << all << ' ' << most << ' ' << i;
        before = sample.at(i);
      }
    }
}

TEST(BlockSample, ColumnsOfAGridAreAllTheSame) {
  std::set<uint64_t> columns;
  const BlockSample sample = BlockSample::of(512 * 512, 64);
  for (uint64_t i = 0; i < sample.taken; ++i)
    columns.insert(sample.at(i) % 512 / 64);
  EXPECT_EQ(columns.size(), 8u);
}

/// out[block] = block + 1.
const std::string numbering =
    ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1;\n"
    "add.u32 %r1, %r0, 1; st.global.u32 [%rd2], %r1; ret; }\n";

TEST(BlockSample, OnlyBlocksOfTheSampleAreExecuted) {
  Runner runner(numbering);
  uint32_t *out = runner.buffer<uint32_t>(1000);
  runner.request.sampleBlocks = 20;
  runner.run({1000}, {32}, out);
  const BlockSample sample = BlockSample::of(1000, 20);
  std::set<uint32_t> wanted = {0}, found(out, out + 1000);
  for (uint64_t i = 0; i < 20; ++i)
    wanted.insert(uint32_t(sample.at(i)) + 1);
  EXPECT_EQ(found, wanted);
}

TEST(BlockSample, CooperativeLaunchesAreExecutedWhole) {
  Runner runner(numbering);
  uint32_t *out = runner.buffer<uint32_t>(64);
  runner.request.sampleBlocks = 4;
  runner.request.cooperative = true;
  runner.run({64}, {32}, out);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i + 1);
}

} // namespace
} // namespace heddle::vm
