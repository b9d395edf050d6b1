// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs made by chance: values that operations share, sums that many add to, totals in between.
#pragma once

#include "flow/Builder.h"

#include <random>

namespace heddle::partition::test {

struct RandomProgram {
  flow::Program program;
  std::vector<std::vector<double>> fields;
};

inline RandomProgram randomProgram(unsigned seed) {
  using flow::Expr;
  std::mt19937 random(seed);
  const auto upTo = [&](unsigned n) { return unsigned(random() % n); };
  const auto real = [&] { return 0.5 + double(random() % 1000) / 1000; };
  flow::Builder b;
  const unsigned loads = 1 + upTo(6), results = 1 + upTo(12), inner = upTo(6), operations = 1 + upTo(60);
  const unsigned field = b.addField("x", loads), uniform = b.addUniform("u");
  RandomProgram out;
  out.fields = {{}, {real()}};
  for (unsigned i = 0; i < loads; ++i)
    out.fields[0].push_back(real());
  for (unsigned i = 0; i < results; ++i)
    b.addSum("w" + std::to_string(i));
  for (unsigned i = 0; i < inner; ++i)
    b.addInnerSum("s" + std::to_string(i));
  std::vector<Expr> values;
  std::vector<bool> isClosed(results + inner);
  const unsigned nearness = 1 + upTo(30); // how far back an operation looks for what it reads
  for (unsigned o = 0; o < operations; ++o) {
    b.begin("operation " + std::to_string(o));
    const auto pick = [&]() -> Expr {
      if (values.empty() || upTo(8) == 0)
        return upTo(4) == 0 ? b.load(uniform, 0) : b.load(field, upTo(loads));
      return values[values.size() - 1 - upTo(std::min(nearness, unsigned(values.size())))];
    };
    Expr value = pick();
    if (upTo(6) == 0) {
      const unsigned sum = upTo(results + inner);
      isClosed[sum] = true;
      value = value + b.total(sum) * 0.01;
    }
    for (unsigned i = upTo(4); i-- > 0;)
      switch (upTo(5)) {
      case 0: value = fma(value, pick(), real()); break;
      case 1: value = value - pick(); break;
      case 2: value = value * pick(); break;
      case 3: value = max(value, pick()); break;
      default: value = exp2(max(0.0 - value * value, -3.0)); break;
      }
    value = exp2(max(0.0 - value * value, -2.0)); // keeps everything near 1
    values.push_back(value);
    if (upTo(3) > 0)
      for (unsigned i = upTo(4); i-- > 0;)
        if (const unsigned sum = upTo(results + inner); !isClosed[sum])
          b.add(sum, real() - 1, upTo(8) == 0 ? Expr(real()) : upTo(6) == 0 ? pick() : value);
  }
  out.program = b.finish();
  out.program.resultScale = 3;
  return out;
}

} // namespace heddle::partition::test
