// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace heddle {

/// A lock on a file by which two processes use something in turns. It is one of fcntl(2): children of a process do not hold it, and it
/// is gone with the process, however that ends. A process must not open the file a second time.
class TurnLock {
public:
  /// Empty: there is nobody to take turns with.
  explicit TurnLock(const std::string &file)
      : descriptor(file.empty() ? -1 : open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~TurnLock() {
    if (descriptor >= 0)
      close(descriptor);
  }
  TurnLock(const TurnLock &) = delete;
  TurnLock &operator=(const TurnLock &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  void lock() {
    while (!set(F_WRLCK, F_SETLKW) && errno == EINTR) {
    }
  }
  bool tryLock() { return set(F_WRLCK, F_SETLK); }
  void unlock() { set(F_UNLCK, F_SETLK); }

private:
  bool set(short type, int command) {
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return fcntl(descriptor, command, &lock) == 0;
  }

  int descriptor;
};

} // namespace heddle
