// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/CopyResults.h"

#include "verify/Records.h"

#include <algorithm>
#include <cstring>

namespace heddle::verify {
namespace {

std::optional<double> largestError(const trace::CopyRecord &a, const trace::CopyRecord &b, Element element) {
  std::optional<double> largest;
  if (a.bytes.size() != b.bytes.size() || a.bytes == b.bytes)
    return largest;
  const size_t size = bytesOf(element);
  for (size_t at = 0; at + size <= a.bytes.size(); at += size) {
    const uint8_t *x = a.bytes.data() + at, *y = b.bytes.data() + at;
    if (std::memcmp(x, y, size) != 0)
      if (const std::optional<double> error = relativeError(x, y, element))
        largest = std::max(largest.value_or(0), *error);
  }
  return largest;
}

CopyResult compareBoth(const trace::CopyRecord &a, const trace::CopyRecord &b, const Tolerance &tolerance) {
  CopyResult result;
  result.comparison = compareRecords(a, b, tolerance).value_or(CopyDifference());
  CopyDifference &made = result.comparison;
  const ElementType type = typeOf(a);
  made.element = type.element;
  made.isTypeKnown = type.isKnown;
  made.elements = a.bytes.size() / bytesOf(made.element);
  if (type.isKnown)
    result.maxRelativeError = largestError(a, b, made.element);
  return result;
}

trace::CopyRecord emptied(trace::CopyRecord record) {
  record.bytes.clear();
  return record;
}

} // namespace

std::vector<CopyResult> compareEachCopy(const std::string &fileA, const std::string &fileB,
                                        const Tolerance &tolerance) {
  trace::CopyLogReader a, b;
  const bool hasA = a.open(fileA), hasB = b.open(fileB);
  std::vector<CopyResult> results;
  while (true) {
    trace::CopyRecord recordA, recordB;
    const bool moreA = hasA && a.next(recordA), moreB = hasB && b.next(recordB);
    if (!moreA && !moreB)
      return results;
    CopyResult result;
    if (moreA && moreB)
      result = compareBoth(recordA, recordB, tolerance);
    else
      result.comparison.what = moreA ? "only the first program made it" : "only the second program made it";
    result.comparison.copy = results.size() + 1;
    result.comparison.a = emptied(std::move(recordA));
    result.comparison.b = emptied(std::move(recordB));
    results.push_back(std::move(result));
  }
}

} // namespace heddle::verify
