// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as warp-specializing compilers write them: roles in straight-line code, each value in a register
// of its own, named barriers between producers and consumers of two buffers.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace heddle::bench {

struct LargeKernel {
  unsigned threads = 512; ///< a multiple of 256
  unsigned rounds = 625;  ///< for each of the four groups; two barriers complete in each
  unsigned work = 10;     ///< multiply-adds a round
};

inline constexpr unsigned Groups = 4;

class LargeKernelWriter {
public:
  explicit LargeKernelWriter(LargeKernel shape) : shape(shape) {}

  std::string write() {
    for (unsigned group = 0; group < Groups; ++group) {
      role(group, true);
      role(group, false);
    }
    const unsigned roleThreads = shape.threads / (2 * Groups);
    std::string text =
        fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred %p<16>;
  .reg .b32 %r<{}>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<{}>;
  .shared .align 16 .b8 buffer[{}];
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x;
  div.u32 %r1, %r0, {};
  rem.u32 %r2, %r0, {};
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, buffer;
  add.u32 %r4, %r4, %r3;
  mul.wide.u32 %rd2, %r0, 4;
  add.u64 %rd3, %rd0, %rd2;
  add.u64 %rd4, %rd1, %rd2;
)",
                    reals + 8, reals + 8, Groups * 2 * bufferBytes(), roleThreads, roleThreads);
    for (unsigned r = 0; r < 2 * Groups; ++r)
      fmt::format_to(std::back_inserter(text), "  setp.eq.u32 %p{}, %r1, {};\n  @%p{} bra ROLE{};\n", r, r, r,
                     r);
    return text + "  ret;\n" + body + "}\n";
  }

private:
  unsigned bufferBytes() const { return shape.threads / (2 * Groups) * 4; }

  /// Of producers or consumers of one group: barriers 4g, 4g+1 say "full", 4g+2, 4g+3 "empty".
  void role(unsigned group, bool produces) {
    const unsigned count = shape.threads / Groups;
    auto out = std::back_inserter(body);
    fmt::format_to(out, "ROLE{}:\n", 2 * group + (produces ? 0 : 1));
    unsigned sum = reals++;
    fmt::format_to(out, "  mov.f32 %f{}, 0f00000000;\n", sum);
    if (!produces)
      for (unsigned buffer = 0; buffer < 2; ++buffer)
        fmt::format_to(out, "  bar.arrive {}, {};\n", 4 * group + 2 + buffer, count);
    for (unsigned round = 0; round < shape.rounds; ++round) {
      const unsigned buffer = round % 2, offset = (2 * group + buffer) * bufferBytes();
      const unsigned full = 4 * group + buffer, empty = full + 2;
      unsigned value = reals++;
      if (produces) {
        fmt::format_to(out, "  ld.global.f32 %f{}, [%rd3+{}];\n", value, 4 * shape.threads * round);
        value = work(value);
        fmt::format_to(out, "  bar.sync {}, {};\n  st.shared.f32 [%r4+{}], %f{};\n  bar.arrive {}, {};\n",
                       empty, count, offset, value, full, count);
      } else {
        fmt::format_to(out, "  bar.sync {}, {};\n  ld.shared.f32 %f{}, [%r4+{}];\n  bar.arrive {}, {};\n",
                       full, count, value, offset, empty, count);
        value = work(value);
        const unsigned next = reals++;
        fmt::format_to(out, "  add.f32 %f{}, %f{}, %f{};\n", next, sum, value);
        sum = next;
      }
    }
    if (produces)
      for (unsigned buffer = 0; buffer < 2; ++buffer)
        fmt::format_to(out, "  bar.sync {}, {};\n", 4 * group + 2 + buffer, count);
    else
      fmt::format_to(out, "  st.global.f32 [%rd4], %f{};\n", sum);
    body += "  ret;\n";
  }

  unsigned work(unsigned value) {
    for (unsigned i = 0; i < shape.work; ++i) {
      const unsigned next = reals++;
      fmt::format_to(std::back_inserter(body), "  fma.rn.f32 %f{}, %f{}, 0f3F800001, %f{};\n", next, value,
                     value);
      value = next;
    }
    return value;
  }

  LargeKernel shape;
  unsigned reals = 0;
  std::string body;
};

} // namespace heddle::bench
