// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Maker.h"

#include <functional>

namespace heddle::tune {

/// Generates what `heddle chem` does with these words, and returns what is wrong, or nothing.
using Generator = std::function<std::string(std::vector<std::string> words)>;

/// Makes candidates of a combustion mechanism: kernels are generated with their self-test, once for each
/// configuration's options, each time in a copy of this process. The self-test is the program that is run, and its exit code the verdict: forms of a
/// kernel differ in rounding, so their bits are not compared.
class ChemMaker final : public Maker {
public:
  /// `words`: everything behind `heddle chem` that all candidates have in common, the mechanism first.
  ChemMaker(const Problem &problem, std::vector<std::string> words, Generator generator)
      : problem(problem), words(std::move(words)), generator(std::move(generator)) {}
  Made make(const Configuration &configuration) override;

  /// Generates into a folder that is there to stay; what went wrong, or nothing.
  std::string generate(const Configuration &configuration, const std::filesystem::path &folder) const;

private:
  const Problem &problem;
  const std::vector<std::string> words;
  const Generator generator;
};

/// True for files that are a mechanism and no program: a folder, .yaml, .inp and similar.
bool isMechanism(const std::filesystem::path &file);

/// Options worth a try for a kernel of a mechanism, as --option would have them.
std::vector<std::string> chemOptions();

} // namespace heddle::tune
