// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access is to the memory model.
#pragma once

#include "check/SharedShadow.h"
#include "vm/Observer.h"

#include <algorithm>
#include <cstdint>

namespace heddle::check {

inline bool isAtomic(const vm::AccessEvent &event) {
  return event.kind == vm::AccessKind::Atomic || event.kind == vm::AccessKind::Reduction;
}
inline bool writes(const vm::AccessEvent &event) {
  return event.kind == vm::AccessKind::Store || isAtomic(event);
}

inline Strength strengthOf(const vm::AccessEvent &event) {
  if (isAtomic(event))
    return Strength::Atomic;
  return event.ordering == vm::Ordering::Weak       ? Strength::Weak
         : event.ordering == vm::Ordering::Volatile ? Strength::Volatile
                                                    : Strength::Relaxed;
}

/// Volatile accesses are seen by everybody.
inline vm::Scope scopeOf(const vm::AccessEvent &event) {
  return event.ordering == vm::Ordering::Volatile ? vm::Scope::System : event.scope;
}

inline uint32_t elementBytes(const vm::AccessEvent &event) {
  return event.bytes / std::max(1u, event.elements);
}

/// What a lane's store puts at an address, as one number, and what the memory holds there before; nothing where it is not
/// known.
CellValue storedValue(const vm::AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes);
CellValue heldValue(const vm::AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes);

/// Of lanes of one instruction that write to the same address, unless their values are equal. The static check does not
/// know all values.
inline const char *valuesOfOneInstruction(const vm::AccessEvent *event) {
  return event && event->stored ? "different values by one instruction"
                                : "by one instruction, with values that are not known to be equal";
}

} // namespace heddle::check
