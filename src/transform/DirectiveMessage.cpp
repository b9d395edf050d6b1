// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/DirectiveMessage.h"

#include "transform/Registry.h"

#include <fmt/format.h>

namespace heddle::transform {

std::string messageOf(const Directive &directive, std::string_view what) {
  const std::string written = directive.str();
  return written == directive.name ? fmt::format("{} [{}]", what, directive.name)
                                   : fmt::format("{}: {} [{}]", written, what, directive.name);
}

void addMessages(const Diagnostics &messages, Diagnostics &to,
                 const std::function<SourceLocation(const SourceLocation &)> &location) {
  for (const Diagnostic &each : messages.all()) {
    Diagnostic &added = to.add(each.severity, location(each.location), each.text).withHint(each.hint);
    for (const Diagnostic::Note &note : each.notes)
      added.note(location(note.location), note.text);
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
