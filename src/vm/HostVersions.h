// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over lanes for the processor of the host.
//
// A package for x86-64 must run on every such processor, and the baseline has vectors of four floats and no fused
// multiply-add, which PTX consists of to a large part. Loops over lanes are therefore compiled a second time, with "wide
// lanes" (AVX2 and FMA), and selected when a kernel is lowered. Results are the same bits: each operation rounds once
// either way (no contraction), and a fused multiply-add in plain arithmetic is exact (semantics/Float.h).
//
// Only the function that has the loop is compiled for wide lanes, and it inlines what it calls. Compiling whole files that way
// would be wrong: the linker keeps one copy of an inline function, perhaps the one that not every processor can execute.
#pragma once

// AVX2 in the flags of the build, or another architecture: one version, for the target of the compiler.
#if defined(__x86_64__) && !defined(__AVX2__)
#define HEDDLE_HAS_WIDE 1
#define HEDDLE_WIDE __attribute__((target("avx2,fma,bmi,bmi2,popcnt")))
#else
#define HEDDLE_HAS_WIDE 0
#define HEDDLE_WIDE
#endif
#define HEDDLE_INLINE [[gnu::always_inline]] inline
#define HEDDLE_INLINE_LAMBDA __attribute__((always_inline))

namespace heddle::vm {

/// Whether kernels that are lowered from now on use wide lanes: if the host has them. Tests turn it off.
inline bool &wideLanes() {
#if HEDDLE_HAS_WIDE
  static bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                     __builtin_cpu_supports("popcnt");
#else
  static bool wide = false;
#endif
  return wide;
}

/// One function in both versions.
template <class Function> struct HostVersions {
  Function plain, wide;
  operator Function() const { return wideLanes() ? wide : plain; }
};

} // namespace heddle::vm
