// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases behind "a test for every row of Ops.def", in two kinds:
//
//  - forms: an arithmetic instruction on given operands. Lines of the *.rows files, which reference.py works
//    out without the simulator:
//
//        add.sat.s32: 7fffffff 00000001 = 7fffffff; 00000005 00000003 = 00000008
//
//    The number of hexadecimal digits is the register's width (one: a predicate). "#7" is an immediate,
//    "carry:1" the condition code. "sin.approx.f32 ~12" may be off by that many units in the last place. A
//    form with "!" behind it must be refused.
//
//  - kernels: for what is no function of its operands. Lines of the *.def files: rows that it shows, shape,
//    PTX, and what each thread must find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::vm::test {

/// A register's content, or an immediate, or the carry.
struct Token {
  enum class Kind : uint8_t { Register, Immediate, Carry } kind = Kind::Register;
  unsigned bits = 32; ///< of the register: 1, 16, 32, 64 or 128
  uint64_t low = 0, high = 0;
};

struct FormCase {
  std::vector<Token> in, out;
};

struct FormCases {
  std::string form; ///< the mnemonic
  unsigned ulps = 0;
  bool refused = false;
  std::vector<FormCase> cases; ///< all with the same kinds of tokens
};

/// Every line of every *.rows file.
const std::vector<FormCases> &allForms();

struct KernelCase {
  const char *rows; ///< names of rows, set apart by blanks
  unsigned threads;
  const char *variables; ///< in front of the kernel
  /// Finds out's and in's own word of the thread in %rd1 and %rd3 (the arrays in %rd0 and %rd2), the thread's
  /// index in its block in %r0; leaves its answer in %r1.
  const char *body;
  uint32_t (*want)(unsigned i); ///< the answer of thread i; in[i] is 3 i + 1
};

} // namespace heddle::vm::test
