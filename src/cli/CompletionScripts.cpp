// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completion scripts. Each shell has its own way to declare the same three things: which verbs there are, which options a
// verb takes, and what completes the value of an option or an operand (words, files of some kinds, folders). The scripts are
// static text: completing never starts heddle, so it also works where heddle is slow to load.
#include "CompletionScripts.h"

#include "CommandModel.h"
#include "Verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::cli {
namespace {

struct Commands {
  CommandModel program;
  std::vector<CommandModel> verbs;
};

Commands commandsOf(const CLI::App &app, const Session &session) {
  Commands commands{modelOf(app, session), {}};
  for (const CLI::App *verb : visibleVerbs(app))
    commands.verbs.push_back(modelOf(*verb, session));
  return commands;
}

std::vector<std::string> verbsOf(const Commands &commands) {
  std::vector<std::string> names;
  for (const CommandModel &verb : commands.verbs)
    names.push_back(verb.name);
  return names;
}

/// The operand of `help` is a verb; that of any other is what its definition says.
Completion operandOf(const CommandModel &verb, const Commands &commands) {
  Completion completion = verb.operandCompletion;
  if (verb.name == "help")
    completion.words = verbsOf(commands);
  return completion;
}

std::string joined(const std::vector<std::string> &words, const char *separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// One line of help, without what would end a quotation.
std::string oneLine(std::string text, const std::string &without) {
  std::erase_if(text, [&](char c) { return c == '\n' || without.find(c) != std::string::npos; });
  return text;
}

// --- bash ----------------------------------------------------------------------------------------------------------

std::string bashWords(const std::vector<std::string> &words) {
  return fmt::format("_heddle_words '{}'", joined(words, " "));
}

std::string bashAction(const Completion &completion) {
  if (const std::vector<std::string> words = wordsOf(completion); !words.empty())
    return bashWords(words);
  if (completion.files)
    return fmt::format("_heddle_files '{}'", joined(completion.extensions, "|"));
  return completion.folders ? "_heddle_folders" : ":";
}

std::string bashVerb(const CommandModel &verb, const Commands &commands) {
  std::string text = fmt::format("    {})\n      case $prev in\n", verb.name);
  std::vector<std::string> names;
  for (const OptionModel &option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (!option.isFlag())
      text += fmt::format("        {}) {}; return ;;\n", joined(option.names, "|"),
                          bashAction(option.completion));
  }
  text += fmt::format(
      "      esac\n      if [[ $cur == -* ]]; then\n        {}\n      else\n        {}\n      fi ;;\n",
      bashWords(names), bashAction(operandOf(verb, commands)));
  return text;
}

std::string bashScript(const Commands &commands) {
  std::vector<std::string> first = verbsOf(commands);
  for (const OptionModel &option : commands.program.options)
    first.insert(first.end(), option.names.begin(), option.names.end());
  std::string text = R"(# bash completion for heddle, made by: heddle help --completion bash

_heddle_words() {
  local typed=${cur#[\"\']} # a directive may be in quotes
  COMPREPLY=($(compgen -W "$1" -- "$typed"))
}

_heddle_folders() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$cur"))
}

_heddle_files() { # EXTENSIONS: "cu|cpp", or nothing for all files
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [[ -z $1 || -d $file || "|$1|" == *"|${file##*.}|"* ]]; then
      COMPREPLY+=("$file")
    fi
  done < <(compgen -f -- "$cur")
}

_heddle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --) _heddle_files ''; return ;;
      --color) ((++i)) ;;
      -*) ;;
      *) [[ -n $verb ]] || verb=${COMP_WORDS[i]} ;;
    esac
  done
  if [[ $cur == = ]]; then # bash takes --option=value apart
    cur=''
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $verb in
)";
  text += fmt::format(
      "    '')\n      [[ $prev == --color ]] && {{ _heddle_words 'auto always never'; return; }}\n"
      "      {} ;;\n",
      bashWords(first));
  for (const CommandModel &verb : commands.verbs)
    text += bashVerb(verb, commands);
  return text + "  esac\n}\n\ncomplete -F _heddle heddle\n";
}

// --- zsh -----------------------------------------------------------------------------------------------------------

std::string zshAction(const Completion &completion) {
  if (const std::vector<std::string> words = wordsOf(completion); !words.empty())
    return fmt::format("({})", joined(words, " "));
  if (completion.files && !completion.extensions.empty())
    return fmt::format("_files -g \"*.({})(-.)\"", joined(completion.extensions, "|"));
  if (completion.files)
    return "_files";
  return completion.folders ? "_files -/" : " ";
}

