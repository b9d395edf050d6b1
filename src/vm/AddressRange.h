// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::vm {

/// Where global memory begins in every process: device addresses are the same in every run of a program, so
/// that structs with pointers in them compare equal. 32 TiB lies between what a program is loaded at and what
/// the system maps by itself, on x86-64 and on AArch64, with and without a sanitizer's shadow.
///
/// A system with less room, or somebody who took this range before, gets a range that the system chooses.
constexpr uint64_t FixedBase = uint64_t(1) << 45;

/// How much is reserved: far more than any program allocates, so that freed addresses need not be used again.
constexpr uint64_t WantedReserve = uint64_t(1) << 42;

} // namespace heddle::vm
