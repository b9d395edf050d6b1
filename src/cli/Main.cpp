// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line: which verbs there are, the options they share, and what bad usage gets.
#include "HelpFormatter.h"
#include "SourceOptions.h"
#include "UnknownWord.h"
#include "Verbs.h"
#include "support/Diagnostics.h"
#include "support/ExitCode.h"
#include "support/Interrupts.h"
#include "support/StandardOutput.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>

using namespace heddle;

namespace {

const char *const about = R"(Heddle: a source-to-source optimizing compiler for CUDA C++

Examples:
  heddle analyze kernel.cu   what a kernel does, and what limits it
  heddle capture main.cu -o launch   run a program, and save a launch of a kernel with its memory, to replay it alone
  heddle check kernel.cu     run a program and report races, barrier errors, deadlocks and invalid memory accesses
  heddle arch sm_90          limits of a GPU generation
  heddle chem examples/hydrogen --evaluate states.json   rates and transport of a combustion mechanism
  heddle doctor              which compilers, libraries and devices this computer has, and what they enable
  heddle nvcc nvcc -c kernel.cu -o kernel.o   compile with nvcc, and apply the #pragma heddle lines on the way
  heddle opt kernel.cu -o out.cu -d "coarsen x=2" --verify   change a kernel, and check on this input that it computes the same
  heddle profile fractal.cu  which branches diverge, what that costs, and what regrouping threads would save
  heddle run saxpy.cu        build a CUDA program and run it, without a GPU
  heddle tune saxpy.cu -d "coarsen x=1|2|4" -o out.cu   try every alternative, and select the fastest with the same results
)";

bool wantsColour(const std::string &choice, int descriptor) {
  if (choice != "auto")
    return choice == "always";
  const char *noColour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  bool refused = (noColour && *noColour) || (terminal && std::string_view(terminal) == "dumb");
  return !refused && isatty(descriptor);
}

int complain(const std::string &text, const std::string &hint, const std::string &colourChoice) {
  Diagnostics diagnostics;
  diagnostics.error({}, text).withHint(hint);
  print(std::cerr, diagnostics, wantsColour(colourChoice, STDERR_FILENO));
  return ExitBadUsage;
}

/// What was left over: a verb that does not exist, an option no verb has (`foreign`: words for a compiler
/// that the verb does not call), or nothing at all.
int complainOfLeftovers(const CLI::App &app, const std::vector<std::string> &foreign,
                        const std::string &colourChoice) {
  std::vector<std::string> left = app.remaining(true);
  if (left.empty())
    left = foreign;
  std::vector<CLI::App *> given = app.get_subcommands();
  if (!given.empty())
    return complain(fmt::format("{} '{}'",
                                left.front().starts_with("-") ? "unknown option" : "unexpected argument",
                                left.front()),
                    cli::hintForOption(left.front(), *given.front()), colourChoice);
  if (left.empty())
    return complain("a verb is required", fmt::format("there are {}", joinAnd(cli::verbNames(app))),
                    colourChoice);
  if (left.front().starts_with("-"))
    return complain(fmt::format("unknown option '{}'", left.front()), cli::hintForOption(left.front(), app),
                    colourChoice);
  return complain(fmt::format("there is no verb '{}'", left.front()), cli::hintForVerb(left.front(), app),
                  colourChoice);
}

void addColour(CLI::App &command, std::string &colourChoice) {
  command
      .add_option("--color", colourChoice,
                  "use of color: always, never, or auto (on a terminal, unless NO_COLOR is set; the default)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

/// --color, before or after the verb.
void addColours(CLI::App &app, std::string &colourChoice) {
  addColour(app, colourChoice);
  for (CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; }))
    addColour(*verb, colourChoice);
}

int runVerb(int argc, char **argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  if (const std::optional<cli::LauncherCall> call = cli::launcherCall(all))
    return cli::launchCompiler(*call, wantsColour(call->colour, STDERR_FILENO));
  cli::Session session;
  std::string colourChoice = "auto";

  CLI::App app(about, "heddle");
  app.formatter(std::make_shared<cli::HelpFormatter>(session));
  app.fallthrough();                               // --version may follow a verb too
  app.require_subcommand(0, 1);                    // a file or a word of the same name is no second verb
  app.option_defaults()->always_capture_default(); // the help states them
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION, "print the version");

  cli::addAnalyze(app, session);
  cli::addArch(app, session);
  cli::addCapture(app, session);
  cli::addCheck(app, session);
  cli::addChem(app, session);
  cli::addDoctor(app, session);
  cli::addHelp(app, session);
  cli::addNvcc(app, session);
  cli::addOpt(app, session);
  cli::addProfile(app, session);
  cli::addRun(app, session);
  cli::addTune(app, session);
  cli::addVerify(app, session);
  cli::addVersion(app, session);
  addColours(app, colourChoice);

  // CLI11 would take -std=c++20 for a bundle of one-letter options, so it sees only what is ours.
  cli::SplitArguments words = cli::splitArguments(all);
  session.compilerArguments = words.compiler;
  session.programArguments = words.program;
  auto foreign = [&] { return words.compiler.empty() ? words.program : words.compiler; };
  app.parse_complete_callback([&] {
    session.colour = wantsColour(colourChoice, STDOUT_FILENO);
    session.errorColour = wantsColour(colourChoice, STDERR_FILENO);
    for (const CLI::App *verb : app.get_subcommands())
      if (!foreign().empty() && !session.verbsThatCompile.count(verb->get_name()))
        throw CLI::ExtrasError({foreign().front()});
  });

  try {
    // CLI11 takes its words last first.
    app.parse(std::vector<std::string>(words.own.rbegin(), words.own.rend()));
    return app.get_subcommands().empty() ? complainOfLeftovers(app, foreign(), colourChoice)
                                         : session.exitCode;
  } catch (const CLI::Success &help) {
    // CLI11 answers --help and --version before it looks at a word that is no verb.
    if (app.get_subcommands().empty() && !app.remaining(true).empty())
      return complainOfLeftovers(app, foreign(), colourChoice);
    return app.exit(help);
  } catch (const CLI::ExtrasError &) {
    return complainOfLeftovers(app, foreign(), colourChoice);
  } catch (const CLI::ParseError &wrong) {
    std::vector<CLI::App *> given = app.get_subcommands();
    const cli::WrongValue is = cli::wrongValue(wrong);
    return complain(is.text,
                    fmt::format("{}{}heddle {}--help", is.hint, is.hint.empty() ? "" : " ",
                                given.empty() ? std::string() : given.front()->get_name() + " "),
                    colourChoice);
  } catch (const FileError &wrong) {
    complain(wrong.what(), "", colourChoice);
    return wrong.failure.exitCode();
  } catch (const std::filesystem::filesystem_error &wrong) {
    complain(wrong.what(), "", colourChoice);
    return ExitInputOutput;
  } catch (const std::exception &bug) {
    std::cerr << fmt::format("internal error: {}\n", bug.what());
    return ExitRefused;
  }
}

} // namespace

int main(int argc, char **argv) {
  handleInterrupts("heddle");
  CheckedStandardOutput output;
  const int exitCode = runVerb(argc, argv);
  std::optional<FileFailure> lost = output.finish();
  if (!lost)
    return exitCode;
  std::cerr << fmt::format("heddle: error: {} {}\n", lost->file.string(), lost->text());
  return lost->exitCode();
}
