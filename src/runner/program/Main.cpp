// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-runner: reads flags, calls the library, prints. It is linked without any library of the system, so
// flags are read by hand.
#include "ProgressLine.h"
#include "runner/Campaign.h"
#include "runner/RunnerHelp.h"
#include "support/ExitCode.h"
#include "support/Interrupts.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace heddle;
using namespace heddle::runner;

namespace {

struct Arguments {
  CampaignOptions campaign;
  bool quiet = false, help = false, version = false;
  std::string error;
};

std::set<std::string> splitAtCommas(const std::string &list) {
  std::set<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin)
      parts.insert(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Takes one flag that has a value; false where it is none of them.
bool takeValue(const std::string &flag, const std::string &value, Arguments &arguments) {
  if (flag == "--only")
    arguments.campaign.only = splitAtCommas(value);
  else if (flag == "--jobs")
    arguments.campaign.jobs = unsigned(std::strtoul(value.c_str(), nullptr, 10));
  else if (flag == "--compile")
    arguments.campaign.toolchain.compileCommand = value;
  else if (flag == "--timing")
    arguments.campaign.toolchain.timingLibrary = value;
  else if (flag == "--unfused")
    arguments.campaign.toolchain.unfusedFlag = value;
  else
    return false;
  return true;
}

void takeFolder(const std::string &word, Arguments &arguments) {
  if (word.starts_with("-"))
    arguments.error = "unknown option '" + word + "', or its value is missing";
  else if (!arguments.campaign.folder.empty())
    arguments.error =
        "unexpected argument '" + word + "': the folder is '" + arguments.campaign.folder.string() + "'";
  else
    arguments.campaign.folder = word;
}

Arguments read(int count, char **words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word == "--help" || word == "-h")
      arguments.help = true;
    else if (word == "--version")
      arguments.version = true;
    else if (word == "--quiet")
      arguments.quiet = true;
    else if (word == "--again-lost")
      arguments.campaign.againLost = true;
    else if (i + 1 < count && takeValue(word, words[i + 1], arguments))
      ++i;
    else
      takeFolder(word, arguments);
  }
  if (arguments.error.empty() && arguments.campaign.folder.empty())
    arguments.error = "the folder of a plan is missing";
  return arguments;
}

} // namespace

int main(int count, char **words) {
  Arguments arguments = read(count, words);
  if (arguments.help || arguments.version) {
    const std::string text = arguments.help ? runnerHelpText() : "heddle-runner " HEDDLE_VERSION "\n";
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
      return ExitDone;
    std::fprintf(stderr, "heddle-runner: error: standard output cannot be written: %s\n",
                 std::strerror(errno));
    return ExitInputOutput;
  }
  if (!arguments.error.empty()) {
    std::fprintf(stderr, "heddle-runner: error: %s\nhint: heddle-runner --help\n", arguments.error.c_str());
    return ExitBadUsage;
  }
  handleInterrupts("heddle-runner");
  setResumeHint("results so far are in " + (arguments.campaign.folder / "results.jsonl").string() +
                ": the same command goes on from there");
  ProgressLine line(arguments.quiet);
  CampaignEnd end = runCampaign(arguments.campaign, [&](const Progress &progress) { line.show(progress); });
  line.finish();
  if (end.error.empty())
    return ExitDone;
  std::fprintf(stderr, "heddle-runner: error: %s\n", end.error.c_str());
  return end.exitCode;
}
