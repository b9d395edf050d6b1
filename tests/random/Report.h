// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random/Oracle.h"

#include <nlohmann/json.hpp>

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
  /// Of so many programs each construct and each directive should have been carried out, or refused where that is
  /// documented: what was not.
  std::vector<std::string> missing() const;
  unsigned percentChanged() const;

  /// Several runs make one report.
  nlohmann::json json() const;
  void add(const nlohmann::json &other);

private:
  using Counts = std::map<Verdict::Kind, unsigned>;
  std::map<std::string, Counts> byDirective;
  std::map<std::string, Counts> byConstruct;
  std::map<std::string, unsigned> reasons; ///< of refusals
  Counts all;
};

} // namespace heddle::generator
