// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model ranks, clocks correct it.
//
// A model is wrong in ways that repeat, and measurements show in which (Belief). What is measured next
// is the candidate that may be fastest: the corrected model's estimate less what is not known about it yet.
// So a value that was never tried is tried once, in the best company, since a model that is wrong about it
// would hide it permanently; and of those that the model cannot distinguish one is looked at and not all. It ends
// when nothing is left that has a chance to beat the best. Without a model every candidate is predicted the
// same time, and what is measured does all of the work. While few are known one is chosen at a time, since each gives most information about what comes
// next.
#include "model/Thresholds.h"
#include "tune/Belief.h"
#include "tune/Strategy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace heddle::tune {
namespace {

namespace threshold = model::threshold::tune;

class Guided final : public Strategy {
public:
  Guided(const Space &space, uint64_t seed, const Prediction &predicted)
      : points(shuffled(space.distinct(mostPoints), seed)), predicted(timesOf(points, predicted)),
        belief(space.dimensions(), hasModel() ? threshold::spreadOfModels : threshold::spreadWithout) {
    isDone.resize(points.size());
    for (size_t i = 0; i < points.size(); ++i)
      numbers.emplace(points[i], i);
  }

  std::vector<Point> next() override {
    std::vector<Point> chosen;
    Belief imagined = belief; // as if what was proposed and is not known yet were as expected
    auto imagine = [&](size_t i) { imagined.observe(points[i], imagined.of(points[i]).mean); };
    std::ranges::for_each(pending, imagine);
    for (size_t left = measured < threshold::fewMeasured ? 1 : threshold::batch; left > 0; --left) {
      std::optional<size_t> promising = mostPromising(imagined);
      if (!promising)
        break;
      imagine(*promising);
      isDone[*promising] = true;
      pending.insert(*promising);
      chosen.push_back(points[*promising]);
    }
    return chosen;
  }

  bool waitsForAnswers() const override { return false; }

  void learn(const Point &point, std::optional<double> micros) override {
    auto found = numbers.find(point);
    if (found == numbers.end())
      return;
    isDone[found->second] = true;
    pending.erase(found->second);
    if (!micros || *micros <= 0)
      return;
    const double time = std::log(*micros);
    best = std::min(best, time);
    ++measured;
    belief.observe(point, time - predicted[found->second]);
  }

private:
  /// Of those that nothing distinguishes any may come first.
  static std::vector<Point> shuffled(std::vector<Point> points, uint64_t seed) {
    Random(seed).shuffle(points);
    return points;
  }

  /// Logarithms; what was not predicted is as good as the one in the middle.
  static std::vector<double> timesOf(const std::vector<Point> &points, const Prediction &predicted) {
    std::vector<double> times, known;
    for (const Point &point : points) {
      std::optional<double> micros = predicted ? predicted(point) : std::nullopt;
      const bool isKnown = micros && *micros > 0 && std::isfinite(*micros);
      times.push_back(isKnown ? std::log(*micros) : std::nan(""));
      if (isKnown)
        known.push_back(times.back());
    }
    std::ranges::sort(known);
    const double middle = known.empty() ? 0 : known[known.size() / 2];
    std::ranges::replace_if(times, [](double time) { return std::isnan(time); }, middle);
    return times;
  }

  bool hasModel() const {
    return std::ranges::any_of(predicted, [this](double time) { return time != predicted.front(); });
  }

  /// Nothing where all were looked at, or none has a chance.
  std::optional<size_t> mostPromising(const Belief &now) const {
    std::optional<size_t> found;
    double least = INFINITY, chance = INFINITY;
    for (size_t i = 0; i < points.size(); ++i) {
      if (isDone[i])
        continue;
      const Belief::Error error = now.of(points[i]);
      const double expected = predicted[i] + error.mean,
                   score = expected - threshold::curiosity * error.deviation;
      chance = std::min(chance, expected - std::hypot(error.deviation, threshold::restOfModels));
      if (score < least)
        least = score, found = i;
    }
    const bool isUnpromising = measured >= threshold::leastMeasured && chance > best;
    return isUnpromising ? std::nullopt : found;
  }

  const std::vector<Point> points;
  const std::vector<double> predicted; ///< logarithms, by point
  Belief belief;
  std::map<Point, size_t> numbers;
  std::vector<bool> isDone; ///< proposed, or known
  std::set<size_t> pending; ///< proposed, and not known
  size_t measured = 0;
  double best = INFINITY;
};

} // namespace

std::unique_ptr<Strategy> guided(const Space &space, uint64_t seed, const Prediction &predicted) {
  return std::make_unique<Guided>(space, seed, predicted);
}

} // namespace heddle::tune
