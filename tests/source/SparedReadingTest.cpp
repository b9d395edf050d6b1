// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestPaths.h"
#include "source/Program.h"

#include <gmock/gmock.h>

#include <cstdlib>

using namespace heddle::source;
using ::testing::HasSubstr;

namespace {

/// Programs with the headers before them precompiled.
class SparedReading : public ::testing::Test {
protected:
  static void SetUpTestSuite() { setenv("HEDDLE_HEADER_CACHE", HEDDLE_BUILD_DIR "/headers", 0); }

  /// What the compiler complains of; nothing where it does not.
  static std::string complaint(const std::string &text) {
    CompileOptions options;
    options.cudaPath = "none";
    auto result = Program::parseText("test.cu", text, options);
    auto *failure = std::get_if<ParseFailure>(&result);
    return failure ? failure->compilerMessages : "";
  }
};

// Calls of which it is known only at the end of the file that a device makes them.
constexpr const char *putOff = R"(
#include <vector>
int onHost();
template <typename T> __host__ __device__ T twice(T x) { return x + onHost(); }
__host__ __device__ inline int through(int x) { return twice(x); }
)";

} // namespace

TEST_F(SparedReading, ErrorsThatWerePutOffAreReported) {
  EXPECT_THAT(complaint(std::string(putOff) + "__global__ void k(int *p) { *p = through(1); }\n"),
              HasSubstr("reference to __host__ function 'onHost'"));
}

TEST_F(SparedReading, WhereNoDeviceMakesTheCallThereIsNone) {
  EXPECT_EQ(complaint(std::string(putOff) +
                      "__global__ void k(int *p) { *p = 1; }\n"
                      "int main() { return through(int(std::vector<int>(1).size())); }\n"),
            "");
}
