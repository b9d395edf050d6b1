// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Report.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace heddle::cudart {
namespace {

/// The device's own buffer holds 8 MiB; a kernel that prints more is heard while it runs.
constexpr size_t kMostPendingBytes = 1 << 20;

std::atomic<bool> failed{false};

void write(const std::string &text) {
  std::fflush(stdout); // what the program said before comes before
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// HEDDLE_COLOR is what a verb decided by --color; a program that is started by itself decides as verbs do.
bool wantsColour() {
  if (const char *decided = std::getenv("HEDDLE_COLOR"))
    return *decided == '1';
  const char *noColour = std::getenv("NO_COLOR");
  return isatty(2) && !(noColour && *noColour);
}

} // namespace

void report(std::string_view text) { write("heddle: " + std::string(text) + "\n"); }

void reportFailure(std::string_view text) {
  failed = true;
  report(text);
}

void reportFailure(const Diagnostics &diagnostics) {
  failed = true;
  std::ostringstream out;
  print(out, diagnostics, wantsColour());
  write(out.str());
}

void reportFailure(const Diagnostic &diagnostic) {
  failed = true;
  std::ostringstream out;
  print(out, diagnostic, wantsColour());
  write(out.str());
}

void noteFailure() { failed = true; }

bool anyFailure() { return failed; }

void DeviceOutput::add(std::string_view text) {
  std::unique_lock lock(guard);
  pending += text;
  if (pending.size() < kMostPendingBytes)
    return;
  lock.unlock();
  flush();
}

void DeviceOutput::flush() {
  std::lock_guard lock(guard);
  if (pending.empty())
    return;
  std::fwrite(pending.data(), 1, pending.size(), stdout);
  pending.clear();
  // Programs that never flush lose their own lines when they abort; the device's would go with them.
  std::fflush(stdout);
}

} // namespace heddle::cudart
