// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Cache.h"
#include "tune/Evaluation.h"
#include "tune/Maker.h"
#include "tune/Measurer.h"

#include <map>
#include <memory>

namespace heddle::tune {

/// This process: several candidates are made at a time, and measured one after the other.
///
/// A model's predictions come in the order of the list, so that a search gives the same twice. Where a clock is read,
/// what is made first is measured first.
class LocalExecutor final : public Executor {
public:
  /// `jobs`: candidates that are made at a time.
  LocalExecutor(const Problem &problem, Maker &maker, Measurer &measurer, unsigned jobs = 1);
  void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) override;
  void evaluateAll(const More &more, const Heard &heard) override;
  /// One of them. The baseline is made and measured first where that has not been done: others are compared with
  /// it.
  Evaluation evaluate(const Configuration &configuration);

  /// Begins to make these, and what measuring them needs, and does not wait; no more than `most` are at work at a time, the first
  /// ones first. To be called again and again: calling is what keeps it going. evaluate() of one of them takes what is there.
  void prepare(const std::vector<Configuration> &wanted, unsigned most);
  /// False while it is being prepared, or has not been begun.
  bool isPrepared(const Configuration &configuration);
  /// Where it was prepared and cannot be made, or fails the static check: that. Else null.
  const Made *rejected(const Configuration &configuration) const;
  bool hasBaseline() const { return baseline.has_value(); } ///< it was measured
  /// What the static check holds against the baseline, as far as that is known by now.
  std::string failsCheckOfBaseline() const;

  /// What is known already, of this search or an earlier one: the same program is not measured again.
  void remember(const std::string &digest, const runner::Result &result);
  /// In place of a look at the disk of temporary files. What fails while that is full is lost, not bad: it is tried again when the
  /// search is resumed.
  void askWhetherDiskIsFull(std::function<bool()> ask) { isDiskFull = std::move(ask); }

private:
  /// A candidate on its way.
  struct Prepared {
    std::unique_ptr<Making> making; ///< null: it is over
    Made made;
  };
  Evaluation evaluateOne(const Configuration &configuration, const Made &made);
  const Evaluation &theBaseline();
  Prepared &begun(const Configuration &configuration);
  bool advance(Prepared &each);
  Made finished(const Configuration &configuration);
  void loseWhereDiskIsFull(runner::Result &result) const;

  const Problem &problem;
  Maker &maker;
  Measurer &measurer;
  const unsigned jobs;
  std::function<bool()> isDiskFull;
  std::optional<Evaluation> baseline;
  std::map<std::string, runner::Result> known; ///< by the digest of the program
  std::map<std::string, Prepared> prepared;    ///< by configuration
};

/// The results of an earlier search, in place of measuring. What it did not look at stays unknown.
class RecordedExecutor final : public Executor {
public:
  /// `problem` gives candidates their names.
  RecordedExecutor(const std::vector<Kept> &kept, const Problem &problem);
  void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) override;
  /// What the model predicted for it, where it was asked too.
  std::optional<double> predicted(const std::string &configuration) const;
  bool predicts() const { return isPredicted; }
  const std::string &device() const { return deviceName; }

private:
  const Problem &problem;
  std::map<std::string, Kept> results;       ///< by configuration
  std::map<std::string, double> predictions; ///< by configuration
  bool isPredicted = true;
  std::string deviceName;
};

} // namespace heddle::tune
