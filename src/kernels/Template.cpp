// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text is filled in by one walk over it. A block that is not wanted (the other side of a condition, a list
// of no elements) is walked as well, without output: its names count as places, and its end has to be found.
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

namespace heddle::kernels {
namespace {

/// Values of a block, and those of the blocks around it.
struct Scope {
  const Values &values;
  const Scope *outer = nullptr;

  const Value &operator[](const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      for (const auto &[each, value] : scope->values)
        if (each == name)
          return value;
    throw std::logic_error("no value for $" + name + "$");
  }
};

class Filler {
public:
  explicit Filler(std::string_view text) : text(text) {}

  std::string fill(const Values &values) {
    if (block({values}, true) != "")
      throw std::logic_error("an end without a beginning");
    return std::move(out);
  }

  bool hasPlace(const std::string &name) const { return places.contains(name); }

private:
  std::string_view text;
  size_t at = 0;
  std::string out;
  std::set<std::string> places;

  void write(std::string_view what, bool isWanted) {
    if (isWanted)
      out += what;
  }

  /// Up to the place that ends the block, which is returned: "end", "else", or nothing at the end of the text.
  std::string block(const Scope &scope, bool isWanted) {
    for (;;) {
      const size_t open = text.find('$', at);
      write(text.substr(at, open - at), isWanted);
      if (open == std::string_view::npos)
        return "";
      const size_t close = text.find('$', open + 1);
      if (close == std::string_view::npos)
        throw std::logic_error("a place without an end");
      const std::string name(text.substr(open + 1, close - open - 1));
      at = close + 1;
      if (name == "end" || name == "else") {
        dropLine(open, isWanted);
        return name;
      }
      if (name.starts_with("if ")) {
        dropLine(open, isWanted);
        branch(scope, name.substr(3), isWanted);
      } else if (name.starts_with("each ")) {
        dropLine(open, isWanted);
        repeat(scope, name.substr(5), isWanted);
      } else {
        places.insert(name);
        if (isWanted)
          out += scope[name].text();
      }
    }
  }

  /// Nothing but blanks around a place that began at `open`? Then its line is none of the result's.
  void dropLine(size_t open, bool isWanted) {
    const size_t begin = open == 0 ? 0 : text.rfind('\n', open - 1) + 1; // npos + 1 is 0
    const bool isAlone = text.substr(begin, open - begin).find_first_not_of(' ') == std::string_view::npos &&
                         (at == text.size() || text[at] == '\n');
    if (!isAlone)
      return;
    if (isWanted)
      out.resize(out.size() - (open - begin));
    at += at < text.size();
  }

  void branch(const Scope &scope, const std::string &name, bool isWanted) {
    places.insert(name);
    const bool is = isWanted && scope[name].condition();
    std::string end = block(scope, isWanted && is);
    if (end == "else")
      end = block(scope, isWanted && !is);
    mustBeEnd(end);
  }

  void repeat(const Scope &scope, const std::string &name, bool isWanted) {
    places.insert(name);
    const size_t begin = at;
    static const std::vector<Values> none;
    const std::vector<Values> &list = isWanted ? scope[name].list() : none;
    if (list.empty())
      mustBeEnd(block(scope, false));
    for (const Values &element : list) {
      at = begin;
      mustBeEnd(block({element, &scope}, true));
    }
  }

  static void mustBeEnd(const std::string &end) {
    if (end != "end")
      throw std::logic_error("a block without an end");
  }
};

} // namespace

const std::string &Value::text() const {
  if (const auto *text = std::get_if<std::string>(&is))
    return *text;
  throw std::logic_error("a value is no text");
}

bool Value::condition() const {
  if (const bool *condition = std::get_if<bool>(&is))
    return *condition;
  throw std::logic_error("a value is no condition");
}

const std::vector<Values> &Value::list() const {
  if (const auto *list = std::get_if<std::vector<Values>>(&is))
    return *list;
  throw std::logic_error("a value is no list");
}

std::string fillIn(std::string_view text, const Values &values) {
  Filler filler(text);
  std::string filled = filler.fill(values);
  for (const auto &[name, value] : values)
    if (!filler.hasPlace(name))
      throw std::logic_error("no place for $" + name + "$");
  return filled;
}

std::string fillTemplate(std::string_view name, const Values &values) {
  return fillIn(templateText(name), values);
}

Values joined(Values first, Values second) {
  std::ranges::move(second, std::back_inserter(first));
  return first;
}

std::string literal(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string inComment(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text.back() == '\\')
    text += '.';
  return text;
}

} // namespace heddle::kernels
