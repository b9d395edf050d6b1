// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/ChemMaker.h"

#include "build/DevicePtx.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "tune/Needs.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using runner::Status;

/// Kernels, their self-test and the headers between them; pages and build files say nothing to a compiler.
std::vector<Candidate::File> sourcesIn(const fs::path &folder) {
  std::vector<Candidate::File> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    const bool isCompiled = extension == ".cu" || extension == ".cpp";
    if (isCompiled || extension == ".h")
      files.push_back({entry.path().filename().string(), contentsOf(entry.path()), isCompiled});
  }
  std::ranges::sort(files, {}, &Candidate::File::name);
  return files;
}

} // namespace

bool isMechanism(const fs::path &file) {
  std::error_code ignored;
  const std::string extension = file.extension().string();
  return fs::is_directory(file, ignored) || extension == ".yaml" || extension == ".yml" ||
         extension == ".inp" || extension == ".dat";
}

std::vector<std::string> chemOptions() {
  return {"--variant=plain|warps", "--warps=4|8|16", "--ctas=1|2|4", "--placement=store|mixed"};
}

std::string ChemMaker::generate(const Configuration &configuration, const fs::path &folder) const {
  std::vector<std::string> command = words;
  command.insert(command.end(), {"-o", folder.string()});
  command.insert(command.end(), configuration.options.begin(), configuration.options.end());
  const bool namesVariant = std::ranges::any_of(
      configuration.options, [](const std::string &option) { return option.starts_with("--variant="); });
  if (!namesVariant)
    command.push_back("--variant=plain"); // the baseline: one thread per point
  const ProcessResult done = runInCopy(problem.limits.make, [&] { return generator(command); });
  return done.succeeded() ? done.standardOutput : "generating it " + whyFailed(done);
}

Made ChemMaker::make(const Configuration &configuration) {
  const auto begin = std::chrono::steady_clock::now();
  TemporaryFolder folder;
  Made made;
  made.reason = generate(configuration, folder.path());
  if (made.reason.empty()) {
    Candidate candidate;
    candidate.id = problem.idOf(configuration);
    candidate.configuration = configuration;
    candidate.files = sourcesIn(folder.path());
    candidate.flags = configuration.compilerFlags();
    std::vector<std::string> identity = candidate.flags;
    for (const Candidate::File &file : candidate.files)
      identity.push_back(file.text);
    candidate.digest = digestOf(identity);
    made.candidate = std::move(candidate);
  }
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return made;
}

} // namespace heddle::tune
