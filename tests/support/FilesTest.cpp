// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Files.h"

#include "support/ExitCode.h"
#include "support/Paths.h"
#include "support/StandardOutput.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path &file) {
  auto result = readFile(file);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result)
                                                     : std::get<FileFailure>(result).text();
}

/// While it lives no file may grow beyond so many bytes, which is what a full disk does to a write.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit = {bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

private:
  void (*handler)(int);
  rlimit before{};
};

size_t filesIn(const fs::path &folder) {
  return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, AreReadAsTheyAreWritten) {
  TemporaryFolder folder;
  std::string bytes = "a\nb";
  bytes += '\0';
  bytes += "\xFF";
  EXPECT_FALSE(writeFile(folder.path() / "x", bytes));
  EXPECT_EQ(read(folder.path() / "x"), bytes);
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(Files, ThatCannotBeReadSayWhy) {
  TemporaryFolder folder;
  EXPECT_EQ(read(folder.path() / "nothing"), "cannot be read: No such file or directory");
  EXPECT_EQ(read(folder.path()), "cannot be read: Is a directory");
  EXPECT_EQ(whyNotReadable(folder.path() / "nothing")->exitCode(), ExitBadUsage);
  EXPECT_EQ(whyNotReadable(folder.path())->exitCode(), ExitBadUsage);
  EXPECT_EQ((FileFailure{"x", FileFailure::Doing::Read, EACCES}.exitCode()), ExitInputOutput);
  EXPECT_EQ((FileFailure{"x", FileFailure::Doing::Write, ENOENT}.exitCode()), ExitInputOutput);
}

TEST(Files, ThatCannotBeWrittenSayWhyBeforeAndAfter) {
  TemporaryFolder folder;
  for (auto [file, code] : {std::pair(folder.path(), EISDIR),
                            {folder.path() / "no" / "x", ENOENT},
                            {fs::path("/dev/null/x"), ENOTDIR}}) {
    ASSERT_TRUE(whyNotWritable(file)) << file;
    EXPECT_EQ(whyNotWritable(file)->code, code) << file;
    ASSERT_TRUE(writeFile(file, "text")) << file;
    EXPECT_EQ(writeFile(file, "text")->code, code) << file;
  }
  EXPECT_EQ(writeFile("/dev/full", "text")->text(), "cannot be written: No space left on device");
  EXPECT_FALSE(whyNotWritable(folder.path() / "x"));
  EXPECT_EQ(filesIn(folder.path()), 0u);
}

TEST(Files, AreUnchangedWhereWritingFails) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "x";
  ASSERT_FALSE(writeFile(file, "before"));
  {
    FileSizeLimit limit(100);
    std::optional<FileFailure> failure = writeFile(file, std::string(1000, 'x'));
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, EFBIG);
    EXPECT_THROW(writeFileOrThrow(folder.path() / "y", std::string(1000, 'x')), FileError);
  }
  EXPECT_EQ(read(file), "before");
  fs::remove(folder.path() / "y");
  EXPECT_EQ(filesIn(folder.path()), 1u) << "the half-written copy is gone";
}

TEST(Files, KeepTheirModeAndTheirLinks) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "x", link = folder.path() / "link";
  ASSERT_FALSE(writeFile(file, "before"));
  chmod(file.c_str(), 0640);
  fs::create_symlink("x", link);
  ASSERT_FALSE(writeFile(link, "after"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(file), "after");
  struct stat about{};
  stat(file.c_str(), &about);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST(Files, AreBinaryByAZeroByte) {
  EXPECT_TRUE(isBinary(std::string_view("ELF\0", 4)));
  EXPECT_FALSE(isBinary("caf\xE9"));
  EXPECT_FALSE(isBinary(""));
}

/// Descriptor 1 is another file while this lives.
class RedirectedOutput {
public:
  explicit RedirectedOutput(const char *file) : before(dup(STDOUT_FILENO)) {
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(to, STDOUT_FILENO);
    close(to);
  }
  ~RedirectedOutput() {
    dup2(before, STDOUT_FILENO);
    close(before);
  }

private:
  int before;
};

TEST(StandardOutput, ReportsAFullDisk) {
  std::optional<FileFailure> lost;
  {
    RedirectedOutput full("/dev/full");
    CheckedStandardOutput output;
    std::cout << "a result\n";
    lost = output.finish();
  }
  std::cout.clear();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->text(), "cannot be written: No space left on device");
  EXPECT_EQ(lost->exitCode(), ExitInputOutput);
}

TEST(StandardOutput, IsWrittenAsAWhole) {
  TemporaryFolder folder;
  const std::string file = (folder.path() / "out").string(), text(100'000, 'x');
  {
    RedirectedOutput out(file.c_str());
    CheckedStandardOutput output;
    std::cout << text << "end" << std::endl;
    EXPECT_FALSE(output.finish());
  }
  EXPECT_EQ(read(file), text + "end\n");
}

} // namespace
