// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"
#include "support/Paths.h"
#include "tune/Candidate.h"
#include "tune/Placement.h"
#include "tune/Problem.h"

#include <map>
#include <memory>
#include <set>

namespace heddle::tune {

/// A candidate, or why there is none.
struct Made {
  std::optional<Candidate> candidate;
  runner::Status status = runner::Status::Refused; ///< where there is none
  std::string reason;
  double seconds = 0;
  std::string failsCheck; ///< of the baseline, which is a candidate whatever the static check says
};

/// A configuration that is being carried out. It must not outlive its maker; destroyed early, it is given up.
class Making {
public:
  virtual ~Making() = default;
  /// Does not wait. To be asked again and again: asking is what keeps it going.
  virtual bool isOver() = 0;
  /// Waits for the end.
  virtual Made made() = 0;
};

/// Carries configurations out.
class Maker {
public:
  virtual ~Maker() = default;
  virtual Made make(const Configuration &configuration) = 0;
  /// Begins to carry one out in a process of its own, where the maker can; others may be begun meanwhile. The baseline
  /// must have been made before.
  virtual std::unique_ptr<Making> begin(const Configuration &configuration);
};

/// Carries them out on a CUDA file: sizes of blocks first, then directives in their order, then the static
/// check of what came out. In a process of its own, with a limit.
class CudaMaker final : public Maker {
public:
  explicit CudaMaker(const Problem &problem);
  ~CudaMaker() override;
  Made make(const Configuration &configuration) override;
  std::unique_ptr<Making> begin(const Configuration &configuration) override;
  struct Finding;

private:
  class FindingOut;
  class Assembling;
  class CudaMaking;
  std::shared_ptr<FindingOut> findingOf(const Configuration &configuration);
  const std::set<KernelLines> &kernelsWith(const std::vector<std::string> &defines);

  const Problem &problem;
  TemporaryFolder modules; ///< cubins or PTX, where a launch is captured
  /// Candidates must pass only what the baseline passes: where it fails, they are not checked.
  std::string whyBaselineFails;
  std::map<std::vector<std::string>, std::set<KernelLines>> kernels; ///< by definitions
  std::map<std::string, std::shared_ptr<FindingOut>> findings;       ///< by configuration
  std::map<std::string, std::shared_ptr<Assembling>> assemblies;     ///< by PTX and flags
};

/// The text with each line `#pragma heddle ...` left blank: a search begins at what a file says without them,
/// and lines keep their numbers.
std::string withoutPragmas(const std::string &file, std::string text);

/// What is compiled for a candidate that lies somewhere else: its #include "..." are meant from the problem's
/// folder. `files` are its own and the problem's further ones.
build::Sources sourcesFor(const Problem &problem, const std::vector<std::filesystem::path> &files,
                          const std::vector<std::string> &own);
/// The flags of the tuned file alone.
std::vector<std::string> flagsFor(const Problem &problem, const std::vector<std::string> &own,
                                  build::Compiler compiler);

/// Writes a candidate's files into a folder and gives their paths, the problem's further files after them.
std::vector<std::filesystem::path> writeFiles(const Candidate &candidate, const Problem &problem,
                                              const std::filesystem::path &folder);

} // namespace heddle::tune
