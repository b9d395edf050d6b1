// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are small enough to know what their plan must be.
#pragma once

#include "flow/Builder.h"

namespace heddle::partition::test {

/// `count` expensive values of fields, and `pairs` of them multiplied into sums: species and reactions.
inline flow::Program pairs(unsigned count, const std::vector<std::pair<unsigned, unsigned>> &edges) {
  flow::Builder b;
  const unsigned field = b.addField("x", count);
  std::vector<flow::Expr> values;
  for (unsigned i = 0; i < count; ++i)
    b.addSum("w" + std::to_string(i));
  for (unsigned i = 0; i < count; ++i) {
    b.begin("value");
    values.push_back(b.named("v" + std::to_string(i), exp2(log2(exp2(b.load(field, i))))));
  }
  for (auto [i, j] : edges) {
    b.begin("pair");
    const flow::Expr product = exp2(values[i] * values[j]);
    b.add(i, -1, product);
    b.add(j, 2, product);
  }
  return b.finish();
}

/// Values 0, 1, ... each made by an operation of its own from the one before, the last one the result.
inline flow::Program chain(unsigned length) {
  flow::Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w");
  flow::Expr value = 0.0;
  for (unsigned i = 0; i < length; ++i) {
    b.begin("link");
    value = b.named("v" + std::to_string(i), exp2(i == 0 ? b.load(field, 0) : value * 0.5));
  }
  b.add(0, 1, value);
  return b.finish();
}

} // namespace heddle::partition::test
