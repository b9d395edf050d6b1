// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle_math.h`, which every generated file includes: 2^y, log2 and reciprocal for numbers of known range,
// on the device for one double, on the host for a vector of doubles. They do without what the library's
// functions have to do for zeros, infinities and subnormal numbers.
//
//     hdl_exp2(y)   -1022 <= y < 1023           within 4e-16, without fused multiply-add 5e-16
//     hdl_log2(x)   x positive and normal       within 4e-16
//     hdl_rcp(x)    x and 1/x normal            within 2.3e-16
//
// In mixed precision they have fewer terms: 2e-9, 2e-10 (absolute) and 3e-10.
#pragma once

#include "kernels/Emitted.h"

namespace heddle::kernels {

SourceFile mathHeader(Precision precision = Precision::Double);

/// `heddle_host.h`, which every generated file for the host includes: blocks of points, what is done where fewer
/// are left than a block holds, and threads.
SourceFile hostHeader();

/// What hdl_exp2 and hdl_log2 compute in mixed precision, but for roundings.
double mixedExp2(double y);
double mixedLog2(double x);

} // namespace heddle::kernels
