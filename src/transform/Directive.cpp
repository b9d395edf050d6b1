// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `coarsen x=2 y=4; interchange line=26`: directives with settings, as -d and #pragma heddle have them.
//
// Words are separated by spaces, directives by semicolons, and = may have spaces around it; brackets keep spaces, so that a setting may hold an expression: by=count[i + 1].
// The registry says which settings a directive has and which values they take. Every error points at its word, and reading goes on after it, so
// that one run reports all of them. Values separated by | are alternatives for the tuner.
#include "transform/Directive.h"

#include "support/Numbers.h"
#include "support/Suggest.h"
#include "support/Text.h"
#include "transform/DirectiveMessage.h"
#include "transform/Lines.h"
#include "transform/Registry.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace heddle::transform {
namespace {

/// A word of the text with the column it begins in.
struct Word {
  std::string text;
  size_t at = 0;
};

/// Where the word that begins at `begin` ends. What brackets hold is one word, spaces and all: a[i + 1].
size_t endOfWord(std::string_view text, size_t begin) {
  int open = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    open += std::string_view("([{").find(text[i]) != std::string_view::npos;
    open -= std::string_view(")]}").find(text[i]) != std::string_view::npos;
    const bool isBetween = std::isspace(static_cast<unsigned char>(text[i])) || text[i] == ';';
    if (isBetween && open <= 0)
      return i;
  }
  return text.size();
}

/// Whether two words are one setting: clang-format makes `x = 2` of the x=2 in a pragma.
bool continuesSetting(const std::string &before, const std::string &word) {
  const bool isValue = before.ends_with('=') && word.find('=') == std::string::npos;
  return word.front() == '=' ? before != ";" && before.find('=') == std::string::npos : isValue;
}

std::vector<Word> wordsOf(std::string_view text) {
  std::vector<Word> words;
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
    } else if (text[i] == ';') {
      words.push_back({";", i++});
    } else {
      size_t end = endOfWord(text, i);
      const std::string word(text.substr(i, end - i));
      if (!words.empty() && continuesSetting(words.back().text, word))
        words.back().text += word;
      else
        words.push_back({word, i});
      i = end;
    }
  }
  return words;
}

/// Turns words into directives; each complaint points at the word it is about.
class Reader {
public:
  Reader(const SourceLocation &origin, Diagnostics &diagnostics) : origin(origin), diagnostics(diagnostics) {}

  std::vector<Directive> read(const std::vector<Word> &words) {
    std::vector<Directive> directives;
    for (size_t i = 0; i < words.size(); ++i) {
      const Word &word = words[i];
      if (word.text == ";")
        rule = nullptr, expectsName = true;
      else if (expectsName)
        begin(word, directives);
      else if (rule)
        addSetting(std::span(words).subspan(i), directives.back());
    }
    if (directives.empty() && diagnostics.empty())
      diagnostics.error(origin, "there is no directive here")
          .withHint("there are " + joinAnd(directiveNames()));
    return directives;
  }

private:
  SourceLocation locationOf(const Word &word) const {
    SourceLocation location = origin;
    location.column += unsigned(word.at);
    location.endColumn = location.column + unsigned(word.text.size());
    return location;
  }

  void begin(const Word &word, std::vector<Directive> &directives) {
    expectsName = false;
    rule = directiveRule(word.text);
    if (rule) {
      directives.push_back({rule->name, rule->subject, {}, locationOf(word)});
      return;
    }
    Diagnostic &unknown =
        diagnostics.error(locationOf(word), fmt::format("there is no directive '{}'", word.text));
    const std::string question = didYouMean(word.text, directiveNames());
    if (word.text == "block") // a dimension of the search, which is given like a directive
      unknown.withHint("only 'heddle tune' varies block sizes: -d \"block x=64|128\"");
    else
      unknown.withHint(question.empty() ? "there are " + joinAnd(directiveNames()) : question);
  }

  /// The first of `words`, which are all that are left.
  void addSetting(std::span<const Word> words, Directive &directive) {
    const Word &word = words.front();
    size_t equals = word.text.find('=');
    std::string key = word.text.substr(0, equals);
    const SettingRule *setting = rule->find(key);
    if (!setting && equals == std::string::npos && continuesExpression(directive))
      return complainOfSpaces(words, directive);
    if (!setting)
      return complainOfKey(word, key);
    if (equals == std::string::npos || equals + 1 == word.text.size()) {
      diagnostics.error(locationOf(word), fmt::format("'{}' needs a value", key))
          .withHint(fmt::format("{}={}", key, setting->allowed()));
      return;
    }
    if (directive.has(key)) {
      diagnostics.error(locationOf(word), fmt::format("'{}' is given twice", key));
      return;
    }
    std::string text = word.text.substr(equals + 1);
    Setting given{key, {text}, locationOf(word)};
    if (setting->kind != SettingRule::Kind::Text)
      given.values = splitAt(text, '|');
    for (const std::string &value : given.values)
      if (!setting->allows(value))
        diagnostics.error(locationOf(word), fmt::format("'{}' is not a value that '{}' takes", value, key))
            .withHint(fmt::format("{}={}", key, setting->allowed()));
    directive.settings.push_back(std::move(given));
    directive.location.endColumn = locationOf(word).endColumn;
  }

