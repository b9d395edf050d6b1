// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Species may be called `plus+`, `eq=uals` or `SP)X`, blanks count for nothing, and a number before a name
// may be its coefficient: `plus+ eq=uals = plus++(Parens)` is `plus` and `eq=uals` giving `plus+` and
// `(Parens)`. No split at + and = gets this right, so the equation is matched against the names that are
// declared, longest name first, going back where that leads nowhere. A place where matching failed once is
// not tried again, which keeps the cost at (letters) x (longest name).
//
// Only where nothing matches is the text split at + and = as a person would, to say which piece is at fault.
#include "chem/Equation.h"

#include "chem/Numbers.h"
#include "chem/SourceText.h"

#include <algorithm>
#include <array>
#include <set>

namespace heddle::chem {
namespace {

/// Longer than any real one by far; bounds the depth of the recursion.
constexpr size_t longestEquation = 2000;
/// `1.53846154E-2` has 13 letters.
constexpr size_t longestCoefficient = 24;

enum class Side { Left, Right };

struct Arrow {
  std::string_view text;
  bool isReversible;
};
constexpr std::array<Arrow, 3> arrows = {{{"<=>", true}, {"=>", false}, {"=", true}}};

bool isM(char letter) { return letter == 'M' || letter == 'm'; }

class Matcher {
public:
  Matcher(std::string_view text, const NameTable &species) : text(text), species(species) {}

  bool match() { return matchTerms(0, Side::Left); }

  struct HalfEquation {
    std::vector<Term> terms;
    std::vector<ColliderMark> colliders;
  };
  HalfEquation left, right;
  bool isReversible = true;

private:
  HalfEquation &half(Side side) { return side == Side::Left ? left : right; }

  size_t skipBlanks(size_t at) const {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
    return at;
  }

  bool matchTerms(size_t at, Side side) {
    at = skipBlanks(at);
    if (!tried.insert({at, side}).second)
      return false;
    if (matchSpecies(at, 1, side) || matchM(at, side))
      return true;
    size_t last = std::min(text.size(), at + longestCoefficient);
    for (size_t end = at + 1; end <= last; ++end)
      if (std::optional<double> coefficient = parseNumber(text.substr(at, end - at));
          coefficient && *coefficient > 0 && matchSpecies(skipBlanks(end), *coefficient, side))
        return true;
    return false;
  }

  bool matchSpecies(size_t at, double coefficient, Side side) {
    for (size_t length = std::min(species.longest(), text.size() - at); length > 0; --length) {
      std::optional<unsigned> found = species.find(text.substr(at, length));
      if (!found)
        continue;
      half(side).terms.push_back({*found, coefficient});
      if (matchRest(at + length, side))
        return true;
      half(side).terms.pop_back();
    }
    return false;
  }

  bool matchM(size_t at, Side side) {
    if (at >= text.size() || !isM(text[at]))
      return false;
    half(side).colliders.push_back({false, std::nullopt});
    if (matchRest(at + 1, side))
      return true;
    half(side).colliders.pop_back();
    return false;
  }

  bool matchRest(size_t at, Side side) {
    at = skipBlanks(at);
    if (at < text.size() && text[at] == '+' && matchTerms(at + 1, side))
      return true;
    return matchCollider(at, side) || matchEnd(at, side);
  }

  /// `(+M)`, with blanks anywhere in it.
  bool matchCollider(size_t at, Side side) {
    if (at >= text.size() || text[at] != '(')
      return false;
    at = skipBlanks(at + 1);
    if (at >= text.size() || text[at] != '+')
      return false;
    at = skipBlanks(at + 1);
    for (size_t length = std::min(std::max<size_t>(species.longest(), 1), text.size() - at); length > 0;
         --length) {
      std::optional<unsigned> found = species.find(text.substr(at, length));
      bool isAnything = !found && length == 1 && isM(text[at]);
      size_t closing = skipBlanks(at + length);
      if ((!found && !isAnything) || closing >= text.size() || text[closing] != ')')
        continue;
      half(side).colliders.push_back({true, found});
      size_t after = skipBlanks(closing + 1); // some write `A (+M) + B`
      if ((after < text.size() && text[after] == '+' && matchTerms(after + 1, side)) || matchEnd(after, side))
        return true;
      half(side).colliders.pop_back();
    }
    return false;
  }

