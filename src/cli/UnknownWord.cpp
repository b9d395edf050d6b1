// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "UnknownWord.h"

#include "CommandModel.h"
#include "support/Suggest.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Regex.h>

#include <algorithm>

namespace heddle::cli {

std::string suggestionFor(const std::string &word, const std::vector<std::string> &names) {
  const std::string question = didYouMean(word, names);
  return fmt::format("{}{} are {}", question.empty() ? "" : question + " ",
                     question.empty() ? "there" : "There", joinAnd(names));
}

std::string hintForVerb(const std::string &word, const CLI::App &app) {
  if (word == "replay" || word == "runner")
    return fmt::format("heddle-{0} is a program of its own: heddle-{0} --help", word);
  return suggestionFor(word, verbNames(app));
}

std::vector<std::string> verbNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *verb : visibleVerbs(app))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App &verb) {
  std::vector<std::string> names;
  for (const CLI::Option *option : verb.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// Verbs that parse have --cuda-path, those that compile --compiler: each with its own way to Heddle's headers.
static std::string hintForHeaders(const std::string &name, const std::vector<std::string> &names) {
  const auto has = [&](const char *option) { return std::ranges::find(names, option) != names.end(); };
  if (name == "--cuda-path" && has("--compiler"))
    return "--compiler clang uses Heddle's own headers; CUDA_PATH=DIR selects a toolkit";
  if (name == "--compiler" && has("--cuda-path"))
    return "--cuda-path none uses Heddle's own headers";
  return {};
}

std::string hintForOption(const std::string &word, const CLI::App &command) {
  if (std::string hint = hintForHeaders(word.substr(0, word.find('=')), optionNames(command)); !hint.empty())
    return hint;
  const std::string question = didYouMean(word.substr(0, word.find('=')), optionNames(command));
  return fmt::format("{}{}heddle {}--help", question, question.empty() ? "" : " ",
                     command.get_parent() ? command.get_name() + " " : "");
}

namespace {

std::vector<std::string> itemsOf(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> items;
  list.split(items, ',');
  return {items.begin(), items.end()};
}

/// The groups of `pattern` in the whole text; none where it does not match.
std::vector<std::string> matchedGroups(const char *pattern, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> groups;
  if (!llvm::Regex(pattern).match(text, &groups))
    return {};
  return {groups.begin() + 1, groups.end()};
}

} // namespace

WrongValue wrongValue(const CLI::ParseError &error) {
  const std::string text = error.what();
  if (const auto is = matchedGroups("^([^:]+): (.*) not in \\{(.*)\\}$", text); !is.empty())
    return itemsOf(is[2]).size() == 1
               ? WrongValue{fmt::format("{}: '{}' is not '{}', its only value", is[0], is[1], is[2]), ""}
               : WrongValue{fmt::format("{}: '{}' is none of {}", is[0], is[1], joinAnd(itemsOf(is[2]))),
                            didYouMean(is[1], itemsOf(is[2]))};
  if (const auto is = matchedGroups("^([^:]+): Value (.*) not in range (.*) to (.*)$", text); !is.empty())
    return {fmt::format("{}: '{}' is not a number from {} to {}", is[0], is[1], is[2], is[3]), ""};
  if (const auto is = matchedGroups("^Could not convert: (.*) = (.*)$", text); !is.empty())
    return {fmt::format("{}: '{}' is not a number, or is out of range", is[0], is[1]), ""};
  if (const auto is = matchedGroups("^([^:]+): At [Mm]ost ([0-9]+) required but received ([0-9]+)$", text);
      !is.empty())
    return {fmt::format("{}: {} are given, and at most {} possible", is[0], is[2], is[1]), ""};
  if (const auto is = matchedGroups("^([^:]+): At [Ll]east ([0-9]+) required but received ([0-9]+)$", text);
      !is.empty())
    return {fmt::format("{}: {} are needed, and {} given", is[0], is[1], is[2]), ""};
  if (const auto is = matchedGroups("^([^:]+): [0-9]+ required ([A-Za-z.]+)(:.*)? missing$", text);
      !is.empty())
    return {fmt::format("{} needs a value", is[0]), ""};
  return {text, ""};
}

} // namespace heddle::cli
