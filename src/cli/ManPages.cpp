// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Man pages in the man macros of groff. Text is filled to the left, since lines that cannot be stretched are
// warnings of groff; lines that a help text indents (examples, tables) are not changed.
#include "ManPages.h"

#include "CommandModel.h"
#include "Verbs.h"
#include "runner/RunnerHelp.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace heddle::cli {
namespace {

/// Text as troff prints it: a minus that can be copied, no escapes, no control line by accident.
std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '\\'   ? "\\e"
           : c == '-'  ? "\\-"
           : c == '\'' ? "\\(aq"
           : c == '`'  ? "\\(ga"
                       : std::string(1, c);
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(const std::string &text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string &text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string kept(const std::string &lines) {
  std::string out = ".nf\n";
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    out += escaped(line) + "\n";
  return out + ".fi\n";
}

/// Paragraphs are filled; what is indented is kept.
std::string filledParagraphs(const std::string &text) {
  std::string out, indented;
  bool isFirst = true, isOpen = false;
  auto flush = [&] {
    if (!indented.empty())
      out += (isOpen ? "" : ".PP\n") + kept(indented);
    indented.clear();
  };
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  ")) {
      indented += line + "\n";
      continue;
    }
    flush();
    const bool isBlank = line.find_first_not_of(' ') == std::string::npos;
    if (!isBlank)
      out += (isOpen || isFirst ? "" : ".PP\n") + escaped(line) + "\n";
    isFirst = isFirst && isBlank;
    isOpen = !isBlank;
  }
  flush();
  return out;
}

std::string optionEntry(const OptionModel &option) {
  std::string names;
  for (const std::string &name : option.names)
    names += (names.empty() ? "" : ", ") + bold(name);
  return fmt::format(".TP\n{}{}{}\n{}\n", names, option.isFlag() ? "" : " ",
                     option.isFlag() ? "" : italic(option.value), escaped(option.help));
}

std::string optionsSection(const CommandModel &model) {
  std::string text = ".SH OPTIONS\n", group = "Options";
  std::vector<OptionModel> options = model.options;
  std::stable_partition(options.begin(), options.end(),
                        [](const OptionModel &o) { return o.group == "Options"; });
  for (const OptionModel &option : options) {
    if (option.group != group)
      text += fmt::format(".SS {}\n", escaped(option.group));
    group = option.group;
    text += optionEntry(option);
  }
  return text;
}

std::string operandsSection(const CommandModel &model) {
  std::string text;
  for (const OptionModel &operand : model.operands)
    text += fmt::format(".TP\n{}\n{}\n", italic(operand.names.front()), escaped(operand.help));
  return text.empty() ? "" : ".SH OPERANDS\n" + text;
}

std::string upperCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

std::string pageName(const CommandModel &model) {
  return model.name.starts_with("heddle") ? model.name : "heddle-" + model.name;
}

std::string verbsSection(const std::vector<CommandModel> &verbs) {
  std::string text = ".SH VERBS\n";
  for (const CommandModel &verb : verbs)
    text += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(pageName(verb)), escaped(verb.summary));
  return text;
}

std::string closingSections(const CommandModel &model) {
  const std::string notes = model.footer.empty() ? "" : ".SH NOTES\n" + filledParagraphs(model.footer);
  return notes + ".SH EXIT STATUS\n" + filledParagraphs(model.exitCodes);
}

std::string environmentSection() {
  return ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set and not empty, nothing is printed in color unless "
         "\\fB\\-\\-color\\fR asks for it.\n.TP\n.B HEDDLE_DATA\nThe folder with Heddle\\(aqs tables and "
         "headers, if they "
         "are not where the program was installed.\n.TP\n.B CUDA_PATH\nThe CUDA toolkit, if it is not in a "
         "usual place.\n";
}

std::string seeAlso(const CommandModel &model, const std::vector<CommandModel> &verbs) {
  if (model.name == "heddle-runner")
    return fmt::format(".SH SEE ALSO\n.BR heddle (1),\n.BR {} (1)\n", escaped("heddle-tune"));
  if (model.name != "heddle")
    return ".SH SEE ALSO\n.BR heddle (1)\n";
  std::string text = ".SH SEE ALSO\n";
  for (const CommandModel &verb : verbs)
    text += fmt::format(".BR {} (1),\n", escaped(pageName(verb)));
  return text + fmt::format(".BR {} (1)\n", escaped("heddle-runner"));
}

ManPage pageOf(const CommandModel &model, const std::vector<CommandModel> &verbs) {
  std::string summary = model.summary; // "Heddle: a compiler" is a name and what it is
  if (const size_t colon = summary.find(": "); model.name == "heddle" && colon != std::string::npos)
    summary = summary.substr(colon + 2);
  std::string text =
      fmt::format(".TH {} 1 \"\" \"Heddle " HEDDLE_VERSION "\" \"Heddle Manual\"\n.ad l\n.nh\n",
                  escaped(upperCase(pageName(model))));
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(pageName(model)), escaped(summary));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n{}\n", escaped(model.heading()), escaped(model.usage));
  text += ".SH DESCRIPTION\n" + escaped(model.summary) + ".\n";
  if (!model.details.empty())
    text += ".PP\n" + filledParagraphs(model.details);
  if (model.name == "heddle")
    text += verbsSection(verbs);
  text += operandsSection(model) + optionsSection(model);
  text += closingSections(model);
  if (model.name == "heddle")
    text += environmentSection();
  if (!model.examples.empty())
    text += ".SH EXAMPLES\n" + kept(model.examples);
  return {pageName(model) + ".1", text + seeAlso(model, verbs)};
}

/// heddle-runner is a program of its own that has no CLI11 (src/runner/RunnerHelp.h).
CommandModel runnerModel() {
  const runner::RunnerHelp &help = runner::runnerHelp();
  CommandModel model;
  model.name = "heddle-runner";
  model.summary = help.summary;
  model.examples = help.examples;
  model.details = std::string(help.details) + "\n";
  model.exitCodes = help.exitCodes;
  model.usage = help.usage;
  for (const runner::RunnerOption &each : help.options) {
    OptionModel option;
    option.names = {each.name};
    option.value = each.value;
    option.help = each.help;
    option.group = "Options";
    model.options.push_back(option);
  }
  return model;
}

} // namespace

std::vector<ManPage> manPages(const CLI::App &app, const Session &session) {
  std::vector<CommandModel> verbs;
  for (const CLI::App *verb : visibleVerbs(app))
    verbs.push_back(modelOf(*verb, session));
  std::vector<ManPage> pages = {pageOf(modelOf(app, session), verbs)};
  for (const CommandModel &verb : verbs)
    pages.push_back(pageOf(verb, verbs));
  pages.push_back(pageOf(runnerModel(), verbs));
  return pages;
}

} // namespace heddle::cli
