// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread copies to the program's pipe: first what earlier runs were given, then what comes. Our own copy of the
// pipe's reading end is open until the run is over, so a program that does not read, or that has ended, is a pipe that
// is full, not a signal.
#include "support/RepeatedInput.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

bool isPassing(int error) { return error == EINTR || error == EAGAIN; }

} // namespace

RepeatedInput::RepeatedInput(int from) : descriptor(from) {
  struct stat about{};
  if (fstat(descriptor, &about) != 0)
    return;
  if (S_ISREG(about.st_mode)) {
    begin = lseek(descriptor, 0, SEEK_CUR);
    kind = begin < 0 ? Kind::LeftAlone : Kind::File;
  } else if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) {
    kind = Kind::Stream;
  }
}

RepeatedInput::Reading::Reading(RepeatedInput &from) : input(from) {
  if (input.kind == Kind::File)
    lseek(input.descriptor, input.begin, SEEK_SET);
  if (input.kind != Kind::Stream)
    return;
  int data[2], stop[2];
  if (pipe2(data, O_CLOEXEC) != 0)
    return;
  readEnd = data[0], writeEnd = data[1];
  if (pipe2(stop, O_CLOEXEC) != 0) {
    closeWrite();
    return;
  }
  stopRead = stop[0], stopWrite = stop[1];
  fcntl(writeEnd, F_SETFL, O_NONBLOCK);
  feeder = std::thread([this] { feed(); });
}

RepeatedInput::Reading::~Reading() {
  if (stopWrite >= 0)
    close(stopWrite); // which the other end sees
  if (feeder.joinable())
    feeder.join();
  closeWrite();
  for (int end : {readEnd, stopRead})
    if (end >= 0)
      close(end);
}

void RepeatedInput::Reading::closeWrite() {
  if (writeEnd >= 0)
    close(writeEnd);
  writeEnd = -1;
}

void RepeatedInput::Reading::wait(bool hasBytes, bool &canRead, bool &canWrite, bool &isOver) const {
  pollfd ends[] = {{stopRead, POLLIN, 0},
                   {hasBytes ? -1 : input.descriptor, POLLIN, 0}, // -1 is passed over
                   {hasBytes ? writeEnd : -1, POLLOUT, 0}};
  poll(ends, 3, -1);
  isOver = ends[0].revents != 0, canRead = ends[1].revents != 0, canWrite = ends[2].revents != 0;
}

void RepeatedInput::Reading::feed() {
  for (size_t sent = 0; sent < input.kept.size() || !input.hasEnded;) {
    bool canRead = false, canWrite = false, isOver = false;
    wait(sent < input.kept.size(), canRead, canWrite, isOver);
    if (isOver)
      return;
    if (canWrite) {
      const ssize_t count = write(writeEnd, input.kept.data() + sent, input.kept.size() - sent);
      if (count < 0 && !isPassing(errno))
        return;
      sent += count > 0 ? size_t(count) : 0;
    } else if (canRead) {
      char bytes[4096];
      const ssize_t count = read(input.descriptor, bytes, sizeof bytes);
      input.hasEnded = count == 0 || (count < 0 && !isPassing(errno));
      input.kept.append(bytes, count > 0 ? size_t(count) : 0);
    }
  }
  closeWrite(); // the program sees the end
}

} // namespace heddle
