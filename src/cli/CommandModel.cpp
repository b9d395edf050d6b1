// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandModel.h"

#include "Verbs.h"
#include "arch/Arch.h"
#include "support/Diagnostics.h"
#include "transform/Registry.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace heddle::cli {
namespace {

/// The part of an option's type that its definition names, and the sets and ranges of its validators:
/// "TEXT:{auto,nvcc,clang}", "UINT:INT in [1 - 32]".
struct TypeParts {
  std::string name;
  std::vector<std::string> words;
};

std::vector<std::string> splitAt(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

TypeParts partsOf(const CLI::Option &option) {
  const std::string full = option.get_type_name();
  TypeParts parts{full.substr(0, full.find(':')), {}};
  const size_t open = full.find('{'), close = full.rfind('}');
  if (open != std::string::npos && close != std::string::npos && open < close)
    parts.words = splitAt(full.substr(open + 1, close - open - 1), ',');
  return parts;
}

std::string valueWord(const TypeParts &type) {
  if (type.name != "TEXT" && type.name != "UINT" && type.name != "INT" && type.name != "FLOAT")
    return type.name; // the definition's own word for it
  if (!type.words.empty())
    return fmt::format("{}", fmt::join(type.words, "|"));
  return type.name == "TEXT" ? "TEXT" : type.name == "FLOAT" ? "NUMBER" : "N";
}

/// "FILE.cu" is a file of that kind, "FILE" any, "DIR" a folder.
Completion completionOf(const TypeParts &type) {
  Completion completion;
  completion.words = type.words;
  completion.files = type.name.starts_with("FILE");
  completion.folders = type.name == "DIR";
  completion.table = type.name == "ARCH"        ? Completion::Table::Archs
                     : type.name == "DIRECTIVE" ? Completion::Table::Directives
                                                : Completion::Table::None;
  if (type.name.starts_with("FILE."))
    completion.extensions = {type.name.substr(5)};
  return completion;
}

/// " (default 21)". Nothing where there is none, or where the help describes the default in words.
std::string defaultText(const CLI::Option &option) {
  std::string value = option.get_default_str();
  if (value.starts_with('[') && value.ends_with(']'))
    value = value.substr(1, value.size() - 2);
  const bool isDescribed = option.get_description().find("default") != std::string::npos;
  return value.empty() || value == "{}" || isDescribed ? "" : fmt::format(" (default {})", value);
}

OptionModel modelOf(const CLI::Option &option) {
  OptionModel model;
  if (option.get_positional()) {
    model.names = {option.get_name(true)};
  } else {
    for (const std::string &name : option.get_snames())
      model.names.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
      model.names.push_back("--" + name);
  }
  const TypeParts type = partsOf(option);
  const bool takesValue = option.get_positional() || option.get_items_expected_max() > 0;
  model.value = takesValue ? valueWord(type) : "";
  model.help = option.get_description() + (takesValue ? defaultText(option) : "");
  model.group = option.get_group();
  model.isRequired = option.get_required();
  model.repeats = takesValue && option.get_items_expected_max() > 1;
  if (takesValue)
    model.completion = completionOf(type);
  return model;
}

bool isBlank(const std::string &line) { return line.find_first_not_of(' ') == std::string::npos; }

const char *const UsualExitCodes =
    "Exit code 0: done; 1: refused, findings, or stopped; 2: bad usage, or no such file; 3: the input does "
    "not compile; 4: a file or standard output cannot be read or written.";

/// A description is its first line, a paragraph headed "Examples:", one that begins with "Exit code", and the
/// rest.
void readDescription(const std::string &text, CommandModel &model) {
  std::istringstream in(text);
  std::getline(in, model.summary);
  if (model.summary.ends_with('.'))
    model.summary.pop_back();
  std::string *part = &model.details;
  for (std::string line; std::getline(in, line);) {
    if (line == "Examples:") {
      part = &model.examples;
      continue;
    }
    if (line.starts_with("Exit code"))
      part = &model.exitCodes;
    else if (isBlank(line)) {
      part = &model.details;
      if (part->ends_with("\n\n")) // a paragraph in between was taken out
        continue;
    }
    *part += line + (part == &model.exitCodes ? " " : "\n");
  }
  auto trim = [](std::string &part) {
    part.erase(0, part.find_first_not_of('\n'));
    while (part.ends_with("\n\n"))
      part.pop_back();
  };
  trim(model.examples);
  trim(model.details);
  if (model.exitCodes.empty())
    model.exitCodes = UsualExitCodes;
  while (model.exitCodes.ends_with(' '))
    model.exitCodes.pop_back();
  model.exitCodes += " 'heddle help exit-codes' prints the table of all verbs.";
}

std::string usageOf(const CommandModel &model, const Operands &given) {
  std::string usage = "[OPTIONS]";
  if (!given.usage.empty())
    return usage + " " + given.usage;
  for (const OptionModel &operand : model.operands) {
    const std::string text = operand.names.front() + (operand.repeats ? "..." : "");
    usage += operand.isRequired ? " " + text : " [" + text + "]";
  }
  return usage;
}

} // namespace

CommandModel modelOf(const CLI::App &verb, const Session &session) {
  CommandModel model;
  model.name = verb.get_name();
  readDescription(verb.get_description(), model);
  model.footer = verb.get_footer();
  for (const CLI::Option *option : verb.get_options())
    if (!option->get_group().empty())
      (option->get_positional() ? model.operands : model.options).push_back(modelOf(*option));
  const auto found = session.operands.find(model.name);
  const Operands given = found == session.operands.end() ? Operands() : found->second;
  model.usage = verb.get_parent() ? usageOf(model, given) : "[OPTIONS] VERB ...";
  model.operandCompletion = given.completion;
  return model;
}

std::vector<std::string> wordsOf(const Completion &completion) {
  std::vector<std::string> words = completion.words;
  Diagnostics ignored;
  switch (completion.table) {
  case Completion::Table::None: break;
  case Completion::Table::Archs:
    for (const arch::Arch &arch : arch::loadArchs(ignored))
      words.push_back(arch.name);
    break;
  case Completion::Table::Directives:
    for (const transform::DirectiveRule &rule : transform::directiveRules())
      words.push_back(rule.name);
    break;
  }
  return words;
}

std::vector<const CLI::App *> visibleVerbs(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *verb) { return !verb->get_group().empty(); });
}

} // namespace heddle::cli
