// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Strategy.h"

#include <algorithm>

namespace heddle::tune {
namespace {

/// A list that is fixed from the beginning, some at a time: what is learned changes nothing.
class Listed final : public Strategy {
public:
  explicit Listed(std::vector<Point> all) : all(std::move(all)) {}
  std::vector<Point> next() override { return std::exchange(all, {}); }
  void learn(const Point &, std::optional<double>) override {}

private:
  std::vector<Point> all;
};

} // namespace

Point Random::point(const std::vector<Dimension> &dimensions) {
  Point point;
  for (const Dimension &dimension : dimensions)
    point.push_back(below(dimension.values.size()));
  return point;
}

Point Random::neighbour(Point point, const std::vector<Dimension> &dimensions) {
  std::vector<size_t> movable;
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].values.size() > 1)
      movable.push_back(i);
  if (movable.empty())
    return point;
  const size_t which = movable[below(movable.size())], values = dimensions[which].values.size();
  point[which] = (point[which] + 1 + below(values - 1)) % values;
  return point;
}

std::unique_ptr<Strategy> exhaustive(const Space &space) {
  return std::make_unique<Listed>(space.distinct(mostPoints));
}

std::unique_ptr<Strategy> randomOrder(const Space &space, uint64_t seed) {
  Random random(seed);
  std::vector<Point> points;
  if (space.points() <= mostPoints)
    points = space.distinct(mostPoints);
  else
    for (uint64_t i = 0; i < mostPoints; ++i)
      points.push_back(random.point(space.dimensions()));
  random.shuffle(points);
  return std::make_unique<Listed>(std::move(points));
}

std::vector<std::string> strategyNames() {
  return {"auto", "exhaustive", "random", "genetic", "annealing", "guided"};
}

std::unique_ptr<Strategy> makeStrategy(const std::string &name, const Space &space, uint64_t seed,
                                       const Prediction &predicted, bool usesBudget) {
  if (name == "auto")
    return automatic(space, seed, predicted, usesBudget);
  if (name == "exhaustive")
    return exhaustive(space);
  if (name == "random")
    return randomOrder(space, seed);
  if (name == "genetic")
    return genetic(space, seed);
  if (name == "annealing")
    return annealing(space, seed);
  return name == "guided" ? guided(space, seed, predicted) : nullptr;
}

} // namespace heddle::tune
