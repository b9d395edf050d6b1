// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ranks {

/// Processes that share work, under mpirun: rank 0 hands out tasks, the others do them. Tasks and answers are
/// texts; this module does not interpret them.
///
/// A rank that dies loses only its task, which another one gets. mpirun ends everything when a rank dies,
/// unless it is called with --enable-recovery.
class Ranks {
public:
  /// The answer to a task, or nothing where all who had it died. False: hand out no more.
  using Heard = std::function<bool(size_t task, const std::optional<std::string> &answer)>;

  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The how-manieth of those who work on this machine: which GPU is mine.
  virtual unsigned numberOnThisMachine() const = 0;

  /// For rank 0: each task is done by some rank, in any order. A rank that takes longer than `seconds` (0: any
  /// time) is taken for dead. Gives the tasks that no rank is left to do; empty also where `heard` had enough,
  /// when all that were handed out are answered.
  virtual std::vector<size_t> handOut(const std::vector<std::string> &tasks, double seconds,
                                      const Heard &heard) = 0;
  /// For the others: does tasks until rank 0 sends everybody home, or is gone.
  virtual void serve(const std::function<std::string(const std::string &)> &work) = 0;
  /// The last thing that each does. Rank 0 sends the others home.
  virtual void finish() = 0;
};

/// True in a process that mpirun started with others.
bool isUnderMpirun();

/// Those of mpirun, through the plugin in `folder`: nothing of MPI is loaded unless mpirun started us.
/// Nothing, and `error` for a person, where it cannot be had.
std::unique_ptr<Ranks> openRanks(const std::string &folder, std::string &error);

/// What CUDA_VISIBLE_DEVICES must be for the how-manieth worker of a machine with that many GPUs (0:
/// unknown), where it is `now` for all (empty: not set).
std::string deviceOf(unsigned number, unsigned devices, const std::string &now);

} // namespace heddle::ranks

/// What the plugin exports.
extern "C" heddle::ranks::Ranks *heddleOpenRanks();
