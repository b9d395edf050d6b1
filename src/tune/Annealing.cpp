// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated annealing: a walk from neighbour to neighbour that always goes down and sometimes up, the more
// seldom the cooler it is. Some walks at once, each for itself: they begin in different places, and an executor that can measure several
// candidates at a time has something to do.
#include "model/Thresholds.h"
#include "tune/Strategy.h"

#include <cmath>
#include <map>

namespace heddle::tune {
namespace {

namespace threshold = model::threshold::tune;

class Annealing final : public Strategy {
public:
  Annealing(const Space &space, uint64_t seed) : dimensions(space.dimensions()), random(seed) {}

  std::vector<Point> next() override {
    if (at.empty()) {
      for (size_t i = 0; i < threshold::annealingWalks; ++i)
        tried.push_back(random.point(dimensions));
      at.resize(threshold::annealingWalks);
      return tried;
    }
    for (size_t i = 0; i < threshold::annealingWalks; ++i)
      if (isTaken(at[i], tried[i]))
        at[i] = tried[i];
    temperature *= threshold::annealingCooling;
    if (temperature < threshold::annealingColdest)
      return {};
    for (size_t i = 0; i < threshold::annealingWalks; ++i)
      tried[i] = at[i].empty() ? random.point(dimensions) : random.neighbour(at[i], dimensions);
    return tried;
  }

  void learn(const Point &point, std::optional<double> micros) override { times[point] = micros; }

private:
  std::optional<double> timeAt(const Point &point) const {
    auto found = times.find(point);
    return found == times.end() ? std::nullopt : found->second;
  }

  /// A walk that has not found a point that works is nowhere.
  bool isTaken(const Point &from, const Point &to) {
    std::optional<double> there = timeAt(to), here = timeAt(from);
    if (!there || from.empty())
      return there.has_value();
    return *there <= *here || random.unit() < std::exp(-(*there - *here) / *here / temperature);
  }

  const std::vector<Dimension> &dimensions;
  Random random;
  double temperature = threshold::annealingHottest;
  std::vector<Point> at, tried; ///< by walk
  std::map<Point, std::optional<double>> times;
};

} // namespace

std::unique_ptr<Strategy> annealing(const Space &space, uint64_t seed) {
  return std::make_unique<Annealing>(space, seed);
}

} // namespace heddle::tune
