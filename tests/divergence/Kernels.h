// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose vectors can be computed by hand, in PTX.
#pragma once

#include <string>

namespace heddle::divergence {

/// if (tid.x & 1) { one } else { two }, then a last block. Blocks: 0 entry, 1 even, 2 odd, 3 end.
inline const std::string evenOrOdd = ".visible .entry k(.param .u64 out) {\n"
                                     ".reg .b32 %r<8>; .reg .pred %p<2>;\n"
                                     "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1;\n"
                                     "@%p0 bra ODD;\n"
                                     "add.u32 %r2, %r0, 1; add.u32 %r2, %r2, 1; bra END;\n"
                                     "ODD: add.u32 %r2, %r0, 3;\n"
                                     "END: ret; }\n";

/// for (i = 0; i < in[global thread]; ++i): blocks 0 entry with the load, 1 the loop, 2 end (entered without
/// the loop too).
inline const std::string loopOfLoaded =
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.s32 %r3, %r0, %r1, %r2; mul.wide.s32 %rd1, %r3, 4; add.s64 %rd2, %rd0, %rd1;\n"
    "ld.global.s32 %r4, [%rd2]; mov.u32 %r5, 0; setp.lt.s32 %p0, %r4, 1; @%p0 bra END;\n"
    "LOOP: add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r4; @%p1 bra LOOP;\n"
    "END: ret; }\n";

/// The same, with the bound squared before the loop: no linear function of what is loaded.
inline const std::string loopOfSquare =
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.s32 %r3, %r0, %r1, %r2; mul.wide.s32 %rd1, %r3, 4; add.s64 %rd2, %rd0, %rd1;\n"
    "ld.global.s32 %r4, [%rd2]; mul.lo.s32 %r6, %r4, %r4; mov.u32 %r5, 0; setp.lt.s32 %p0, %r6, 1; @%p0 bra "
    "END;\n"
    "LOOP: add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r6; @%p1 bra LOOP;\n"
    "END: ret; }\n";

/// for (i = 0; i < begins[thread + 1] - begins[thread]; i += 16): a difference of elements decides, rounded
/// up.
inline const std::string loopOfDifference =
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.s32 %r3, %r0, %r1, %r2; mul.wide.s32 %rd1, %r3, 4; add.s64 %rd2, %rd0, %rd1;\n"
    "ld.global.s32 %r4, [%rd2]; ld.global.s32 %r5, [%rd2+4]; sub.s32 %r6, %r5, %r4; mov.u32 %r7, 0;\n"
    "setp.lt.s32 %p0, %r6, 1; @%p0 bra END;\n"
    "LOOP: add.s32 %r7, %r7, 16; setp.lt.s32 %p1, %r7, %r6; @%p1 bra LOOP;\n"
    "END: ret; }\n";

/// for (i = begins[thread]; i < begins[thread + 1]; i += 16): the same, by a counter that begins with an
/// element.
inline const std::string loopFromTo =
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.s32 %r3, %r0, %r1, %r2; mul.wide.s32 %rd1, %r3, 4; add.s64 %rd2, %rd0, %rd1;\n"
    "ld.global.s32 %r4, [%rd2]; ld.global.s32 %r5, [%rd2+4]; setp.ge.s32 %p0, %r4, %r5; @%p0 bra END;\n"
    "mov.u32 %r7, %r4;\n"
    "LOOP: add.s32 %r7, %r7, 16; setp.lt.s32 %p1, %r7, %r5; @%p1 bra LOOP;\n"
    "END: ret; }\n";

/// while (x != 1) x = next[x], from x = tid.x: what decides is loaded in the loop itself.
inline const std::string followLinks =
    ".visible .entry k(.param .u64 next) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [next]; mov.u32 %r0, %tid.x; setp.eq.s32 %p0, %r0, 1; @%p0 bra END;\n"
    "LOOP: mul.wide.s32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1; ld.global.s32 %r0, [%rd2];\n"
    "setp.ne.s32 %p1, %r0, 1; @%p1 bra LOOP;\n"
    "END: ret; }\n";

} // namespace heddle::divergence
