// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Value.h"

namespace heddle::jit {

/// The upper half of the product.
Bits mulHi(const Bits &a, const Bits &b, bool isSigned);
/// The product of twice the width.
Bits mulWide(const Bits &a, const Bits &b, bool isSigned);

/// Quotient and remainder as PTX has them: all ones for a divisor of 0; MIN / -1 is MIN, MIN rem -1 is 0. Divides by something
/// harmless in lanes where the host would trap, whether or not they are active.
Bits quotient(const Bits &a, const Bits &b, bool isSigned);
Bits remainder(const Bits &a, const Bits &b, bool isSigned);

} // namespace heddle::jit
