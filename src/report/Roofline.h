// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/FloatOperations.h"

#include <string>
#include <vector>

namespace heddle::report {

/// What a kernel does in a time, for its point under the roofs of a device.
struct RooflineWork {
  counts::FloatOperations operations;
  double dramBytes = 0, l2Bytes = 0;
  double micros = 0;
  bool isPredicted = true; ///< the time is the cost model's
};

/// The same in a line: "1.2 TFLOP/s (1.8 % of f32's limit), 2.1 TB/s of DRAM (44 %), 2.9 TB/s of L2 (29 %)". Limits that the table
/// of the device does not have are left out; empty if nothing is computed and nothing transported.
std::string rooflineText(const arch::Arch &arch, const RooflineWork &work);

/// A roofline: FLOP/s against FLOP per byte, below what the device's DRAM, its L2 and its arithmetic units allow by
/// arch/*.json. Limits that the table does not have are not drawn, and the caption names them.
std::string rooflineHtml(const arch::Arch &arch, const RooflineWork &work);

/// One kernel in several programs, the baseline first: how a transformation moves it. By bytes of DRAM, or of
/// L2 where the data of one of them fits there.
struct RooflineVariant {
  std::string program;
  RooflineWork work;
};
std::string rooflineHtml(const arch::Arch &arch, const std::vector<RooflineVariant> &variants);

} // namespace heddle::report