  /// `by=start[i] + 1`: what follows the space belongs to the expression before it.
  bool continuesExpression(const Directive &directive) const {
    const SettingRule *last =
        directive.settings.empty() ? nullptr : rule->find(directive.settings.back().key);
    return last && last->kind == SettingRule::Kind::Text;
  }

  /// Once for the whole rest of the expression, of which `words` begins with the first word.
  void complainOfSpaces(std::span<const Word> words, const Directive &directive) {
    const Setting &expression = directive.settings.back();
    if (std::exchange(splitExpression, expression.location.column) == expression.location.column)
      return;
    std::string together = expression.values.front(), apart = together;
    for (const Word &word : words) {
      if (word.text == ";" || rule->find(word.text.substr(0, word.text.find('='))))
        break;
      together += word.text;
      apart += " " + word.text;
    }
    diagnostics
        .error(locationOf(words.front()), fmt::format("'{}' follows the expression of '{}' after a space",
                                                      words.front().text, expression.key))
        .withHint(fmt::format("an expression has no spaces outside of brackets: {0}={1} or {0}=({2})",
                              expression.key, together, apart));
  }

  void complainOfKey(const Word &word, const std::string &key) {
    std::vector<std::string> keys;
    for (const SettingRule &known : rule->settings)
      keys.push_back(known.key);
    Diagnostic &error =
        diagnostics.error(locationOf(word), fmt::format("'{}' takes no '{}'", rule->name, key));
    if (!keys.empty())
      error.withHint("it takes " + joinAnd(nearestFirst(key, keys)));
  }

  const SourceLocation &origin;
  Diagnostics &diagnostics;
  const DirectiveRule *rule = nullptr;
  bool expectsName = true;
  std::optional<unsigned> splitExpression; ///< column of the last expression that has spaces
};

} // namespace

std::vector<std::string> directiveNames() {
  std::vector<std::string> names;
  for (const DirectiveRule &rule : directiveRules())
    names.push_back(rule.name);
  return names;
}

bool Directive::has(std::string_view key) const {
  return std::ranges::any_of(settings, [&](const Setting &s) { return s.key == key; });
}

std::string Directive::word(std::string_view key) const {
  for (const Setting &setting : settings)
    if (setting.key == key)
      return setting.values.front();
  const DirectiveRule *rule = directiveRule(name);
  const SettingRule *setting = rule ? rule->find(key) : nullptr;
  return setting ? setting->byDefault : std::string();
}

int64_t Directive::number(std::string_view key) const { return readNumber<int64_t>(word(key)).value_or(0); }

bool Directive::hasAlternatives() const {
  return std::ranges::any_of(settings, [](const Setting &s) { return s.values.size() > 1; });
}

std::vector<Directive> Directive::expanded() const {
  std::vector<Directive> all = {*this};
  for (size_t i = 0; i < settings.size(); ++i) {
    std::vector<Directive> next;
    for (const Directive &directive : all)
      for (const std::string &value : settings[i].values) {
        next.push_back(directive);
        next.back().settings[i].values = {value};
      }
    all = std::move(next);
  }
  return all;
}

std::string Directive::str() const {
  std::string text = name;
  for (const Setting &setting : settings)
    text += fmt::format(" {}={}", setting.key, fmt::join(setting.values, "|"));
  return text;
}

std::vector<Directive> readDirectives(std::string_view text, const SourceLocation &origin,
                                      Diagnostics &diagnostics) {
  Diagnostics found;
  std::vector<Directive> directives = Reader(origin, found).read(wordsOf(text));
  addMessages(found, diagnostics);
  return found.empty() ? directives : std::vector<Directive>();
}

std::vector<Directive> readDirectives(const std::string &text, Diagnostics &diagnostics) {
  SourceLocation origin{"<command line>", 1, 1, unsigned(text.size()) + 1, text};
  return readDirectives(text, origin, diagnostics);
}

} // namespace heddle::transform
