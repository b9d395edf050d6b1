// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "random/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::generator {

/// What became of a program by its directives.
struct Verdict {
  enum class Kind {
    Same,      ///< changed, and it computes the same bytes
    Unchanged, ///< nothing was to be done
    Refused,   ///< with a reason
    Wrong,     ///< anything else
    Invalid,   ///< the program itself does not compile or run: no verdict on directives
  } kind = Kind::Invalid;
  std::string why;     ///< the refusal, or in one line what is wrong: "differs", "does not compile"...
  std::string details; ///< Wrong: messages, the first words that differ
  std::string emitted; ///< what the directives made of it

  bool isWrong() const { return kind == Kind::Wrong; }
};

struct OracleOptions {
  unsigned jobs = 1;
  build::Compiler compiler = build::Compiler::Clang;
  unsigned secondsPerProgram = 60;
  bool executes =
      true; ///< false: the directives only; `Same` then says no more than that they were carried out
};

/// Carries out each program's directives, in a process of its own, then compiles all programs as they were
/// and as they became into one executable, runs that on the simulator and compares what the kernels wrote.
std::vector<Verdict> evaluate(const std::vector<Program> &programs, const OracleOptions &options);

/// The second half of that: compiles, runs and compares the programs whose verdict says Same so far, and changes the
/// verdicts of those that are not.
void execute(const std::vector<Program> &programs, std::vector<Verdict> &verdicts,
             const OracleOptions &options);

} // namespace heddle::generator
