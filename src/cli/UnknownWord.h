// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to say about a word that names nothing: a verb, an option, a value of one.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace heddle::cli {

/// "did you mean 'opt'? There are analyze, ...", without the question where nothing is near.
std::string suggestionFor(const std::string &word, const std::vector<std::string> &names);

/// The same for a verb, and for a program of Heddle's that is none.
std::string hintForVerb(const std::string &word, const CLI::App &app);

std::vector<std::string> verbNames(const CLI::App &app);
/// "--output", "--kernel", ...: the long names of a verb's options.
std::vector<std::string> optionNames(const CLI::App &verb);
/// "did you mean '--output'? heddle opt --help". `command` is a verb, or the program itself.
std::string hintForOption(const std::string &word, const CLI::App &command);

/// What is wrong with a value, or with the number of values, in our words instead of CLI11's.
struct WrongValue {
  std::string text; ///< "--strategy: 'gready' is none of auto, exhaustive and guided"
  std::string hint; ///< "did you mean 'auto'?", or nothing
};
WrongValue wrongValue(const CLI::ParseError &error);

} // namespace heddle::cli
