// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Capture.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

namespace heddle {

BoundedText::BoundedText(size_t bytesOfEachEnd) : limit(bytesOfEachEnd ? bytesOfEachEnd : SIZE_MAX / 4) {}

void BoundedText::add(const char *bytes, size_t count) {
  const size_t first = std::min(count, limit - head.size());
  head.append(bytes, first);
  tail.append(bytes + first, count - first);
  if (tail.size() > 2 * limit) {
    tail.erase(0, tail.size() - limit);
    isCut = true;
  }
}

std::string BoundedText::text() const { return head + (isCut ? "\n[...]\n" : "") + tail; }

Capture::Capture(bool isWanted, size_t bytesOfEachEnd) : printed(bytesOfEachEnd) {
  int ends[2];
  if (!isWanted)
    return;
  made = pipe2(ends, O_CLOEXEC) == 0;
  if (!made)
    return;
  read = ends[0], write = ends[1];
  fcntl(read, F_SETFL, O_NONBLOCK); // of our end alone: the child must not lose what it writes
}

Capture::~Capture() { closeRead(), closeWrite(); }

void Capture::closeEnd(int &descriptor) {
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
}

void Capture::drain() {
  char buffer[1 << 16];
  while (isOpen()) {
    const ssize_t count = ::read(read, buffer, sizeof buffer);
    if (count > 0)
      printed.add(buffer, size_t(count));
    else if (count < 0 && errno == EAGAIN)
      return;
    else if (count == 0 || errno != EINTR)
      closeRead();
  }
}

} // namespace heddle
