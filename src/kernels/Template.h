// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated files are written by hand as far as they do not differ from one mechanism to another: as files of
// src/kernels/templates, which are part of the program. Those that are called `.in` have places in them:
//
//     $name$                          a text
//     $if name$ .. $else$ .. $end$    one of two texts; `$else$` may be missing
//     $each name$ .. $end$            a text for each element of a list, whose values have names of their own
//
// A line with nothing but `$if ..$`, `$each ..$`, `$else$` or `$end$` is no line of the result. All others are
// headers: they go into a package as they are.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::kernels {

class Value;
using Values = std::vector<std::pair<std::string, Value>>;

/// A text, a condition or a list.
class Value {
public:
  Value(std::string text) : is(std::move(text)) {}
  Value(std::string_view text) : is(std::string(text)) {}
  Value(const char *text) : is(std::string(text)) {}
  Value(bool condition) : is(condition) {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  Value(Number number) : is(std::to_string(number)) {}
  Value(std::vector<Values> list) : is(std::move(list)) {}

  /// As what a place takes it to be; std::logic_error where it is something else.
  const std::string &text() const;
  bool condition() const;
  const std::vector<Values> &list() const;

private:
  std::variant<std::string, bool, std::vector<Values>> is;
};

/// The text of a file of src/kernels/templates; std::logic_error where there is none of that name.
std::string_view templateText(std::string_view name);

/// The text with every place filled in. A place without a value, or a value without a place, is a mistake in
/// the generator: std::logic_error.
std::string fillIn(std::string_view text, const Values &values);

/// A file of src/kernels/templates, filled in.
std::string fillTemplate(std::string_view name, const Values &values);

/// Both, where a name is in one of them only.
Values joined(Values first, Values second);

/// The shortest decimal number that reads back to the same double, with a point or an exponent: "2.0".
std::string literal(double value);

/// A name as it may be at the end of a `//` comment: without a last backslash, which would make the next
/// line part of it.
std::string inComment(std::string_view name);

} // namespace heddle::kernels
