// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Cache.h"
#include "tune/Evaluation.h"
#include "tune/Maker.h"
#include "tune/Measurer.h"

#include <map>
#include <memory>

namespace heddle::tune {

/// This process, one candidate after the other.
class LocalCrew final : public Crew {
public:
  LocalCrew(const Problem &problem, Maker &maker, Measurer &measurer)
      : problem(problem), maker(maker), measurer(measurer) {}
  void evaluate(const std::vector<Recipe> &recipes, const Heard &heard) override;
  /// One of them. The original is made and measured first where that has not been done: others are held
  /// against it.
  Evaluation evaluate(const Recipe &recipe);
  /// What is known already, of this search or an earlier one: the same program is not measured again.
  void remember(const std::string &digest, const runner::Result &result);

private:
  Evaluation evaluateOne(const Recipe &recipe);

  const Problem &problem;
  Maker &maker;
  Measurer &measurer;
  std::optional<Evaluation> original;
  std::map<std::string, runner::Result> known; ///< by the digest of the program
};

/// The results of an earlier search, in place of measuring. What it did not look at stays unknown.
class RecordedCrew final : public Crew {
public:
  /// `problem` gives candidates their names.
  RecordedCrew(const std::vector<Kept> &kept, const Problem &problem);
  void evaluate(const std::vector<Recipe> &recipes, const Heard &heard) override;
  /// What the model had said of it, where it was asked too.
  std::optional<double> predicted(const std::string &recipe) const;
  bool predicts() const { return isPredicted; }
  const std::string &device() const { return deviceName; }

private:
  const Problem &problem;
  std::map<std::string, Kept> results;       ///< by recipe
  std::map<std::string, double> predictions; ///< by recipe
  bool isPredicted = true;
  std::string deviceName;
};

} // namespace heddle::tune
