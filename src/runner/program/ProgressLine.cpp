// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgressLine.h"

#include <cstdio>
#include <unistd.h>

using namespace heddle::runner;

namespace {

/// "[ 7/12] "
std::string counted(const Progress &progress) {
  std::string done = std::to_string(progress.done), of = std::to_string(progress.of);
  return "[" + std::string(of.size() - std::min(of.size(), done.size()), ' ') + done + "/" + of + "] ";
}

std::string micros(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f us", value);
  return text;
}

std::string outcome(const Result &result) {
  if (result.status == Status::Measured)
    return micros(result.micros);
  return std::string(nameOf(result.status)) + ": " + result.reason;
}

std::string best(const Progress &progress) {
  return progress.best ? "best " + micros(progress.bestMicros) + " (" + progress.best->configuration + ")"
                       : "";
}

} // namespace

ProgressLine::ProgressLine(bool quiet) : quiet(quiet), onTerminal(isatty(STDERR_FILENO)) {}

std::string ProgressLine::timeLeft(const Progress &progress) const {
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double left = seconds / double(shown) * double(progress.of - progress.done);
  return progress.of > progress.done ? "  ~" + std::to_string(long(left) + 1) + " s left" : "";
}

void ProgressLine::show(const Progress &progress) {
  if (quiet)
    return;
  ++shown;
  if (!onTerminal) {
    std::fprintf(stderr, "%s%s: %s\n", counted(progress).c_str(), progress.candidate->configuration.c_str(),
                 outcome(*progress.result).c_str());
    return;
  }
  std::string failed = progress.failed ? "  " + std::to_string(progress.failed) + " failed" : "";
  std::fprintf(stderr, "\r\033[K%s%s%s%s", counted(progress).c_str(), best(progress).c_str(), failed.c_str(),
               timeLeft(progress).c_str());
  std::fflush(stderr);
  isShown = true;
}

void ProgressLine::finish() {
  if (isShown)
    std::fputc('\n', stderr);
}