  bool matchEnd(size_t at, Side side) {
    if (side == Side::Right)
      return at == text.size();
    for (const Arrow &arrow : arrows)
      if (text.substr(at).starts_with(arrow.text)) {
        isReversible = arrow.isReversible;
        return matchTerms(at + arrow.text.size(), Side::Right);
      }
    return false;
  }

  std::string_view text;
  const NameTable &species;
  std::set<std::pair<size_t, Side>> tried;
};

/// Says what is wrong in an equation that did not match.
class Explainer {
public:
  Explainer(std::string_view text, const NameTable &species, const EquationLocation &location,
            Diagnostics &diagnostics)
      : text(text), species(species), location(location), diagnostics(diagnostics) {}

  void explain() {
    size_t begin = 0, end = 0;
    if (!findArrow(begin, end)) {
      diagnostics.error(wholeLocation(), fmt::format("'{}' is no equation: it has no arrow", trimmed(text)))
          .withHint("arrows are '=' and '<=>' (reversible) and '=>' (irreversible)");
      return;
    }
    bool left = explainSide(0, begin, "left"), right = explainSide(end, text.size(), "right");
    if (!left && !right)
      diagnostics.error(wholeLocation(), fmt::format("cannot make sense of the equation '{}'", trimmed(text)))
          .withHint("terms are joined by '+', and '(+M)' is on both sides");
  }

  /// Was one of the pieces at fault the name of a species?
  bool foundUndeclared = false;

private:
  SourceLocation wholeLocation() const {
    std::string_view inner = trimmed(text);
    return inner.empty() ? location(0, 1) : location(size_t(inner.data() - text.data()), inner.size());
  }

  bool findArrow(size_t &begin, size_t &end) const {
    size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      return false;
    begin = equals > 0 && text[equals - 1] == '<' ? equals - 1 : equals;
    end = equals + 1 < text.size() && text[equals + 1] == '>' ? equals + 2 : equals + 1;
    return true;
  }

  bool explainSide(size_t begin, size_t end, std::string_view which) {
    if (trimmed(text.substr(begin, end - begin)).empty()) {
      diagnostics
          .error(location(begin == 0 ? end : begin - 1, 1),
                 fmt::format("there is nothing to the {} of the arrow", which))
          .withHint("each side needs a species");
      return true;
    }
    bool explained = false;
    for (size_t at = begin; at <= end;) {
      size_t plus = std::min(text.find('+', at), end);
      explained |= explainCollider(at, plus) || explainPiece(at, plus);
      at = plus + 1;
    }
    return explained;
  }

  /// `HE)` of `(+HE)`, where no species is called so. The two sides name one collider: it is reported once.
  bool explainCollider(size_t begin, size_t end) {
    std::string_view piece = trimmed(text.substr(begin, end - begin));
    const std::string_view before = begin == 0 ? "" : trimmed(text.substr(0, begin - 1));
    if (!before.ends_with('(') || !piece.ends_with(')') || isKnown(piece))
      return false;
    std::string_view name = trimmed(piece.substr(0, piece.size() - 1));
    if (name.empty() || isKnown(name))
      return false;
    foundUndeclared = true;
    if (colliders.insert(std::string(name)).second)
      diagnostics
          .error(location(size_t(name.data() - text.data()), name.size()),
                 fmt::format("the collider '{}' is not a declared species", name))
          .withHint(fmt::format("declare '{}' among the species, or write (+M)", name));
    return true;
  }

  /// A piece between two `+`: `2 CH4`, `H (` before `(+M)`, `M)`, or something unknown.
  bool explainPiece(size_t begin, size_t end) {
    std::string_view piece = trimmed(text.substr(begin, end - begin));
    if (piece.empty()) {
      diagnostics.error(location(begin, std::max<size_t>(end - begin, 1)), "a species is missing here");
      return true;
    }
    std::string_view name = withoutCoefficient(piece);
    if (name.ends_with('(') && !isKnown(name))
      name = trimmed(name.substr(0, name.size() - 1));
    if (isKnown(name) || (name.ends_with(')') && isKnown(trimmed(name.substr(0, name.size() - 1)))))
      return false;
    report(name, size_t(name.data() - text.data()));
    return true;
  }