std::string zshOption(const OptionModel &option) {
  std::string text;
  const std::string help = oneLine(option.help, "'[]:\\`$");
  for (const std::string &name : option.names) {
    const std::string value = option.isFlag() ? ""
                                              : fmt::format(":{}:{}", oneLine(option.value, "':\\[]|"),
                                                            zshAction(option.completion));
    text += fmt::format("        '{}{}[{}]{}' \\\n", option.repeats ? "*" : "", name, help, value);
  }
  return text;
}

std::string zshVerb(const CommandModel &verb, const Commands &commands) {
  std::string text = fmt::format("    {})\n      _arguments \\\n", verb.name);
  for (const OptionModel &option : verb.options)
    text += zshOption(option);
  const Completion operand = operandOf(verb, commands);
  return text + fmt::format("        '*:operand:{}' ;;\n", zshAction(operand));
}

std::string zshScript(const Commands &commands) {
  std::string text = "#compdef heddle\n# zsh completion for heddle, made by: heddle help --completion zsh\n\n"
                     "_heddle() {\n  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n"
                     "  local -a verbs=(\n";
  for (const CommandModel &verb : commands.verbs)
    text += fmt::format("    '{}:{}'\n", verb.name, oneLine(verb.summary, "'`$\\"));
  text += "  )\n  _arguments -C \\\n";
  for (const OptionModel &option : commands.program.options)
    text += zshOption(option);
  text += "        '1:verb:->verb' '*::operand:->rest'\n  case $state in\n"
          "  verb) _describe verb verbs ;;\n  rest)\n    case $words[1] in\n";
  for (const CommandModel &verb : commands.verbs)
    text += zshVerb(verb, commands);
  return text + "    esac ;;\n  esac\n}\n\n"
                "# Read as a function of fpath the file is the function; sourced, it declares it.\n"
                "if [[ $funcstack[1] == _heddle ]]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n";
}

// --- fish ----------------------------------------------------------------------------------------------------------

std::string fishFiles(const Completion &completion) {
  std::vector<std::string> suffixes;
  for (const std::string &extension : completion.extensions)
    suffixes.push_back("." + extension);
  return suffixes.empty() ? "" : fmt::format("(__fish_complete_suffix {})", joined(suffixes, " "));
}

std::string fishValue(const Completion &completion) {
  if (const std::vector<std::string> words = wordsOf(completion); !words.empty())
    return fmt::format(" -x -a '{}'", joined(words, " "));
  if (completion.folders && !completion.files)
    return " -x -a '(__fish_complete_directories)'";
  const std::string files = completion.files ? fishFiles(completion) : "";
  return files.empty() ? completion.files ? " -r -F" : " -x" : fmt::format(" -r -k -a '{}'", files);
}

std::string fishOption(const OptionModel &option, const std::string &when) {
  std::string text = "complete -c heddle " + when;
  for (const std::string &name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.isFlag())
    text += fishValue(option.completion);
  return text + fmt::format(" -d '{}'\n", oneLine(option.help, "'\\"));
}

std::string fishVerb(const CommandModel &verb, const Commands &commands) {
  const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
  std::string text;
  for (const OptionModel &option : verb.options)
    text += fishOption(option, when);
  const Completion operand = operandOf(verb, commands);
  if (const std::vector<std::string> words = wordsOf(operand); !words.empty())
    text += fmt::format("complete -c heddle {} -f -a '{}'\n", when, joined(words, " "));
  else if (operand.files)
    text += fmt::format("complete -c heddle {} -k -a '{}'\n", when, fishFiles(operand));
  else
    text += fmt::format("complete -c heddle {} -f\n", when);
  return text;
}

std::string fishScript(const Commands &commands) {
  std::string text = "# fish completion for heddle, made by: heddle help --completion fish\n\n"
                     "complete -c heddle -n '__fish_use_subcommand' -f\n";
  for (const CommandModel &verb : commands.verbs)
    text += fmt::format("complete -c heddle -n '__fish_use_subcommand' -a {} -d '{}'\n", verb.name,
                        oneLine(verb.summary, "'\\"));
  for (const OptionModel &option : commands.program.options)
    text += fishOption(option, "-n '__fish_use_subcommand'");
  for (const CommandModel &verb : commands.verbs)
    text += fishVerb(verb, commands);
  return text;
}

} // namespace

std::string completionScript(const std::string &shell, const CLI::App &app, const Session &session) {
  const Commands commands = commandsOf(app, session);
  return shell == "bash" ? bashScript(commands) : shell == "zsh" ? zshScript(commands) : fishScript(commands);
}

} // namespace heddle::cli
