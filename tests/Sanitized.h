// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether these tests, and the libraries beside them, were built with the address sanitizer (`make test SANITIZE=1`). Such a library
// can be loaded only by a program that has the sanitizer's runtime: one that Heddle or this build linked.
#pragma once

namespace heddle::test {

#if defined(__has_feature) && __has_feature(address_sanitizer)
inline constexpr bool isSanitized = true;
#else
inline constexpr bool isSanitized = false;
#endif

} // namespace heddle::test
