// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Files.h"

#include "support/ExitCode.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace heddle {
namespace {

using Doing = FileFailure::Doing;

// Binary files have a zero among their first bytes, where their header is.
constexpr size_t SampledBytes = 4096;

/// An open file that is closed with this object.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  operator int() const { return number; }
  /// False with errno: a network's file system may report a full disk here and not earlier.
  bool close() { return ::close(std::exchange(number, -1)) == 0; }

private:
  int number;
};

FileFailure failure(const fs::path &file, Doing doing) { return {file, doing, errno}; }

/// read(2) that goes on after a signal.
ssize_t readSome(int descriptor, char *to, size_t bytes) {
  ssize_t count;
  do
    count = ::read(descriptor, to, bytes);
  while (count < 0 && errno == EINTR);
  return count;
}

bool writeWhole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return false;
    text.remove_prefix(count > 0 ? size_t(count) : 0);
  }
  return true;
}

/// What a link leads to; the name itself where it is none, or leads nowhere yet.
fs::path target(const fs::path &file) {
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  return error ? file : real;
}

fs::path folderOf(const fs::path &file) {
  fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

mode_t usualMode() {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

std::optional<FileFailure> writeInPlace(const fs::path &file, std::string_view text) {
  Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (out < 0 || !writeWhole(out, text) || !out.close())
    return failure(file, Doing::Write);
  return std::nullopt;
}

/// The text in a new file beside `real`, then renamed to it. `file` is what messages call it.
std::optional<FileFailure> writeBeside(const fs::path &file, const fs::path &real, std::string_view text,
                                       const struct stat *before, Durable durable) {
  std::string fresh = (folderOf(real) / ("." + real.filename().string().substr(0, 200) + ".XXXXXX")).string();
  Descriptor out(mkostemp(fresh.data(), O_CLOEXEC));
  if (out < 0) {
    const bool isFolderClosed = errno == EACCES || errno == EPERM || errno == EROFS;
    return isFolderClosed && ::access(real.c_str(), F_OK) == 0 ? writeInPlace(file, text)
                                                               : failure(file, Doing::Write);
  }
  // Only root may give a file away, and a file that another user shares with us is still worth writing.
  if (before && fchown(out, before->st_uid, before->st_gid) != 0)
    errno = 0;
  const mode_t mode = before ? before->st_mode & 07777 : usualMode();
  const bool isWritten = writeWhole(out, text) && fchmod(out, mode) == 0 &&
                         (durable == Durable::No || fsync(out) == 0) && out.close() &&
                         ::rename(fresh.c_str(), real.c_str()) == 0;
  if (isWritten)
    return std::nullopt;
  FileFailure why = failure(file, Doing::Write);
  ::unlink(fresh.c_str());
  return why;
}

} // namespace

std::string FileFailure::text() const {
  return std::string(doing == Doing::Read ? "cannot be read: " : "cannot be written: ") + std::strerror(code);
}

std::string FileFailure::str() const { return "'" + file.string() + "' " + text(); }

int FileFailure::exitCode() const {
  const bool isWrongName = code == ENOENT || code == ENOTDIR || code == EISDIR;
  return doing == Doing::Read && isWrongName ? ExitBadUsage : ExitInputOutput;
}

std::variant<std::string, FileFailure> readFile(const fs::path &file) {
  Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in < 0)
    return failure(file, Doing::Read);
  std::string text;
  struct stat about{};
  if (fstat(in, &about) == 0 && about.st_size > 0)
    text.reserve(size_t(about.st_size));
  char buffer[1 << 16];
  ssize_t count;
  while ((count = readSome(in, buffer, sizeof buffer)) > 0)
    text.append(buffer, size_t(count));
  if (count < 0)
    return failure(file, Doing::Read);
  return text;
}

std::optional<FileFailure> whyNotReadable(const fs::path &file) {
  Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (in < 0)
    return failure(file, Doing::Read);
  struct stat about{};
  if (fstat(in, &about) == 0 && S_ISFIFO(about.st_mode))
    return std::nullopt; // what was read from a pipe here would be missing later
  char first;
  if (readSome(in, &first, 1) < 0)
    return failure(file, Doing::Read);
  return std::nullopt;
}

std::optional<FileFailure> writeFile(const fs::path &file, std::string_view text, Durable durable) {
  const fs::path real = target(file);
  struct stat about{};
  const bool isThere = ::stat(real.c_str(), &about) == 0;
  if (isThere && S_ISDIR(about.st_mode))
    return FileFailure{file, Doing::Write, EISDIR};
  if (isThere && !S_ISREG(about.st_mode))
    return writeInPlace(file, text);
  // Renaming needs no permission to write the file itself: a file that its owner closed is not changed.
  if (isThere && ::access(real.c_str(), W_OK) != 0)
    return failure(file, Doing::Write);
  return writeBeside(file, real, text, isThere ? &about : nullptr, durable);
}

void writeFileOrThrow(const fs::path &file, std::string_view text) {
  if (std::optional<FileFailure> why = writeInPlace(file, text))
    throw FileError(std::move(*why));
}

std::optional<FileFailure> makeFolder(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder, error))
    error = std::make_error_code(std::errc::not_a_directory);
  return error ? std::optional(FileFailure{folder, Doing::Write, error.value()}) : std::nullopt;
}

std::optional<FileFailure> whyNotWritable(const fs::path &file) {
  const fs::path real = target(file);
  struct stat about{};
  if (::stat(real.c_str(), &about) == 0) {
    if (S_ISDIR(about.st_mode))
      return FileFailure{file, Doing::Write, EISDIR};
    return ::access(real.c_str(), W_OK) == 0 ? std::nullopt : std::optional(failure(file, Doing::Write));
  }
  if (errno != ENOENT)
    return failure(file, Doing::Write);
  const fs::path folder = folderOf(real);
  if (::stat(folder.c_str(), &about) == 0 && !S_ISDIR(about.st_mode))
    return FileFailure{file, Doing::Write, ENOTDIR};
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? std::nullopt
                                                    : std::optional(failure(file, Doing::Write));
}

std::optional<FileFailure> whyNotFillable(const fs::path &folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  struct stat about{};
  while (::stat(there.c_str(), &about) != 0) {
    if (errno != ENOENT || !there.has_relative_path())
      return failure(folder, Doing::Write);
    there = there.parent_path();
  }
  if (!S_ISDIR(about.st_mode))
    return FileFailure{folder, Doing::Write, ENOTDIR};
  return ::access(there.c_str(), W_OK | X_OK) == 0 ? std::nullopt
                                                   : std::optional(failure(folder, Doing::Write));
}

std::string beginningOf(const fs::path &file) {
  Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(SampledBytes, '\0');
  text.resize(size_t(std::max<ssize_t>(0, in < 0 ? 0 : readSome(in, text.data(), text.size()))));
  return text;
}

bool isBinary(std::string_view text) {
  return text.substr(0, SampledBytes).find('\0') != std::string_view::npos;
}

std::string contentsOf(const fs::path &file) {
  auto result = readFile(file);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(std::move(result))
                                                     : std::string();
}

} // namespace heddle
