// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default: a few guesses at once, then guided.
//
// A guess changes one thing about the baseline: one directive in the mildest form that does something, one block size, one
// flag. None of them depends on what another one comes to, so all are made at the same time, and the first of them is measured
// before a model could have been asked. What they show about values is what the guided strategy starts from.
//
// A small space is simply searched. In a large one, the guided strategy ends when it sees no chance for what is left; a search with
// a budget then goes on with the rest, since its user has decided how long it may take.
#include "model/Thresholds.h"
#include "tune/Strategy.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::tune {
namespace {

/// The points of a space by what they mean.
class Meanings {
public:
  explicit Meanings(const Space &space) : space(space), points(space.distinct(mostPoints)) {
    for (const Point &point : points)
      byMeaning.emplace(meaningOf(point), point);
  }

  std::string meaningOf(const Point &point) const { return space.configurationAt(point).str(); }
  /// The point among `all` that means the same.
  const Point *representative(const Point &point) const {
    auto found = byMeaning.find(meaningOf(point));
    return found == byMeaning.end() ? nullptr : &found->second;
  }
  const std::vector<Point> &all() const { return points; }
  /// The baseline; else the first.
  Point base() const {
    auto found = std::ranges::find_if(
        points, [&](const Point &point) { return space.configurationAt(point).isBaseline(); });
    return found == points.end() ? points.front() : *found;
  }

private:
  const Space &space;
  std::vector<Point> points;
  std::map<std::string, Point> byMeaning;
};

Point with(Point point, size_t dimension, size_t value) {
  point[dimension] = value;
  return point;
}

/// Where choosing a value changes nothing by itself (a directive whose first settings do nothing, a setting of a directive that is
/// not chosen): the same with the first value of another dimension that gives it a meaning.
std::optional<Point> withMeaning(const Point &point, const Point &base,
                                 const std::vector<Dimension> &dimensions, const Meanings &meanings) {
  const std::string nothing = meanings.meaningOf(base);
  for (size_t i = 0; i < dimensions.size(); ++i)
    for (size_t value = 0; value < dimensions[i].values.size(); ++value) {
      if (point[i] != base[i] || value == base[i])
        continue;
      const std::string both = meanings.meaningOf(with(point, i, value));
      if (both != nothing && both != meanings.meaningOf(with(base, i, value)))
        return with(point, i, value);
    }
  return std::nullopt;
}

/// By dimension.
std::vector<std::vector<Point>> guessesByDimension(const Space &space, const Meanings &meanings) {
  const std::vector<Dimension> &dimensions = space.dimensions();
  const Point base = meanings.base();
  const std::string nothing = meanings.meaningOf(base);
  std::set<std::string> seen = {nothing};
  std::vector<std::vector<Point>> guesses(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i)
    for (size_t value = 0; value < dimensions[i].values.size(); ++value) {
      if (value == base[i])
        continue;
      std::optional<Point> guess = with(base, i, value);
      if (meanings.meaningOf(*guess) == nothing)
        guess = withMeaning(*guess, base, dimensions, meanings);
      const Point *point = guess ? meanings.representative(*guess) : nullptr;
      if (point && seen.insert(meanings.meaningOf(*point)).second)
        guesses[i].push_back(*point);
    }
  return guesses;
}

/// The first of each dimension, then the second of each, and so on, up to a number.
std::vector<Point> guessesIn(const Space &space, const Meanings &meanings) {
  const std::vector<std::vector<Point>> all = guessesByDimension(space, meanings);
  std::vector<Point> guesses;
  if (const Point base = meanings.base(); !space.configurationAt(base).isBaseline())
    guesses.push_back(base);
  bool isMore = true;
  for (size_t round = 0; isMore; ++round) {
    isMore = false;
    for (const std::vector<Point> &each : all)
      if (round < each.size() && guesses.size() < model::threshold::tune::fewMeasured) {
        guesses.push_back(each[round]);
        isMore = true;
      }
  }
  return guesses;
}

class Auto final : public Strategy {
public:
  Auto(const Space &space, uint64_t seed, const Prediction &predicted, bool usesBudget)
      : later(guided(space, seed, predicted)) {
    const Meanings meanings(space);
    guesses = guessesIn(space, meanings);
    isSmall = meanings.all().size() <= model::threshold::tune::smallSpace;
    if (isSmall || usesBudget)
      rest = meanings.all();
    if (!isSmall)
      Random(seed).shuffle(rest);
  }

  std::vector<Point> next() override {
    if (!guesses.empty())
      return std::exchange(guesses, {});
    std::vector<Point> points = isSmall ? std::vector<Point>() : later->next();
    return points.empty() ? std::exchange(rest, {}) : points;
  }
  void learn(const Point &point, std::optional<double> micros) override { later->learn(point, micros); }
  bool waitsForAnswers() const override { return false; }

private:
  std::unique_ptr<Strategy> later;
  std::vector<Point> guesses, rest;
  bool isSmall = false;
};

} // namespace

std::vector<Point> firstGuesses(const Space &space) { return guessesIn(space, Meanings(space)); }

std::unique_ptr<Strategy> automatic(const Space &space, uint64_t seed, const Prediction &predicted,
                                    bool usesBudget) {
  return std::make_unique<Auto>(space, seed, predicted, usesBudget);
}

} // namespace heddle::tune
