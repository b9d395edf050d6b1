// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/RunnerHelp.h"

#include <algorithm>
#include <sstream>

namespace heddle::runner {
namespace {

constexpr size_t Width = 110;     // of the text
constexpr size_t HelpColumn = 24; // where an option's help begins

/// Words in lines of at most `Width`, each after `indent` blanks.
std::string wrapped(const std::string &text, size_t indent) {
  std::string out, line;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > Width) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + std::string(indent, ' ') + line + "\n";
}

std::string row(const RunnerOption &option) {
  std::string left = std::string("  ") + option.name + (*option.value ? " " : "") + option.value;
  left.resize(std::max(left.size() + 1, HelpColumn), ' ');
  return left + wrapped(option.help, HelpColumn).substr(HelpColumn);
}

} // namespace

const RunnerHelp &runnerHelp() {
  static const RunnerHelp help = {
      "Measure the candidates of a folder that `heddle tune --plan` wrote, on a machine with a GPU and nvcc",
      "  heddle-runner plan                    every candidate that plan/results.jsonl does not have yet\n"
      "  heddle-runner plan --only 7f3a,90c1   the baseline and these candidates\n"
      "  heddle-runner plan --again-lost       also candidates whose measurement was interrupted twice\n",
      "Results are appended to DIR/results.jsonl, one per line. It may be stopped at any time: the same "
      "command "
      "continues, and measures no candidate twice. `heddle tune --collect DIR` reads the results.",
      "DIR [OPTIONS]",
      "Exit code 0: measured; 1: the baseline cannot be measured; 2: bad usage, or no such folder; 3: the "
      "plan "
      "is not well-formed, or the baseline does not compile; 4: a file cannot be read or written; 129, "
      "130 and 143: interrupted.",
      {{"--only", "ID[,ID...]", "measure the baseline and these candidates (default: all)"},
       {"--again-lost", "", "measure candidates again whose measurement was interrupted twice"},
       {"--jobs", "N", "compilers that run at the same time (default: one per core)"},
       {"--compile", "COMMAND",
        "the command to compile with; {files}, {flags}, {arch} and {out} are replaced (default: nvcc)"},
       {"--timing", "LIBRARY",
        "the timing library; 'none': none, the program writes its times itself to the file that "
        "$HEDDLE_TIMING names (default: compile DIR/timing)"},
       {"--unfused", "FLAG",
        "the flag of that compiler that forbids fused multiply-add (default: that of nvcc)"},
       {"--quiet", "", "print no progress"},
       {"--version", "", "print the version"},
       {"--help", "", "print this help"}}};
  return help;
}

std::string runnerHelpText() {
  const RunnerHelp &help = runnerHelp();
  std::string text = std::string(help.summary) + "\n\nExamples:\n" + help.examples + "\n" +
                     wrapped(help.details, 0) + "\nUsage: heddle-runner " + help.usage + "\n\nOptions:\n";
  for (const RunnerOption &option : help.options)
    text += row(option);
  return text + "\n" + wrapped(help.exitCodes, 0);
}

} // namespace heddle::runner
