// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check::test {

/// What a warp of a pipeline does, all its lanes together: meet others at named barriers, fill and read
/// shared memory. A slot of the ring has one slice of 32 words for each warp that fills it.
struct Op {
  enum class Kind : uint8_t { Arrive, Sync, Write, Read } kind = Kind::Arrive;
  unsigned barrier = 0, threads = 0; ///< Arrive, Sync: of named barriers
  bool phased = false;               ///< Arrive, Sync: the barrier is an mbarrier instead
  unsigned parity = 0;               ///< Sync at an mbarrier: of the phase whose end is waited for
  unsigned slot = 0, slice = 0;      ///< Write, Read

  bool isBarrier() const { return kind == Kind::Arrive || kind == Kind::Sync; }
  bool operator==(const Op &) const = default;
};

/// A block of warps, each with its own straight list of operations: short enough to check by hand, and what
/// PTX is made from.
struct Plan {
  std::string about;
  unsigned slots = 0, slices = 0;
  std::vector<unsigned> mbarriers; ///< threads that arrive in a phase of each
  std::vector<std::vector<Op>> warps;

  unsigned threads() const { return unsigned(warps.size()) * 32; }
};

std::string textOf(const Plan &plan);

/// How the same plan may look as a program.
struct PtxStyle {
  bool loops = true;     ///< repeated stretches become loops
  bool registers = true; ///< barrier names and counts come from registers
};

/// A kernel `k(.param .u64 out)` that does what the plan says; thread i leaves what it read, added up, in
/// out[i].
std::string ptxOf(const Plan &plan, PtxStyle style);

} // namespace heddle::check::test
