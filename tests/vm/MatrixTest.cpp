// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions through the simulator: operands reach semantics/Matrix.h in the right registers and come
// back.
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

TEST(Matrix, DoubleProductOfIdentityKeepsB) {
  // m8n8k4: lane holds A[lane/4][lane%4], B[lane%4][lane/4], C[lane/4][2*(lane%4)+{0,1}]
  Runner runner(
      ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f64 %fd<8>; .reg .pred "
      "%p;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 2; and.b32 %r2, %r0, 3;\n"
      "setp.eq.u32 %p, %r1, %r2; selp.f64 %fd0, 0d3FF0000000000000, 0d0000000000000000, %p; cvt.rn.f64.u32 "
      "%fd1, %r0;\n"
      "mov.f64 %fd2, 0d3FF0000000000000; mov.f64 %fd3, 0d0000000000000000;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd4, %fd5}, {%fd0}, {%fd1}, {%fd2, %fd3};\n"
      "mul.wide.u32 %rd1, %r0, 16; add.u64 %rd1, %rd0, %rd1; st.global.v2.f64 [%rd1], {%fd4, %fd5}; ret; "
      "}\n");
  auto *out = runner.buffer<double>(64);
  runner.run({1}, {32}, out);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned j = 0; j < 2; ++j) {
      const unsigned row = lane / 4, column = 2 * (lane % 4) + j;
      const double product = row < 4 ? column * 4 + row : 0; // B[row][column] is held by lane column*4+row
      EXPECT_EQ(out[2 * lane + j], product + (j == 0 ? 1 : 0)) << lane << "," << j;
    }
}

TEST(Matrix, LoadMatrixGivesEachLaneItsTwoElements) {
  Runner runner(
      ".shared .align 16 .b8 tile[128];\n.visible .entry k(.param .u64 out) {\n.reg .b64 %rd<8>; .reg .b32 "
      "%r<16>; .reg .b16 %h<4>;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r3, "
      "%r1, %r2;\n"
      "shl.b32 %r4, %r0, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5; st.shared.u32 "
      "[%r3], %r4; bar.sync 0;\n"
      "and.b32 %r6, %r0, 7; shl.b32 %r6, %r6, 4; add.u32 %r6, %r1, %r6; "
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r6];\n"
      "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r8}, [%r6];\n"
      "mul.wide.u32 %rd1, %r0, 8; add.u64 %rd1, %rd0, %rd1; st.global.v2.u32 [%rd1], {%r7, %r8}; ret; }\n");
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {32}, out);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4, column = 2 * (lane % 4);
    EXPECT_EQ(out[2 * lane], (row * 8 + column) | (row * 8 + column + 1) << 16) << lane;
    EXPECT_EQ(out[2 * lane + 1], (column * 8 + row) | ((column + 1) * 8 + row) << 16) << lane;
  }
}

TEST(Matrix, FragmentsMultiplyWhateverTheirLayoutInMemory) {
  // D = A * B + C with A by rows, B by columns (so its memory is B transposed), all m16n16k16.
  std::string regs, a, b, c, d;
  for (int i = 0; i < 8; ++i) {
    a += (i ? ", %ra" : "%ra") + std::to_string(i), b += (i ? ", %rb" : "%rb") + std::to_string(i);
    c += (i ? ", %fc" : "%fc") + std::to_string(i), d += (i ? ", %fd" : "%fd") + std::to_string(i);
  }
  Runner runner(
      ".visible .entry k(.param .u64 out, .param .u64 pa, .param .u64 pb) {\n.reg .b64 %rd<8>; .reg .b32 "
      "%r<4>; .reg .b32 "
      "%ra<8>; .reg .b32 %rb<8>; .reg .f32 %fc<8>; .reg .f32 %fd<8>;\n"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; mov.u32 %r0, 16;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {" +
      a +
      "}, [%rd1], %r0;\n"
      "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {" +
      b +
      "}, [%rd2], %r0;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {" +
      c +
      "}, [%rd0], %r0;\n"
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {" +
      d + "}, {" + a + "}, {" + b + "}, {" + c +
      "};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0], {" +
      d + "}, %r0; ret; }\n");
  auto half = [](int v) { // small integers as f16
    if (v == 0)
      return uint16_t(0);
    int e = 31 - __builtin_clz(unsigned(v));
    return uint16_t((e + 15) << 10 | ((v << 10 >> e) & 0x3ff));
  };
  auto *pa = runner.buffer<uint16_t>(256), *pb = runner.buffer<uint16_t>(256);
  auto *out = runner.buffer<float>(256, 2.0f);
  for (int i = 0; i < 256; ++i)
    pa[i] = half(i % 7), pb[i] = half(i % 5 + i / 16 % 3);
  runner.run({1}, {32}, out, pa, pb);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      int sum = 2;
      for (int k = 0; k < 16; ++k)
        sum += (row * 16 + k) % 7 * ((column * 16 + k) % 5 + column % 3);
      EXPECT_EQ(out[row * 16 + column], float(sum)) << row << "," << column;
    }
}

TEST(Textures, FetchesGoToTheServices) {
  class Images : public Services {
  public:
    bool texture(const TextureFetch &f, uint32_t (&texel)[4]) override {
      float value = f.x * 100 + f.y + float(f.dimensions) * 1000;
      std::memcpy(&texel[0], &value, 4);
      texel[3] = 9;
      return f.handle == 77;
    }
    bool storeSurface(const SurfaceAccess &s, const void *bytes) override {
      std::memcpy(&surface[s.y][s.x / 4], bytes, 4);
      return s.handle == 78 && s.bytes == 4;
    }
    uint32_t surface[4][8] = {};
  } images;
  Runner runner(
      ".visible .entry k(.param .u64 out, .param .u64 tex, .param .u64 surf) {\n.reg .b64 %rd<8>; .reg .b32 "
      "%r<16>; .reg .f32 %f<8>;\n"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [tex]; ld.param.u64 %rd3, [surf]; mov.u32 %r0, %tid.x; "
      "cvt.rn.f32.u32 %f0, %r0; mov.f32 %f1, 0f40400000;\n"
      "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd2, {%f0, %f1}]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, "
      "%rd0, %rd1; st.global.f32 [%rd1], %f2;\n"
      "shl.b32 %r1, %r0, 2; mov.u32 %r2, 1; sust.b.2d.b32.trap [%rd3, {%r1, %r2}], {%r0}; ret; }\n");
  runner.simulator.setServices(&images);
  auto *out = runner.buffer<float>(8);
  runner.run({1}, {8}, out, uint64_t(77), uint64_t(78));
  EXPECT_EQ(out[5], 2503.0f);
  EXPECT_EQ(images.surface[1][7], 7u);
  EXPECT_EQ(runner.launch({1}, {8}, out, uint64_t(5), uint64_t(78)).status, LaunchStatus::Fault);
}

} // namespace
} // namespace heddle::vm::test
