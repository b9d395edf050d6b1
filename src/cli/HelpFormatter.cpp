// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HelpFormatter.h"

#include "CommandModel.h"
#include "Verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace heddle::cli {
namespace {

constexpr size_t Width = 110;     // of all text that this file lays out
constexpr size_t HelpColumn = 30; // where an option's help begins
constexpr size_t VerbColumn = 12; // where a verb's summary begins

std::string namesOf(const OptionModel &option) { return fmt::format("{}", fmt::join(option.names, ", ")); }

/// A row of two columns; a long first one gets a line of its own.
std::string row(const std::string &left, const std::string &right, size_t column) {
  std::string text = "  " + left, help = wrapped(right, Width - column, column);
  if (help.empty())
    return text + "\n";
  if (text.size() + 2 > column)
    return text + "\n" + help;
  text.resize(column, ' ');
  return text + help.substr(column);
}

std::string optionRow(const OptionModel &option) {
  std::string left = namesOf(option);
  if (option.names.front().starts_with("--"))
    left = "    " + left; // under the long names of options that have a short one
  return row(option.isFlag() ? left : left + " " + option.value, option.help, HelpColumn);
}

std::string groupsOf(const CommandModel &model) {
  std::vector<std::string> groups;
  for (const OptionModel &option : model.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  std::string text;
  for (const std::string &group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const OptionModel &option : model.options)
      if (option.group == group)
        text += optionRow(option);
  }
  return text;
}

std::string operandsOf(const CommandModel &model) {
  std::string text;
  for (const OptionModel &operand : model.operands)
    text += row(operand.names.front(), operand.help, HelpColumn);
  return text.empty() ? "" : "\nOperands:\n" + text;
}

std::string listOfVerbs(const CLI::App &app, const Session &session) {
  std::string text;
  for (const CLI::App *verb : visibleVerbs(app))
    text += row(verb->get_name(), modelOf(*verb, session).summary, VerbColumn);
  return text.empty() ? "" : "\nVerbs (heddle help VERB prints more):\n" + text;
}

std::string paragraphs(const std::string &text) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out += line.size() > Width ? wrapped(line, Width, 0) : line + "\n";
  return out;
}

} // namespace

std::string wrapped(const std::string &text, size_t width, size_t indent) {
  std::string out, line;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string, CLI::AppFormatMode) const {
  const CommandModel model = modelOf(*app, session);
  std::string text = model.summary + "\n";
  if (!model.examples.empty())
    text += "\nExamples:\n" + model.examples;
  if (!model.details.empty())
    text += "\n" + model.details;
  text += fmt::format("\nUsage: {} {}\n", model.heading(), model.usage);
  text += operandsOf(model) + groupsOf(model);
  if (!app->get_parent())
    text += listOfVerbs(*app, session);
  if (!model.footer.empty())
    text += "\n" + paragraphs(model.footer);
  return text + "\n" + paragraphs(model.exitCodes);
}

} // namespace heddle::cli
