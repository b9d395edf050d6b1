// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Observation.h"
#include "runner/Toolchain.h"
#include "support/Process.h"

#include <cstdint>

namespace heddle::runner {

/// A candidate that a compiler was given.
struct Compiled {
  std::filesystem::path program; ///< empty: there is none, and `failure` says why
  Result failure;
  double seconds = 0;
  std::map<std::string, uint64_t> spillBytes; ///< by kernel
};

/// Compiles and times candidates one by one. Each runs as a process of its own with a limit to its time.
///
/// The baseline comes first: whatever it copies to the host is what others are compared with. Compiling may be done
/// by several threads at once, measuring by one: programs that share a GPU are no measurement.
class CandidateRuns {
public:
  ~CandidateRuns();
  /// `folder` is where the candidates' paths begin, and where they run unless `runFolder` says otherwise;
  /// files of our own go to `work`, which is made.
  CandidateRuns(Manifest manifest, std::filesystem::path folder, std::filesystem::path work,
                Toolchain toolchain);

  /// Makes the timing library. What is in the way, or nothing.
  std::string prepare();

  Compiled compile(const Candidate &candidate) const;
  /// The baseline is whichever is measured while there is no reference.
  Result measure(const Candidate &candidate, const Compiled &compiled);
  /// Both, and the program is gone afterwards.
  Result compileAndMeasure(const Candidate &candidate);

  const std::optional<Reference> &reference() const { return wanted; }
  /// From an earlier run, so that the baseline need not run again. It is the manifest's first candidate then.
  void setReference(Reference reference) { wanted = std::move(reference); }

  std::filesystem::path runFolder;      ///< empty: `folder`
  std::vector<std::string> environment; ///< for the programs: "CUDA_VISIBLE_DEVICES=1"
  double mostTimingSeconds = 0;         ///< of a run, for launching again and again; 0: a third of its limit
  RunCompiler runCompiler;              ///< null: each program is compiled by a process of its own

private:
  struct Run {
    ProcessResult end;
    std::optional<Observation> seen;
  };
  struct Verdict {
    Status status = Status::Measured;
    std::string reason;
  };
  enum class Purpose { Timing, Comparing };
  /// `log`: where to record what is copied to the host; empty: nowhere.
  Run run(const Candidate &candidate, const Compiled &compiled, Purpose purpose,
          const std::filesystem::path &log = {}) const;
  static Verdict verdictOf(const Run &run, double limit);
  Verdict compared(const Run &run) const;
  Verdict reconsidered(const Candidate &candidate, const Compiled &compiled, const Verdict &verdict);
  Result onDevice(Result result) const;
  Candidate withoutFusion(Candidate candidate) const;
  Run runUnfused(const Candidate &candidate, const Compiled &compiled) const;
  std::optional<Reference> unfusedReference(const Candidate &candidate, const Compiled &compiled) const;
  bool differsByFusionOnly(const Candidate &candidate);
  bool writeDown(const Candidate &candidate, const Compiled &compiled,
                 const std::filesystem::path &log) const;
  bool writeDownBaseline();
  std::string tooFarApart(const Candidate &candidate, const Compiled &compiled);
  const Candidate &theBaseline() const { return baseline ? *baseline : manifest.candidates.front(); }
  std::string becomeReference(const Candidate &candidate, const Compiled &compiled, const Run &first);

  Manifest manifest;
  std::filesystem::path folder, work, timing;
  Toolchain toolchain;
  std::optional<Reference> wanted;
  std::optional<Candidate> baseline; ///< where it was measured here; else it is the manifest's first
  std::optional<Reference> unfused;  ///< the baseline's, compiled without fusing; made when it is needed
  std::filesystem::path
      baselineCopies; ///< what the baseline copied to the host, byte for byte; made when needed
};

/// A result about a candidate as of now.
Result resultNow(const std::string &id, Status status, std::string reason);

} // namespace heddle::runner
