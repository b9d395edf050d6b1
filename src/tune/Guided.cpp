// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model ranks, clocks correct it.
//
// A model is wrong in ways that repeat: what it thinks of blocked maps, or of four buffers, it thinks of all
// of them. So each value of each dimension has a correction, the factor by which candidates with it took
// longer than foretold, learned from what was measured and drawn to 1 while little was. What is measured next
// is what the corrected model likes best. But a value that was never tried cannot be corrected, and a model
// that is wrong about it would hide it for ever: so each value is tried once, in the best company, unless the
// model thinks it out of the question. It ends when nothing is left that, corrected, comes near to the best.
// Without a model every prediction is the same and the corrections do all of the work.
#include "tune/Strategy.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::tune {
namespace {

constexpr size_t batch = 4;
// Fewer measurements than this say nothing about a model.
constexpr size_t leastMeasured = 8;
// A candidate is hopeless when the corrected model sees it this many times as slow as the best measured one.
constexpr double hopeless = 1.25;
// As many measurements as these stand for 'the model is right' in each correction.
constexpr double trust = 2;
// A value that was never tried is out of the question when even its best candidate is foretold to take this
// many times as long as the best measured one: models are wrong, but seldom by that much.
constexpr double outOfTheQuestion = 4;
// Corrections of different dimensions depend on each other; so many rounds settle them.
constexpr unsigned rounds = 10;

class Guided final : public Strategy {
public:
  Guided(const Space &space, uint64_t seed, const Prediction &predicted)
      : dimensions(space.dimensions()), points(space.distinct(mostPoints)) {
    Random(seed).shuffle(points); // of those that the model cannot tell apart any may come first
    std::vector<double> known;
    for (const Point &point : points)
      foretold.push_back(logOf(predicted ? predicted(point) : std::nullopt));
    for (double each : foretold)
      if (!std::isnan(each))
        known.push_back(each);
    std::ranges::sort(known);
    const double middle = known.empty() ? 0 : known[known.size() / 2];
    std::ranges::replace_if(foretold, [](double each) { return std::isnan(each); }, middle);
    for (const Dimension &dimension : dimensions) {
      effects.emplace_back(dimension.values.size(), Effect{});
      isTried.emplace_back(dimension.values.size(), false);
    }
    isDone.resize(points.size());
    for (size_t i = 0; i < points.size(); ++i)
      numbers.emplace(points[i], i);
  }

  std::vector<Point> next() override {
    correct();
    std::vector<std::pair<double, size_t>> open;
    for (size_t i = 0; i < points.size(); ++i)
      if (!isDone[i])
        open.emplace_back(scoreOf(i), i);
    std::ranges::sort(open);
    std::vector<Point> chosen;
    if (errors.size() >= batch) // the model's own favourites come first
      for (const auto &[score, i] : open)
        if (chosen.size() < batch && hasUntried(i) && score < best + std::log(outOfTheQuestion))
          chosen.push_back(choose(i));
    for (const auto &[score, i] : open) {
      const bool isHopeless = errors.size() >= leastMeasured && score > best + std::log(hopeless);
      if (chosen.size() >= batch || isHopeless)
        break;
      if (!isDone[i])
        chosen.push_back(choose(i));
    }
    return chosen;
  }

  void learn(const Point &point, std::optional<double> micros) override {
    auto found = numbers.find(point);
    if (found == numbers.end() || !micros || *micros <= 0)
      return;
    const double time = std::log(*micros);
    best = std::min(best, time);
    errors[found->second] = time - foretold[found->second];
  }

private:
  struct Effect {
    double shift = 0; ///< logarithm of the factor
    unsigned seen = 0;
  };

  static double logOf(std::optional<double> micros) {
    return micros && *micros > 0 && std::isfinite(*micros) ? std::log(*micros) : std::nan("");
  }

  bool hasUntried(size_t i) const {
    for (size_t d = 0; d < dimensions.size(); ++d)
      if (!isTried[d][points[i][d]])
        return true;
    return false;
  }

  const Point &choose(size_t i) {
    isDone[i] = true;
    for (size_t d = 0; d < dimensions.size(); ++d)
      isTried[d][points[i][d]] = true;
    return points[i];
  }

  /// Fits the corrections to the errors so far: each in turn explains what the others leave.
  void correct() {
    common = 0;
    for (auto &values : effects)
      std::ranges::fill(values, Effect{});
    if (errors.empty())
      return;
    for (const auto &[i, error] : errors)
      common += error / double(errors.size());
    for (unsigned round = 0; round < rounds; ++round)
      for (size_t d = 0; d < dimensions.size(); ++d)
        fit(d);
  }

  void fit(size_t d) {
    std::vector<Effect> fitted(effects[d].size());
    for (const auto &[i, error] : errors) {
      const size_t value = points[i][d];
      fitted[value].shift += error - common - shiftOf(i) + effects[d][value].shift;
      ++fitted[value].seen;
    }
    for (Effect &effect : fitted)
      effect.shift /= effect.seen + trust;
    effects[d] = fitted;
  }

  double shiftOf(size_t i) const {
    double sum = 0;
    for (size_t d = 0; d < dimensions.size(); ++d)
      sum += effects[d][points[i][d]].shift;
    return sum;
  }

  double scoreOf(size_t i) const { return foretold[i] + common + shiftOf(i); }

  const std::vector<Dimension> &dimensions;
  std::vector<Point> points;
  std::map<Point, size_t> numbers;
  std::vector<double> foretold;    ///< logarithms, by point
  std::vector<bool> isDone;        ///< proposed
  std::map<size_t, double> errors; ///< logarithm of measured over foretold, of those that were measured
  std::vector<std::vector<Effect>> effects; ///< by dimension and value
  std::vector<std::vector<bool>> isTried;   ///< the same
  double common = 0, best = INFINITY;
};

} // namespace

std::unique_ptr<Strategy> guided(const Space &space, uint64_t seed, const Prediction &predicted) {
  return std::make_unique<Guided>(space, seed, predicted);
}

} // namespace heddle::tune
