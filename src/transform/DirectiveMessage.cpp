// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/DirectiveMessage.h"

#include "transform/Registry.h"

#include <fmt/format.h>

#include <regex>

namespace heddle::transform {

std::string messageOf(const Directive &directive, std::string_view what) {
  const std::string written = directive.str();
  return written == directive.name ? fmt::format("{} [{}]", what, directive.name)
                                   : fmt::format("{}: {} [{}]", written, what, directive.name);
}

namespace {

/// The text with other numbers of lines.
std::string withLineNumbers(const std::string &text, const std::regex &pattern,
                            const std::function<unsigned(unsigned)> &line) {
  std::string out;
  auto end = text.cbegin();
  for (std::sregex_iterator each(text.begin(), text.end(), pattern), none; each != none; ++each)
    for (size_t group = 1; group < each->size(); ++group)
      if ((*each)[group].matched) {
        out.append(end, (*each)[group].first);
        out += std::to_string(line(unsigned(std::stoul((*each)[group].str()))));
        end = (*each)[group].second;
      }
  return out.append(end, text.cend());
}

const std::regex &linesOfWords() {
  static const std::regex pattern(R"((?:at|in|and|,) lines? (\d{1,9})\b(?: and (\d{1,9})\b)?)");
  return pattern;
}
const std::regex &linesOfSettings() {
  static const std::regex pattern(R"(\bline=(\d{1,9})\b)");
  return pattern;
}

} // namespace

void addMessages(const Diagnostics &messages, Diagnostics &to,
                 const std::function<SourceLocation(const SourceLocation &)> &location) {
  addMessages(messages, to, location, [](const SourceLocation &) { return false; }, std::identity());
}

void addMessages(const Diagnostics &messages, Diagnostics &to,
                 const std::function<SourceLocation(const SourceLocation &)> &location,
                 const std::function<bool(const SourceLocation &)> &isChanged,
                 const std::function<unsigned(unsigned)> &line) {
  for (const Diagnostic &each : messages.all()) {
    const auto words = [&](const std::string &text, const SourceLocation &about) {
      return isChanged(about) ? withLineNumbers(text, linesOfWords(), line) : text;
    };
    const auto settings = [&](const std::string &text, const SourceLocation &about) {
      return isChanged(about) ? withLineNumbers(words(text, about), linesOfSettings(), line) : text;
    };
    Diagnostic &added = to.add(each.severity, location(each.location), words(each.text, each.location))
                            .withHint(settings(each.hint, each.location));
    for (const Diagnostic::Note &note : each.notes)
      added.note(location(note.location), settings(note.text, note.location));
  }
}

std::string withoutRule(std::string_view text) {
  const size_t bracket = text.rfind(" [");
  if (bracket == std::string_view::npos || !text.ends_with(']'))
    return std::string(text);
  const std::string_view name = text.substr(bracket + 2, text.size() - bracket - 3);
  return std::string(directiveRule(name) ? text.substr(0, bracket) : text);
}

std::string withoutDirective(const Directive &directive, std::string_view text) {
  std::string reason = withoutRule(text);
  const std::string before = directive.str() + ": ";
  return reason.starts_with(before) ? reason.substr(before.size()) : reason;
}

} // namespace heddle::transform
