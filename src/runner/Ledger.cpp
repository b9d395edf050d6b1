// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Ledger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace heddle::runner {
namespace {

/// The results of all whole lines, and how many bytes those lines are.
std::vector<Result> parse(const std::string &text, size_t &wholeBytes) {
  std::vector<Result> results;
  wholeBytes = 0;
  for (size_t end; (end = text.find('\n', wholeBytes)) != std::string::npos; wholeBytes = end + 1)
    if (auto result = resultFromJson(text.substr(wholeBytes, end - wholeBytes)))
      results.push_back(std::move(*result));
  return results;
}

bool writeAll(int descriptor, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR)
      return false;
    done += size_t(std::max<ssize_t>(count, 0));
  }
  return true;
}

} // namespace

std::unique_ptr<Ledger> Ledger::open(const std::filesystem::path &file, std::string &error) {
  int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    error = file.string() + ": cannot be written: " + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<Ledger> ledger(new Ledger(descriptor));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    error = file.string() + ": another runner is at work on it";
    return nullptr;
  }
  if (!ledger->readAll()) {
    error = file.string() + ": cannot be read: " + std::strerror(errno);
    return nullptr;
  }
  return ledger;
}

Ledger::~Ledger() { close(descriptor); }

bool Ledger::readAll() {
  std::string text;
  char buffer[1 << 16];
  ssize_t count;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0)
    text.append(buffer, size_t(count));
  size_t wholeBytes = 0;
  known = parse(text, wholeBytes);
  return count == 0 && ftruncate(descriptor, off_t(wholeBytes)) == 0;
}

const Result *Ledger::newest(const std::string &id) const {
  auto found = std::find_if(known.rbegin(), known.rend(), [&](const Result &r) { return r.id == id; });
  return found == known.rend() ? nullptr : &*found;
}

unsigned Ledger::timesLost(const std::string &id) const {
  return unsigned(std::count_if(known.begin(), known.end(), [&](const Result &result) {
    return result.id == id && result.status == Status::Lost;
  }));
}

bool Ledger::append(const Result &result) {
  known.push_back(result);
  return writeAll(descriptor, toJson(result) + '\n') && fsync(descriptor) == 0;
}

std::vector<Result> readResults(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  size_t wholeBytes = 0;
  return parse(text.str(), wholeBytes);
}

} // namespace heddle::runner
