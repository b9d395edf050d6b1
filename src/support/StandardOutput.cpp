// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/StandardOutput.h"

#include <cerrno>
#include <iostream>
#include <unistd.h>

namespace heddle {

CheckedStandardOutput::CheckedStandardOutput() : before(std::cout.rdbuf()) {
  std::cout.flush();
  setp(buffer.data(), buffer.data() + buffer.size());
  std::cout.rdbuf(this);
}

CheckedStandardOutput::~CheckedStandardOutput() {
  CheckedStandardOutput::sync();
  std::cout.rdbuf(before);
}

std::optional<FileFailure> CheckedStandardOutput::finish() {
  sync();
  if (!error)
    return std::nullopt;
  return FileFailure{"standard output", FileFailure::Doing::Write, error};
}

CheckedStandardOutput::int_type CheckedStandardOutput::overflow(int_type letter) {
  if (sync() != 0)
    return traits_type::eof();
  if (!traits_type::eq_int_type(letter, traits_type::eof()))
    sputc(traits_type::to_char_type(letter));
  return traits_type::not_eof(letter);
}

int CheckedStandardOutput::sync() {
  const char *at = pbase(), *end = pptr();
  while (at < end && !error) {
    ssize_t count = ::write(STDOUT_FILENO, at, size_t(end - at));
    if (count >= 0)
      at += count;
    else if (errno != EINTR)
      error = errno;
  }
  setp(buffer.data(), buffer.data() + buffer.size());
  return error ? -1 : 0;
}

} // namespace heddle
