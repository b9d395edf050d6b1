// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points as chromosomes, values of dimensions as genes. Parents are the better of some drawn at random, a
// child takes each gene of one of them, and now and then a gene is selected at random again; the best live on. A point that
// cannot win has no children.
#include "model/Thresholds.h"
#include "tune/Strategy.h"

#include <algorithm>
#include <limits>
#include <map>

namespace heddle::tune {
namespace {

namespace threshold = model::threshold::tune;

class Genetic final : public Strategy {
public:
  Genetic(const Space &space, uint64_t seed) : dimensions(space.dimensions()), random(seed) {}

  std::vector<Point> next() override {
    if (generation.empty())
      return generation = first();
    const double best = fitness(ranked(generation).front());
    unimproved = best < bestSoFar ? 0 : unimproved + 1;
    bestSoFar = std::min(bestSoFar, best);
    if (unimproved >= threshold::patience)
      return {};
    return generation = children();
  }

  void learn(const Point &point, std::optional<double> micros) override {
    times[point] = micros.value_or(std::numeric_limits<double>::infinity());
  }

private:
  double fitness(const Point &point) const {
    auto found = times.find(point);
    return found == times.end() ? std::numeric_limits<double>::infinity() : found->second;
  }
  /// The best first; of equals, the one that comes first in the space.
  std::vector<Point> ranked(std::vector<Point> points) const {
    std::ranges::sort(points, {}, [this](const Point &point) { return std::pair(fitness(point), point); });
    return points;
  }

  std::vector<Point> first() {
    std::vector<Point> points;
    for (size_t i = 0; i < threshold::population; ++i)
      points.push_back(random.point(dimensions));
    return points;
  }

  const Point &parent() {
    const Point *best = &generation[random.below(generation.size())];
    for (size_t i = 1; i < threshold::contestants; ++i)
      if (const Point &other = generation[random.below(generation.size())]; fitness(other) < fitness(*best))
        best = &other;
    return *best;
  }

  Point child() {
    const Point &mother = parent(), &father = parent();
    Point made = mother;
    for (size_t i = 0; i < made.size(); ++i)
      if (random.below(2))
        made[i] = father[i];
    // A gene a child on average; twins are always changed, or a family of equals would have no more ideas.
    if (mother == father || random.below(2))
      made = random.neighbour(made, dimensions);
    return made;
  }

  std::vector<Point> children() {
    std::vector<Point> points = ranked(generation);
    points.resize(std::min(threshold::survivors, points.size()));
    while (points.size() < threshold::population)
      points.push_back(child());
    return points;
  }

  const std::vector<Dimension> &dimensions;
  Random random;
  std::vector<Point> generation;
  std::map<Point, double> times;
  double bestSoFar = std::numeric_limits<double>::infinity();
  unsigned unimproved = 0;
};

} // namespace

std::unique_ptr<Strategy> genetic(const Space &space, uint64_t seed) {
  return std::make_unique<Genetic>(space, seed);
}

} // namespace heddle::tune