  std::string_view withoutCoefficient(std::string_view piece) const {
    for (size_t length = std::min(piece.size(), longestCoefficient); length > 0 && !isKnown(piece); --length)
      if (parseNumber(piece.substr(0, length)))
        return trimmed(piece.substr(length));
    return piece;
  }

  bool isKnown(std::string_view name) const {
    return species.find(name).has_value() || (name.size() == 1 && isM(name[0]));
  }

  void report(std::string_view name, size_t at) {
    SourceLocation where = location(at, std::max<size_t>(name.size(), 1));
    // `> H` of `<=> > H` and `H OH`, which lacks a plus, are no names.
    foundUndeclared |= !name.empty() && name.find_first_of("=<> \t") == std::string_view::npos;
    if (equalsIgnoringCase(name, "HV"))
      diagnostics.refuse(where, "reactions with a photon ('HV') are not supported")
          .withHint("leave this reaction out");
    else if (name.empty())
      diagnostics.error(where, "a species is missing after this number");
    else if (name.find('=') != std::string_view::npos)
      diagnostics.error(where, "the equation has more than one '='");
    else
      diagnostics.error(where, fmt::format("reaction uses species '{}', which is not declared", name))
          .withHint(species.hintFor(name));
  }

  std::string_view text;
  const NameTable &species;
  const EquationLocation &location;
  Diagnostics &diagnostics;
  std::set<std::string> colliders; ///< those that were reported
};

std::vector<Term> merged(const std::vector<Term> &terms) {
  std::vector<Term> result;
  for (const Term &term : terms) {
    auto same = std::ranges::find(result, term.species, &Term::species);
    if (same == result.end())
      result.push_back(term);
    else
      same->value += term.value;
  }
  return result;
}

std::string asText(const std::vector<ColliderMark> &marks, const NameTable &species) {
  if (marks.empty())
    return "nothing";
  std::string name = marks[0].species ? species.name(*marks[0].species) : "M";
  return marks[0].inParentheses ? fmt::format("'(+{})'", name) : fmt::format("'+{}'", name);
}

std::string_view withoutBlanksAtEnd(std::string_view text) {
  size_t end = text.find_last_not_of(" \t");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

} // namespace

bool usesUndeclaredSpecies(std::string_view text, const NameTable &species) {
  if (text.size() > longestEquation || Matcher(withoutBlanksAtEnd(text), species).match())
    return false;
  Diagnostics ignored;
  const EquationLocation nowhere = [](size_t, size_t) { return SourceLocation(); };
  Explainer explainer(text, species, nowhere, ignored);
  explainer.explain();
  return explainer.foundUndeclared;
}

std::optional<Equation> readEquation(std::string_view text, const NameTable &species,
                                     const EquationLocation &location, Diagnostics &diagnostics) {
  if (text.size() > longestEquation) {
    diagnostics.error(location(0, 1), fmt::format("an equation of {} letters is too long", text.size()));
    return std::nullopt;
  }
  Matcher matcher(withoutBlanksAtEnd(text), species);
  if (!matcher.match()) {
    Explainer(text, species, location, diagnostics).explain();
    return std::nullopt;
  }
  const auto &left = matcher.left.colliders, &right = matcher.right.colliders;
  if (left != right || left.size() > 1) {
    std::string what = left == right ? "more than one third body"
                                     : fmt::format("the third bodies differ: {} to the left, {} to the right",
                                                   asText(left, species), asText(right, species));
    diagnostics.error(location(0, std::max<size_t>(trimmed(text).size(), 1)), std::move(what))
        .withHint("write the same third body once on both sides");
    return std::nullopt;
  }
  if (matcher.left.terms.empty() || matcher.right.terms.empty()) {
    diagnostics.error(location(0, std::max<size_t>(trimmed(text).size(), 1)),
                      "a third body alone is no reaction");
    return std::nullopt;
  }
  return Equation{merged(matcher.left.terms), merged(matcher.right.terms),
                  left.empty() ? std::nullopt : std::optional(left[0]), matcher.isReversible};
}

} // namespace heddle::chem
