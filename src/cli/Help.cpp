// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle help and heddle version: what --help and --version print, as verbs; and the same definitions as man
// pages and completion scripts, for those who package Heddle.
#include "CommandModel.h"
#include "CompletionScripts.h"
#include "InputOutput.h"
#include "ManPages.h"
#include "UnknownWord.h"
#include "Verbs.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "transform/Registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

const char *const aboutHelp = R"(Help for Heddle, or for one verb

Examples:
  heddle help
  heddle help opt                 the same as heddle opt --help
  heddle help exit-codes          the exit codes of all verbs
  heddle help --man man1          write the man pages into a folder
  heddle help --completion bash   print a completion script for this shell

Exit code 0: done; 2: bad usage, or no such verb; 4: a file or standard output cannot be written.
)";

const char *const exitCodes = R"(Exit codes of heddle and heddle-runner

  0         done
  1         refused: a directive was refused, a check has findings, two programs differ or the first is not deterministic,
            a program failed or was stopped, there is no GPU where one is asked for, or the input has no kernel; also internal
            errors
  2         bad usage: the command line or a directive is wrong, an input that it names does not exist or is a directory,
            or -k names no kernel
  3         an input does not compile: CUDA, PTX, a mechanism, a file of states, a plan
  4         a file or standard output cannot be read or written
  129, 130, interrupted by SIGHUP, SIGINT or SIGTERM
  143
  141       the reader of standard output has closed it (SIGPIPE)

heddle run exits with the code of the program that it runs, heddle nvcc with that of the compiler. They use these codes
if the program or compiler could not be run or did not end by itself. heddle run also exits with 1 if the simulator
stopped a kernel and the program exits with 0, or if --timeout stopped one; heddle nvcc, if -Werror=heddle or
HEDDLE_WERROR makes a warning an error. docs/exit-codes.md lists them by input and verb.
)";

std::string helpOf(const CLI::App &command) {
  return command.get_formatter()->make_help(&command, "", CLI::AppFormatMode::Normal);
}

struct HelpRequest {
  std::string verb, manFolder, shell;
};

void writeManPages(const CLI::App &app, const std::string &folder, Session &session) {
  if (!canFill(folder, session))
    return;
  if (std::optional<FileFailure> failure = makeFolder(folder))
    return complain(*failure, session);
  for (const ManPage &page : manPages(app, session))
    if (!write(std::filesystem::path(folder) / page.name, page.text, session))
      return;
}

void help(const CLI::App &app, const HelpRequest &request, Session &session) {
  const std::string &name = request.verb;
  if (!request.manFolder.empty())
    return writeManPages(app, request.manFolder, session);
  if (!request.shell.empty()) {
    std::cout << completionScript(request.shell, app, session);
    return;
  }
  if (name.empty()) {
    std::cout << helpOf(app);
    return;
  }
  if (name == "exit-codes") {
    std::cout << exitCodes;
    return;
  }
  for (const CLI::App *verb : visibleVerbs(app))
    if (verb->get_name() == name) {
      std::cout << helpOf(*verb);
      return;
    }
  const bool isDirective = std::ranges::any_of(
      transform::directiveRules(), [&](const transform::DirectiveRule &rule) { return rule.name == name; });
  complain(session, fmt::format("there is no verb '{}'", name),
           isDirective ? fmt::format("{} is a directive: 'heddle help opt' lists its settings", name)
                       : hintForVerb(name, app),
           ExitBadUsage);
}

} // namespace

void addHelp(CLI::App &app, Session &session) {
  auto request = std::make_shared<HelpRequest>();
  CLI::App *verb = app.add_subcommand("help", aboutHelp);
  verb->add_option("VERB", request->verb,
                   "the verb to describe, or exit-codes (default: all verbs, one line each)");
  verb->add_option("--man", request->manFolder, "write heddle.1 and a man page per verb into this folder")
      ->type_name("DIR");
  verb->add_option("--completion", request->shell, "print the completion script for this shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([request, &app, &session] { help(app, *request, session); });
}

void addVersion(CLI::App &app, Session &) {
  app.add_subcommand("version", "The version of Heddle, as --version prints it\n\n"
                                "Exit code 0: done; 2: bad usage; 4: standard output cannot be written.")
      ->callback([] { std::cout << "heddle " HEDDLE_VERSION "\n"; });
}

} // namespace heddle::cli
