// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// Text of which the beginning and the end are kept.
class BoundedText {
public:
  /// 0: all of it is kept.
  explicit BoundedText(size_t bytesOfEachEnd);
  void add(const char *bytes, size_t count);
  std::string text() const;

private:
  size_t limit;
  std::string head, tail;
  bool isCut = false;
};

/// A pipe from a child process to us, for a stream that is captured.
class Capture {
public:
  Capture(bool isWanted, size_t bytesOfEachEnd);
  ~Capture();
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  /// False where no pipe could be opened.
  bool isMade() const { return made; }
  /// False where no process can write to it any more, or it was never wanted.
  bool isOpen() const { return read >= 0; }
  int readEnd() const { return read; }
  int writeEnd() const { return write; }
  void closeRead() { closeEnd(read); }
  void closeWrite() { closeEnd(write); }

  /// Reads what is there, without waiting.
  void drain();
  std::string text() const { return printed.text(); }

private:
  static void closeEnd(int &descriptor);
  int read = -1, write = -1;
  bool made = true;
  BoundedText printed;
};

} // namespace heddle
