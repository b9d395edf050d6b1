// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two device-to-host copies, one from each program.
#pragma once

#include "verify/Compare.h"

namespace heddle::verify {

/// What the elements of a copy are.
struct ElementType {
  Element element = Element::Bytes;
  bool isKnown =
      false; ///< by the signature of the kernel that was given the buffer; otherwise guessed from the values
};
ElementType typeOf(const trace::CopyRecord &record);

/// Where the two differ; nothing where they are equal within the tolerance, which is applied if the type is known. Number and records are left to the caller.
std::optional<CopyDifference> compareRecords(const trace::CopyRecord &a, const trace::CopyRecord &b,
                                             const Tolerance &tolerance);

/// |a - b| over the larger of the two; nothing for integers, infinite where only one of the two is a number.
std::optional<double> relativeError(const uint8_t *a, const uint8_t *b, Element element);

} // namespace heddle::verify
