// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Independence.h"

#include "Runner.h"

namespace heddle::vm {
namespace {

bool independent(const std::string &code) {
  test::Runner runner(
      ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;\n"
      ".shared .b32 s;\nld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x;\n" +
      code + "\nret; }\n");
  return areBlocksIndependent(*runner.kernel());
}

TEST(Independence, BlocksThatOnlyWriteAndAddAreIndependent) {
  EXPECT_TRUE(independent("st.global.u32 [%rd0], %r0;"));
  EXPECT_TRUE(independent("ld.global.u32 %r1, [%rd0]; st.global.u32 [%rd0], %r1;"));
  EXPECT_TRUE(independent("red.global.add.u32 [%rd0], %r0;"));
  EXPECT_TRUE(independent("atom.global.add.u32 %r1, [%rd0], %r0;")) << "nobody reads the old value";
}

TEST(Independence, TicketsAndFlagsAreNot) {
  EXPECT_FALSE(independent("atom.global.add.u32 %r1, [%rd0], 1; st.global.u32 [%rd0+8], %r1;"));
  EXPECT_FALSE(
      independent("atom.add.u32 %r1, [%rd0], 1; setp.eq.u32 %p0, %r1, 3; @%p0 st.global.u32 [%rd0+8], %r0;"));
  EXPECT_FALSE(independent("ld.volatile.global.u32 %r1, [%rd0]; st.global.u32 [%rd0+8], %r1;"));
  EXPECT_FALSE(independent("ld.acquire.gpu.global.u32 %r1, [%rd0]; st.global.u32 [%rd0+8], %r1;"));
}

TEST(Independence, SharedMemoryIsOfABlockAlone) {
  EXPECT_TRUE(independent("atom.shared.add.u32 %r1, [s], 1; st.global.u32 [%rd0], %r1;"));
  EXPECT_TRUE(independent("ld.volatile.shared.u32 %r1, [s]; st.global.u32 [%rd0], %r1;"));
}

} // namespace
} // namespace heddle::vm
