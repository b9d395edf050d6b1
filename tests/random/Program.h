// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random/Node.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace heddle::generator {

/// Where a program's parts are.
enum class Layout {
  OneFile,
  KernelInHeader,  ///< which one file includes
  LaunchElsewhere, ///< the kernel's file launches nothing; another one does
  HeaderTwice,     ///< two files include the kernel, and both launch it
};

/// A program that is to be changed by directives: `void launch(unsigned *out, const unsigned *in)` runs its
/// kernels. `in` has `inputs` words that are not written, `out` has `outputs`.
struct Program {
  static constexpr unsigned inputs = 1024, outputs = 20000;

  uint64_t seed = 0;
  Layout layout = Layout::OneFile;
  Node items;                          ///< functions, classes and variables that the kernels use
  Node kernels;                        ///< the one to change is called "kernel"
  Node launch;                         ///< the function
  Node elsewhere;                      ///< of a second file: what else launches
  std::vector<std::string> directives; ///< in the words of -d; others are pragmas in the text
  std::vector<std::string> pragmas;    ///< what those are, for statistics
  std::set<std::string> constructs;    ///< what of the language it uses

  std::string mainText() const;
  std::string headerText() const; ///< empty where there is none
  std::string otherText() const;  ///< of the second file; empty where there is none
  /// All of it as one text for people.
  std::string shown() const;
  bool needsHeader() const { return layout == Layout::KernelInHeader || layout == Layout::HeaderTwice; }
  bool hasOther() const { return layout == Layout::LaunchElsewhere || layout == Layout::HeaderTwice; }
};

/// The name that a program's file includes its header by.
inline const char *const headerName = "kernel.cuh";

/// What kernels are like.
enum class KernelShape {
  Block,   ///< threads exchange data through shared memory
  Tree,    ///< the same, with sums that are formed in a tree
  Threads, ///< each thread by itself, with branches
  Loops,   ///< each thread by itself, with nests of loops
  Tiles,   ///< a loop over tiles in shared memory
};

/// One way to write a directive, and the kernels that it is for.
struct DirectiveForm {
  const char *text;
  KernelShape shape;
};
const std::vector<DirectiveForm> &directiveForms();

/// The program of this number: always the same one.
Program randomProgram(uint64_t seed);

} // namespace heddle::generator
