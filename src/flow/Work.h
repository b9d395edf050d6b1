// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program has to do at a point, however it is carried out: the floor under every kernel made of it.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

struct Work {
  unsigned arithmetic = 0; ///< additions, multiplications, both at once
  unsigned exponentials = 0, logarithms = 0, reciprocals = 0;
  unsigned loads = 0, stores = 0; ///< numbers from and to memory, each once

  unsigned values() const { return loads + stores; }
  unsigned bytes() const { return 8 * values(); } ///< in double precision
};

/// Every operation once.
Work workOf(const Program &program);

} // namespace heddle::flow
