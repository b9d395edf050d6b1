// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/ObserverPair.h"

#include "vm/Counters.h"
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

struct OnlyBranches : Observer {
  unsigned branches = 0, others = 0;
  uint32_t interests() const override { return Branches; }
  void branch(const WarpRef &, SiteRef, uint32_t, uint32_t) override { ++branches; }
  void instruction(const WarpRef &, SiteRef, uint32_t) override { ++others; }
  void access(const WarpRef &, SiteRef, const AccessEvent &) override { ++others; }
  void codeBlock(const WarpRef &, const BlockOfCode &, uint32_t) override { ++others; }
};

TEST(ObserverPair, EachReceivesWhatItAskedForAndNothingElse) {
  Runner runner(".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;\n"
                "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; setp.ge.s32 %p, %r0, 16; @%p bra END;\n"
                "st.global.u32 [%rd0], %r0; bar.warp.sync 0xffff;\nEND: ret; }\n");
  auto *out = runner.buffer<uint32_t>(1);
  Counters alone, together;
  runner.observer = &alone;
  runner.run({2}, {32}, out);
  OnlyBranches other;
  ObserverPair pair(other, together);
  runner.observer = &pair;
  runner.run({2}, {32}, out);
  EXPECT_EQ(other.branches, 2u);
  EXPECT_EQ(other.others, 0u);
  const CounterSums &a = alone.launches().at(0).sums, &b = together.launches().at(0).sums;
  EXPECT_EQ(a.threadInstructions(), b.threadInstructions());
  EXPECT_EQ(a.globalSectors, b.globalSectors);
  EXPECT_EQ(a.warpSyncs, b.warpSyncs);
  EXPECT_EQ(a.divergentWarps, b.divergentWarps);
  EXPECT_EQ(b.divergentWarps, 2u);
}

} // namespace
} // namespace heddle::vm::test
