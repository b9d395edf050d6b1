// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/RepeatedInput.h"

#include "support/Paths.h"
#include "support/Process.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <unistd.h>

using namespace heddle;

namespace {

/// What a program prints that reads this input.
std::string printed(RepeatedInput &input, const std::string &script, int ours = -1) {
  const RepeatedInput::Reading reading(input);
  ProcessRequest request{.command = {"sh", "-c", script}};
  request.seconds = 60;
  request.input = Stream::Given;
  request.inputDescriptor = reading.descriptor() >= 0 ? reading.descriptor() : ours;
  return runToEnd(request).standardOutput;
}

/// A pipe that holds a text.
struct Source {
  explicit Source(const std::string &text) {
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(write(ends[1], text.data(), text.size()), ssize_t(text.size()));
  }
  ~Source() { close(ends[0]), finish(); }
  void finish() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
  }
  int ends[2];
};

TEST(RepeatedInput, EachRunReadsAPipeFromItsBeginning) {
  Source source("one\ntwo\n");
  source.finish();
  RepeatedInput input(source.ends[0]);
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(printed(input, "cat"), "one\ntwo\n");
}

TEST(RepeatedInput, EachRunReadsAFileFromWhereWeFoundIt) {
  TemporaryFolder folder;
  std::ofstream(folder.path() / "text") << "one\ntwo\n";
  const int file = open((folder.path() / "text").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(lseek(file, 4, SEEK_SET), 4);
  RepeatedInput input(file);
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(printed(input, "cat", file), "two\n");
  close(file);
}

TEST(RepeatedInput, APipeThatIsNeverClosedStopsNothing) {
  Source source("one\n");
  RepeatedInput input(source.ends[0]);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(printed(input, "true"), "");
    EXPECT_EQ(printed(input, "read line; echo $line"), "one\n");
  }
}

TEST(RepeatedInput, ALaterRunMayReadMoreThanTheFirst) {
  Source source("one\n");
  RepeatedInput input(source.ends[0]);
  EXPECT_EQ(printed(input, "read line; echo $line"), "one\n");
  ASSERT_EQ(write(source.ends[1], "two\n", 4), 4);
  source.finish();
  EXPECT_EQ(printed(input, "cat"), "one\ntwo\n");
}

TEST(RepeatedInput, MoreThanAPipeHoldsIsReadWhole) {
  TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string();
  const ProcessResult made = runProcess({"sh", "-c", "mkfifo " + fifo});
  ASSERT_TRUE(made.succeeded());
  const std::string writer = "seq 1 200000 > " + fifo + " &";
  ProcessRequest request{.command = {"sh", "-c", writer}};
  request.output = request.error = Stream::Nothing;
  request.ties = Ties::Ours;
  runToEnd(request);
  const int end = open(fifo.c_str(), O_RDONLY | O_CLOEXEC);
  RepeatedInput input(end);
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(printed(input, "wc -l | tr -d ' '"), "200000\n");
  close(end);
}

} // namespace
