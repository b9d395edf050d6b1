// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/CopyResults.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace heddle::verify {
namespace {

template <class T>
trace::CopyRecord recordOf(std::vector<T> values, uint64_t sequence, const char *kernel = "_Z1kPf") {
  trace::CopyRecord record;
  record.sequence = sequence;
  record.kernel = kernel, record.kernelParameter = 0, record.kernelLaunch = 1;
  record.bytes.resize(values.size() * sizeof(T));
  std::memcpy(record.bytes.data(), values.data(), record.bytes.size());
  return record;
}

class CopyResults : public testing::Test {
protected:
  std::string log(const char *name, const std::vector<trace::CopyRecord> &records) const {
    const std::string file = (folder.path() / name).string();
    trace::CopyLogWriter writer;
    EXPECT_TRUE(writer.open(file));
    for (const trace::CopyRecord &record : records)
      writer.write(record);
    return file;
  }
  TemporaryFolder folder;
};

TEST_F(CopyResults, GoOnAfterTheFirstDifference) {
  const std::string a = log("a", {recordOf<float>({1, 2}, 1), recordOf<float>({3, 4}, 2),
                                  recordOf<float>({5, 8}, 3)}),
                    b = log("b", {recordOf<float>({1, 2}, 1), recordOf<float>({3, 5}, 2),
                                  recordOf<float>({5, 4}, 3)});
  const std::vector<CopyResult> results = compareEachCopy(a, b, {});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].isSame());
  EXPECT_EQ(results[0].comparison.elements, 2u);
  EXPECT_EQ(results[0].comparison.element, Element::F32);
  EXPECT_FALSE(results[0].maxRelativeError);
  EXPECT_FALSE(results[1].isSame());
  EXPECT_EQ(results[1].comparison.copy, 2u);
  EXPECT_EQ(results[1].comparison.index, 1u);
  EXPECT_DOUBLE_EQ(results[1].maxRelativeError.value(), 0.2);
  EXPECT_EQ(results[2].comparison.differing, 1u);
  EXPECT_DOUBLE_EQ(results[2].maxRelativeError.value(), 0.5);
}

TEST_F(CopyResults, WithinTheToleranceTheErrorIsStillThere) {
  const std::string a = log("a", {recordOf<float>({1}, 1)}), b = log("b", {recordOf<float>({1.25f}, 1)});
  const std::vector<CopyResult> results = compareEachCopy(a, b, {.relative = 0.5});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].isSame());
  EXPECT_DOUBLE_EQ(results[0].maxRelativeError.value(), 0.2);
}

TEST_F(CopyResults, IntegersHaveNoRelativeErrorAndNaNsAnInfiniteOne) {
  const std::string a = log("a", {recordOf<int>({1}, 1, "_Z1kPi"), recordOf<float>({1}, 2)}),
                    b = log("b", {recordOf<int>({2}, 1, "_Z1kPi"), recordOf<float>({NAN}, 2)});
  const std::vector<CopyResult> results = compareEachCopy(a, b, {});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[0].maxRelativeError);
  EXPECT_TRUE(std::isinf(results[1].maxRelativeError.value()));
}

TEST_F(CopyResults, ACopyOfOneProgramAloneIsNamed) {
  const std::string a = log("a", {recordOf<float>({1}, 1)}), b = log("b", {});
  const std::vector<CopyResult> results = compareEachCopy(a, b, {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].comparison.what, "only the first program made it");
}

} // namespace
} // namespace heddle::verify
