// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

/// The words that make a space, as the command line has them. In each `|` is between alternatives:
///     directives  "coarsen x=1|2|4 map=interleaved|blocked"     values of a setting
///                 "| consolidate | specialize buffers=2|3"      whole directives; an empty one: none of them
///                 "block x=64|128|256"                          sizes for the program's own constant
///     defines     "TILE=8|16"
///     flags       "-maxrregcount=32|64|128|"                    the empty one: without it
///     options     "--warps=4|8"                                 of `heddle chem`
struct SpaceWords {
  std::vector<std::string> directives = {}, defines = {}, flags = {}, options = {};
  std::vector<std::string> notTried = {}; ///< what -d auto could not offer, with the reason, for a person
};

/// A place in a space: for each dimension the number of its value.
using Point = std::vector<size_t>;

/// Everything that may be tried: some dimensions with some values each, and what each point means.
///
/// Several points may mean the same: the settings of a directive that another one was preferred to say
/// nothing, and neither does the map of a coarsening by 1.
class Space {
public:
  /// What is wrong with the words goes to `diagnostics`, and then there is no space.
  static std::optional<Space> read(const SpaceWords &words, Diagnostics &diagnostics);

  const std::vector<Dimension> &dimensions() const { return dims; }
  Configuration configurationAt(const Point &point) const;
  /// From now on directives and block sizes name this kernel, where it is not empty.
  void limitTo(std::string kernel) { onlyKernel = std::move(kernel); }
  /// {"coarsen.x": 2, "coarsen.map": "blocked"} as JSON; numbers are numbers.
  std::string settingsAt(const Point &point) const;
  /// How many points there are, several of which may mean the same.
  uint64_t points() const;
  /// One point for each configuration, the first that means it, in the order in which an odometer counts. At most
  /// `most` points are looked at.
  std::vector<Point> distinct(uint64_t most) const;

private:
  /// A setting of a directive: a value given once and for all, or a dimension.
  struct Setting {
    std::string key, value;
    std::optional<size_t> dimension;
  };
  /// One directive of an alternative; `name` "block" is the tuner's own.
  struct Step {
    transform::Directive directive;
    std::vector<Setting> settings;
  };
  using Alternative = std::vector<Step>;
  /// What one -d says.
  struct Part {
    std::vector<Alternative> alternatives;
    std::optional<size_t> dimension; ///< which of them, where there are several
  };
  /// A flag, define or option: the words that each value of its dimension represents.
  struct Words {
    std::vector<std::vector<std::string>> values;
    std::optional<size_t> dimension; ///< none where there is one value only
  };

  class Reader;
  void carryOut(const Step &step, const Point &point, Configuration &configuration) const;
  static std::vector<std::string> chosen(const std::vector<Words> &all, const Point &point);

  std::vector<Dimension> dims;
  std::vector<Part> parts;
  std::vector<Words> defines, flags, options;
  std::string onlyKernel;
};

/// The next point in the order of an odometer; false after the last.
bool advance(Point &point, const std::vector<Dimension> &dimensions);

} // namespace heddle::tune
