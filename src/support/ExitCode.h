// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exit codes of `heddle` and `heddle-runner`, the same for every verb. docs/exit-codes.md is this table
// for users, and tests/errors has a test per row and verb.
#pragma once

namespace heddle {

enum ExitCode : int {
  /// Everything that was asked for was done.
  ExitDone = 0,
  /// The input is readable, but a directive was refused, a check has findings, two programs differ, a program
  /// was stopped, or there is nothing to do in the input (a file without kernels).
  ExitRefused = 1,
  /// The command line is wrong. An input that does not exist or that is a directory counts as this.
  ExitBadUsage = 2,
  /// The input was read and does not compile: CUDA, PTX, a mechanism, a file of states, a plan. Binary files
  /// that should be text are among them.
  ExitDoesNotCompile = 3,
  /// The system refused to read or write: no permission, no space, an error of the device. Every output that
  /// cannot be written ends with this, standard output included.
  ExitInputOutput = 4,
  /// SIGHUP, SIGINT and SIGTERM: 128 + the number of the signal, as shells report it.
  ExitHangup = 129,
  ExitInterrupted = 130,
  ExitTerminated = 143,
};

} // namespace heddle
