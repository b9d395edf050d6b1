// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of kernels in the text of files: which directives may concern them, and which concern none.
#include "launcher/NamedKernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::launcher;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Scan scanOf(std::vector<std::string> texts) {
  Scan scan;
  for (std::string &text : texts)
    scan.files.push_back({"file.cu", std::move(text)});
  return scan;
}

const Scan scale = scanOf({"namespace ns { __global__ void scale(float *values); }"});
const Scan host = scanOf({"void scale(); void start() { scale(); }"});

std::vector<transform::Directive> forKernels(const std::vector<std::string> &names) {
  std::vector<transform::Directive> all;
  for (const std::string &name : names) {
    all.emplace_back();
    all.back().kernel = name;
  }
  return all;
}

std::vector<std::string> unused(const std::vector<std::string> &names, const std::vector<Scan> &program) {
  std::vector<std::string> result;
  for (const transform::Directive &each : withoutKernel(forKernels(names), program))
    result.push_back(each.kernel);
  return result;
}

TEST(NamedKernels, ScopesAndTemplateArgumentsAreNoPartOfTheName) {
  for (const char *name : {"scale", "ns::scale", "scale<float>", "ns::scale<std::vector<int>>", "*"})
    EXPECT_TRUE(mayHaveKernel(scale, name)) << name;
  EXPECT_FALSE(mayHaveKernel(scale, "scael"));
  for (const char *part : {"scal", "cale", "ns::scal", "val"})
    EXPECT_FALSE(mayHaveKernel(scale, part)) << part;
}

TEST(NamedKernels, OnlyFilesWithKernelsCount) {
  EXPECT_FALSE(mayHaveKernel(host, "scale"));
  EXPECT_FALSE(mayHaveKernel(host, "*"));
  EXPECT_FALSE(mayHaveKernel(scanOf({"__global__ void other();", "void scale();"}), "scale"));
}

TEST(NamedKernels, NamesThatNoFileHasAreFoundOnce) {
  EXPECT_THAT(unused({"scale", "scael", "*", "scael"}, {host, scale}), ElementsAre("scael"));
  EXPECT_THAT(unused({"scale", "*"}, {host, scale}), IsEmpty());
  EXPECT_THAT(unused({"scale", "*"}, {host}), ElementsAre("scale"));
}

TEST(NamedKernels, NothingIsClaimedWhereNamesAreHidden) {
  Scan unknown = scale;
  unknown.hasUnknown = true;
  EXPECT_THAT(unused({"scael"}, {host, unknown}), IsEmpty());
  EXPECT_THAT(unused({"scael"}, {scale, scanOf({"#define KERNEL(x) __global__ void sca##x() {}"})}),
              IsEmpty());
}

} // namespace
