// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Space.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>

namespace heddle::tune {

/// Decides what to try next. Proposals depend on the seed and on what was learned, never on time or on who
/// measures, so that a search can be repeated, resumed and distributed.
class Strategy {
public:
  virtual ~Strategy() = default;
  /// Points to look at, in the order of their promise; they may have been proposed before. Empty: there is
  /// nothing more to try.
  virtual std::vector<Point> next() = 0;
  /// What came of a point: its time, or nothing where it can never win. Called for every point before `next` is
  /// asked again, where the strategy waits for answers.
  virtual void learn(const Point &point, std::optional<double> micros) = 0;
  /// False: `next` may be asked while points are being looked at. Empty then means that it has no idea now.
  virtual bool waitsForAnswers() const { return true; }
};

/// What the model predicts for a point, in microseconds; nothing where it was not asked or cannot say.
using Prediction = std::function<std::optional<double>(const Point &)>;

/// "auto", "exhaustive", "random", "genetic", "annealing", "guided".
std::vector<std::string> strategyNames();
/// Null for a name that is none of them. `usesBudget`: the search ends by a budget, which "auto" uses up.
std::unique_ptr<Strategy> makeStrategy(const std::string &name, const Space &space, uint64_t seed,
                                       const Prediction &predicted, bool usesBudget = false);

/// What "auto" looks at first.
std::vector<Point> firstGuesses(const Space &space);

/// A strategy that looks at every point looks at no more than these.
constexpr uint64_t mostPoints = 1'000'000;

/// Numbers that are the same with every library: only the engine is standard's, which is specified to the
/// bit.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  size_t below(size_t limit) { return size_t(engine() % limit); }
  double unit() { return double(engine() >> 11) * 0x1p-53; }
  Point point(const std::vector<Dimension> &dimensions);
  /// The same but for one dimension, where some has several values.
  Point neighbour(Point point, const std::vector<Dimension> &dimensions);
  template <class T> void shuffle(std::vector<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::mt19937_64 engine;
};

// One file each.
std::unique_ptr<Strategy> automatic(const Space &space, uint64_t seed, const Prediction &predicted,
                                    bool usesBudget);
std::unique_ptr<Strategy> exhaustive(const Space &space);
std::unique_ptr<Strategy> randomOrder(const Space &space, uint64_t seed);
std::unique_ptr<Strategy> genetic(const Space &space, uint64_t seed);
std::unique_ptr<Strategy> annealing(const Space &space, uint64_t seed);
std::unique_ptr<Strategy> guided(const Space &space, uint64_t seed, const Prediction &predicted);

} // namespace heddle::tune
