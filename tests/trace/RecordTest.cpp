// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on the simulator that is recorded twice in one run: by the simulator's runtime, and by the library that
// records on a real GPU, preloaded. Both logs must be the same, or `heddle verify` would compare different things.
#include "TestPaths.h"
#include "build/Build.h"
#include "support/CudaToolkit.h"
#include "support/Paths.h"
#include "support/Preload.h"
#include "support/Process.h"
#include "trace/CopyLog.h"

#include <gmock/gmock.h>

namespace fs = std::filesystem;

namespace heddle::trace {
namespace {

struct Recorded {
  std::vector<CopyRecord> bySimulator, byLibrary;
};

std::vector<CopyRecord> readAll(const fs::path &file) {
  std::vector<CopyRecord> records;
  CopyLogReader reader;
  EXPECT_TRUE(reader.open(file.string())) << file;
  for (CopyRecord record; reader.next(record);)
    records.push_back(record);
  return records;
}

Recorded record(const std::string &program, build::Compiler compiler, const std::vector<std::string> &flags,
                const std::vector<std::string> &arguments = {}) {
  TemporaryFolder folder;
  build::Request request;
  request.sources.files = {fs::path(HEDDLE_SOURCE_DIR) / "tests" / program};
  request.sources.flags = flags;
  request.compiler = compiler;
  request.output = folder.path() / "program";
  Diagnostics diagnostics;
  const build::Result built = build::build(request, diagnostics);
  EXPECT_TRUE(built.ok) << built.messages;

  ProcessRequest command;
  command.command = {request.output.string()};
  command.command.insert(command.command.end(), arguments.begin(), arguments.end());
  command.environment = {"HEDDLE_LOG=" + (folder.path() / "simulator").string(),
                         "HEDDLE_RECORD=" + (folder.path() / "library").string()};
  for (const std::string &variable : preloading(HEDDLE_BUILD_DIR "/lib/libheddle_record.so"))
    command.environment.push_back(variable);
  const ProcessResult end = runToEnd(command);
  EXPECT_TRUE(end.succeeded()) << end.standardOutput << end.standardError;
  return {readAll(folder.path() / "simulator"), readAll(folder.path() / "library")};
}

/// What `heddle verify` looks at. Numbers of allocations differ: the simulator counts variables, too.
std::string textOf(const CopyRecord &record) {
  return fmt::format("{}: {} bytes in rows of {}, offset {}, after {} launches; {} {} parameter {}; {}",
                     record.sequence, record.bytes.size(), record.rowBytes, record.offset, record.launches,
                     record.kernel, record.kernelLaunch, record.kernelParameter,
                     fmt::join(record.bytes, " "));
}

std::vector<std::string> textsOf(const std::vector<CopyRecord> &records) {
  std::vector<std::string> texts;
  for (const CopyRecord &record : records)
    texts.push_back(textOf(record));
  return texts;
}

TEST(Record, EveryKindOfCopyIsRecordedAsByTheSimulator) {
  const Recorded both = record("trace/programs/copies.cu", build::Compiler::Clang, {});
  EXPECT_EQ(both.bySimulator.size(), 13u); // a box has two slices
  EXPECT_THAT(textsOf(both.byLibrary), testing::ElementsAreArray(textsOf(both.bySimulator)));
}

TEST(Record, SoItIsWithAStreamOfEachThreadsOwn) {
  if (!findNvcc())
    GTEST_SKIP() << "no nvcc here: other headers have no such variants";
  const Recorded both =
      record("trace/programs/copies.cu", build::Compiler::Nvcc, {"-default-stream=per-thread"});
  EXPECT_EQ(both.bySimulator.size(), 13u);
  EXPECT_THAT(textsOf(both.byLibrary), testing::ElementsAreArray(textsOf(both.bySimulator)));
}

TEST(Record, EveryWayOfLaunchingIsSeen) {
  for (const char *way : {"stream", "cooperative", "extended", "managed", "mapped", "often"}) {
    const Recorded both = record("runner/programs/ways.cu", build::Compiler::Clang, {}, {way, "5"});
    ASSERT_EQ(both.bySimulator.size(), 1u) << way;
    EXPECT_EQ(both.bySimulator[0].kernel, "_Z4fillPii") << way;
    EXPECT_THAT(textsOf(both.byLibrary), testing::ElementsAreArray(textsOf(both.bySimulator))) << way;
  }
}

} // namespace
} // namespace heddle::trace
