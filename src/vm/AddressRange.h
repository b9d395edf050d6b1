// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::vm {

/// Where global memory begins in every process: device addresses are the same in every run of a program, so
/// that structs with pointers in them compare equal. 32 TiB is between the addresses at which programs are loaded
/// and those that the system maps by default, on x86-64 and on AArch64, with and without a sanitizer's shadow.
///
/// If the system has less address space, or this range is occupied, the system selects the range.
constexpr uint64_t FixedBase = uint64_t(1) << 45;

/// How much is reserved: far more than any program allocates, so that freed addresses need not be reused.
constexpr uint64_t WantedReserve = uint64_t(1) << 42;

} // namespace heddle::vm
