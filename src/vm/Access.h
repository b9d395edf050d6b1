// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scope and ordering of memory instructions, as the simulator and its observers see them.
#pragma once

#include "ptx/Isa.h"
#include "vm/Observer.h"

#include <atomic>
#include <cstdint>

namespace heddle::vm {

inline Scope scopeOf(ptx::Scope scope) {
  switch (scope) {
  case ptx::Scope::Cta: return Scope::Block;
  case ptx::Scope::Cluster: return Scope::Cluster;
  case ptx::Scope::Gpu:
  case ptx::Scope::Gl: return Scope::Device;
  case ptx::Scope::Sys: return Scope::System;
  default: return Scope::None;
  }
}

inline Ordering orderingOf(ptx::Semantics semantics) {
  switch (semantics) {
  case ptx::Semantics::Volatile: return Ordering::Volatile;
  case ptx::Semantics::Relaxed: return Ordering::Relaxed;
  case ptx::Semantics::Acquire: return Ordering::Acquire;
  case ptx::Semantics::Release: return Ordering::Release;
  case ptx::Semantics::AcqRel: return Ordering::AcquireRelease;
  case ptx::Semantics::Sc: return Ordering::Sequential;
  default: return Ordering::Weak;
  }
}

/// Inst::mode of loads, stores and atomics: ordering in the low byte, scope above.
inline uint16_t packMode(Ordering ordering, Scope scope) {
  return uint16_t(unsigned(ordering) | unsigned(scope) << 8);
}
inline Ordering orderingOf(uint16_t mode) { return Ordering(mode & 0xff); }
inline Scope scopeOf(uint16_t mode) { return Scope(mode >> 8 & 0xf); }

inline void fenceBefore(Ordering ordering) {
  if (ordering == Ordering::Sequential)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else if (ordering == Ordering::Release || ordering == Ordering::AcquireRelease)
    std::atomic_thread_fence(std::memory_order_release);
}
inline void fenceAfter(Ordering ordering) {
  if (ordering == Ordering::Acquire || ordering == Ordering::AcquireRelease ||
      ordering == Ordering::Sequential)
    std::atomic_thread_fence(std::memory_order_acquire);
}

} // namespace heddle::vm
