// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <thread>

namespace heddle {

/// Our standard input, for several runs of programs one after the other: each reads it from its beginning.
///
/// A file is rewound. What comes through a pipe is kept, and given to later runs again. It is read only while a program
/// runs: a pipe that nobody closes, which a shell or a CI system may have left us, does not stop anything. A terminal is
/// left to the programs.
class RepeatedInput {
public:
  /// `descriptor` is 0 except in tests.
  explicit RepeatedInput(int descriptor = 0);

  /// What one program reads, for as long as it runs.
  class Reading {
  public:
    explicit Reading(RepeatedInput &input);
    ~Reading();
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;

    /// The program's standard input; -1: ours.
    int descriptor() const { return readEnd; }

  private:
    void feed();
    void wait(bool hasBytes, bool &canRead, bool &canWrite, bool &isOver) const;
    void closeWrite();

    RepeatedInput &input;
    int readEnd = -1, writeEnd = -1, stopRead = -1, stopWrite = -1;
    std::thread feeder;
  };

private:
  enum class Kind { LeftAlone, File, Stream };

  const int descriptor;
  Kind kind = Kind::LeftAlone;
  long begin = 0;        ///< of a file: where we found it
  std::string kept;      ///< of a stream: all that was read so far
  bool hasEnded = false; ///< of a stream: there is no more
};

} // namespace heddle
