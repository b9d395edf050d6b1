// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::std as a second name for std. Clang lets device code call the standard library's constexpr functions,
// and that is most of what programs take from cuda::std.
#pragma once

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
} // namespace std
} // namespace cuda
