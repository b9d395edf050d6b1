// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/Messages.h"

#include "support/MessageHeader.h"
#include "transform/DirectiveMessage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::launcher {
namespace {

std::string whereOf(const Message::Line &line) { return line.location.empty() ? "heddle" : line.location; }

std::string printed(const Message::Line &line, Severity severity, std::string_view flag, bool colour) {
  return messageHeader(whereOf(line), severity, fmt::format("{}{}", line.text, flag), colour) + line.snippet;
}

std::string printedNote(const Message::Line &line, bool colour) {
  return noteHeader(whereOf(line), line.text, colour) + line.snippet;
}

} // namespace

bool WarningFlags::take(std::string_view word) {
  if (word == "-Wheddle")
    isSilent = false;
  else if (word == "-Wno-heddle")
    isSilent = true;
  else if (word == "-Werror=heddle")
    areErrors = true, isSilent = false;
  else if (word == "-Wno-error=heddle")
    areErrors = false;
  else
    return false;
  return true;
}

namespace {

/// Texts speak of `heddle opt`; here assumptions come from the environment, blocks only from launches, and the GPU from the
/// compiler's own options.
std::string inOurWords(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> ours[] = {
      {"--assume ", "HEDDLE_ASSUME="},
      {"give it with --block X,Y,Z",
       "launch it with a constant block, or transform the file by heddle opt --block X,Y,Z"},
      {"or --block X,Y,Z", "or transform the file by heddle opt --block X,Y,Z"},
      {"--arch ", "compile for "}};
  for (const auto &[theirs, words] : ours)
    if (const size_t at = text.find(theirs); at != std::string::npos)
      text.replace(at, theirs.size(), words);
  return text;
}

} // namespace

Message messageFrom(const Diagnostic &diagnostic, Message::Kind kind) {
  Message message;
  message.kind = kind;
  message.warning = {diagnostic.location.str(), inOurWords(transform::withoutRule(diagnostic.text)),
                     snippet(diagnostic.location)};
  for (const Diagnostic::Note &note : diagnostic.notes)
    message.notes.push_back({note.location.str(), note.text, snippet(note.location)});
  if (!diagnostic.hint.empty())
    message.notes.push_back({message.warning.location, inOurWords(diagnostic.hint), ""});
  return message;
}

bool isError(const std::vector<Message> &messages, const WarningFlags &flags) {
  return flags.areErrors && !flags.isSilent && std::ranges::any_of(messages, [](const Message &each) {
           return each.kind == Message::Kind::Warning;
         });
}

std::string textOf(const std::vector<Message> &messages, const WarningFlags &flags, bool colour) {
  if (flags.isSilent)
    return {};
  std::string text;
  std::set<std::string> seen;
  for (const Message &message : messages) {
    std::string one =
        message.kind == Message::Kind::Remark ? printed(message.warning, Severity::Kept, "", colour)
        : flags.areErrors ? printed(message.warning, Severity::Error, " [-Werror=heddle]", colour)
                          : printed(message.warning, Severity::Warning, " [-Wheddle]", colour);
    for (const Message::Line &note : message.notes)
      one += printedNote(note, colour);
    if (seen.insert(one).second)
      text += one;
  }
  return text;
}

} // namespace heddle::launcher
