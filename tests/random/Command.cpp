// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Command.h"

#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::generator {

std::string disagreement(const Program &program, const Verdict &verdict, const fs::path &heddle) {
  TemporaryFolder folder;
  const fs::path main = folder.path() / "main.cu", out = folder.path() / "out.cu";
  std::ofstream(main) << program.mainText();
  if (program.needsHeader())
    std::ofstream(folder.path() / headerName) << program.headerText();
  // The library's text includes the run-time headers; the command's does not embed them then.
  std::vector<std::string> command = {
      heddle.string(), "opt",  main.string(), "-o",    out.string(), "-k",  "kernel",
      "--cuda-path",   "none", "--compiler",  "clang", "--runtime",  "path"};
  for (const std::string &directive : program.directives)
    command.insert(command.end(), {"-d", directive});
  const ProcessResult done = runProcess(command, {}, 600);
  const auto says = [&](const std::string &what) {
    return fmt::format("{}; exit code {}\n{}", what, done.exitCode, done.standardError.substr(0, 3000));
  };

  if (done.timedOut)
    return says("opt does not come to an end");
  if (done.exitCode != 0 && done.exitCode != 1)
    return says("opt must end with 0 or 1");
  const bool isWritten = fs::exists(out);
  if (isWritten != (done.exitCode == 0))
    return says(isWritten ? "opt failed and wrote a file" : "opt succeeded and wrote no file");
  const bool wasRefused = verdict.kind == Verdict::Kind::Refused;
  if (wasRefused && done.exitCode == 0)
    return says("opt does what the library refuses: " + verdict.why);
  if (!wasRefused && done.exitCode == 1)
    return says("opt does not write what computes the same");
  if (done.exitCode == 1 && done.standardError.empty())
    return says("opt refuses without a word");
  if (isWritten) {
    std::stringstream text;
    text << std::ifstream(out).rdbuf();
    if (text.str() != verdict.emitted)
      return says("opt writes another text than the library");
  }
  return {};
}

} // namespace heddle::generator
