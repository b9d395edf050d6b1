// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Video instructions with selectors, masks and signs. What each computes on whole operands is in tests/vm/rows/video.py.
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

struct Case {
  const char *instruction; ///< on %a, %b, %c into %d, which holds 0 before
  uint32_t a, b, c, want;
};

uint32_t run(const Case &one) {
  Runner runner(std::string(".visible .entry k(.param .u64 p) {\n"
                            ".reg .b64 %p; .reg .b32 %a; .reg .b32 %b; .reg .b32 %c; .reg .b32 %d;\n"
                            "ld.param.u64 %p, [p]; mov.b32 %d, 0;\n"
                            "ld.global.u32 %a, [%p]; ld.global.u32 %b, [%p+4]; ld.global.u32 %c, [%p+8];\n") +
                one.instruction + "\nst.global.u32 [%p+12], %d;\nret;\n}\n");
  uint32_t *at = runner.buffer<uint32_t>(std::vector<uint32_t>{one.a, one.b, one.c, 0});
  EXPECT_TRUE(runner.run({1}, {1}, at).ok());
  return at[3];
}

TEST(Video, SelectorsChooseBytesAndHalfwords) {
  const Case cases[] = {
      {"vadd.s32.s32.s32 %d, %a.b3, %b.h0;", 0xff000000, 0x00018000, 0, 0xffff7fff},
      {"vadd.u32.u32.u32 %d, %a.b3, %b.h0;", 0xff000000, 0x00018000, 0, 0x000080ff},
      {"vsub.s32.u32.s32 %d, %a.h1, %b.b1;", 0x80000000, 0x0000ff00, 0, 0x00008001},
      {"vmax.s32.s32.s32 %d, %a.b0, %b.b2;", 0x000000f0, 0x00f10000, 0, 0xfffffff1},
      {"vset.u32.s32.gt %d, %a.b0, %b.h1;", 0x00000001, 0xffff0000, 0, 1},
      {"vmad.s32.s32.s32 %d, %a.h0, %b.h1, %c;", 0x0000fffe, 0x00030000, 10, 4},
      {"vshl.u32.u32.u32.wrap %d, %a.b0, %b.b1;", 0x00000081, 0x00002100, 0, 0x102},
  };
  for (const Case &one : cases)
    EXPECT_EQ(run(one), one.want) << one.instruction;
}

TEST(Video, ResultsAreInsertedAndSaturatedToTheirPart) {
  const Case cases[] = {
      {"vadd.u32.u32.u32 %d.b1, %a, %b, %c;", 0x1f0, 0x20, 0xaabbccdd, 0xaabb10dd},
      {"vadd.u32.u32.u32.sat %d.b1, %a, %b, %c;", 0x1f0, 0x20, 0xaabbccdd, 0xaabbffdd},
      {"vadd.s32.s32.s32.sat %d.h1, %a, %b, %c;", 0xffff0000, 0xffffffff, 0x11112222, 0x80002222},
      {"vsub.u32.u32.u32.sat %d.h0, %a, %b, %c;", 1, 2, 0x11112222, 0x11110000},
      {"vset.s32.s32.lt %d.b3, %a, %b, %c;", 0x80000000, 0, 0x22222222, 0x01222222},
  };
  for (const Case &one : cases)
    EXPECT_EQ(run(one), one.want) << one.instruction;
}

TEST(Video, LanesAreChosenFromBothSourcesAndMasked) {
  const Case cases[] = {
      // Lane 0 of each source is the last digit; 4 to 7 are bytes of b.
      {"vadd4.u32.u32.u32 %d, %a.b0123, %b.b4567, %c;", 0x04030201, 0x40302010, 0, 0x11223344},
      {"vadd4.u32.u32.u32 %d, %a.b7777, %b.b0000, %c;", 0x00000005, 0x90000000, 0, 0x95959595},
      {"vadd4.u32.u32.u32 %d.b20, %a, %b, %c;", 0x01010101, 0x02020202, 0xaabbccdd, 0xaa03cc03},
      {"vabsdiff4.u32.u32.u32.add %d.b31, %a, %b, %c;", 0x10203040, 0, 1000, 1000 + 0x10 + 0x30},
      {"vsub2.s32.s32.s32.sat %d.h1, %a, %b, %c;", 0x80000000, 0x00010000, 0x00007777, 0x80007777},
      {"vmax2.s32.s32.s32 %d, %a.h03, %b.h21, %c;", 0x00050006, 0xffff0007, 0, 0x00070005},
      {"vset4.u32.u32.ge %d.b0, %a, %b, %c;", 5, 5, 0x09090909, 0x09090901},
  };
  for (const Case &one : cases)
    EXPECT_EQ(run(one), one.want) << one.instruction;
}

TEST(Video, MadNegatesItsProductOrItsAddend) {
  const Case cases[] = {
      {"vmad.s32.u32.u32 %d, -%a, %b, %c;", 3, 5, 20, 5},
      {"vmad.s32.u32.u32 %d, %a, -%b, %c;", 3, 5, 10, uint32_t(-5)},
      {"vmad.s32.u32.u32 %d, %a, %b, -%c;", 3, 5, 20, uint32_t(-5)},
      {"vmad.s32.u32.u32.sat %d, -%a, %b, %c;", 0xffffffff, 0xffffffff, 0, 0x80000000},
      {"vmad.u32.u32.u32.po.shr7 %d, %a, %b, %c;", 16, 16, 127, 3},
  };
  for (const Case &one : cases)
    EXPECT_EQ(run(one), one.want) << one.instruction;
}

TEST(Video, WrongSelectorsAndSignsAreErrors) {
  for (const char *instruction :
       {"vadd.u32.u32.u32 %d, %a.b4, %b;", "vadd.u32.u32.u32 %d, %a.h2, %b;",
        "vadd.u32.u32.u32 %d, %a.b10, %b;", "vadd.u32.u32.u32 %d, -%a, %b;",
        "vadd.u32.u32.u32 %d, %a, %b, %c;", "vadd.u32.u32.u32.add %d, %a, %b;",
        "vadd4.u32.u32.u32 %d.b01, %a, %b, %c;", "vadd4.u32.u32.u32 %d, %a.b8, %b, %c;",
        "vadd4.u32.u32.u32 %d, %a.h10, %b, %c;", "vadd2.u32.u32.u32 %d, %a.h4, %b, %c;",
        "vmad.u32.u32.u32 %d, -%a, -%b, %c;", "vmad.u32.u32.u32.po %d, -%a, %b, %c;",
        "add.u32 %d, %a.b0, %b;", "add.u32 %d, -%a, %b;", "mov.u32 %d, %a.h0;",
        "ld.global.u32 %d, [%a.h0];"}) {
    Diagnostics problems;
    ptx::parse(std::string(".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
                           ".reg .b32 %a; .reg .b32 %b; .reg .b32 %c; .reg .b32 %d;\n") +
                   instruction + "\nret;\n}\n",
               "test.ptx", problems);
    EXPECT_FALSE(problems.empty()) << instruction;
  }
}

} // namespace
} // namespace heddle::vm::test
