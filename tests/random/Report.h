// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random/Oracle.h"

#include <map>

namespace heddle::generator {

const char *nameOf(Verdict::Kind kind);
/// "coarsen x=2; scalar-replace"
std::string directivesOf(const Program &program);

/// What became of the directives, directive by directive, and which constructs of the language were in programs that
/// were changed.
class Report {
public:
  void add(const Program &program, const Verdict &verdict);
  void print() const;
  unsigned failures() const;

private:
  using Counts = std::map<Verdict::Kind, unsigned>;
  std::map<std::string, Counts> byDirective;
  std::map<std::string, Counts> byConstruct;
  std::map<std::string, unsigned> reasons; ///< of refusals
  Counts all;
};

} // namespace heddle::generator
