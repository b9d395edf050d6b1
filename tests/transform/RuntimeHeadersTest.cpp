// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/RuntimeHeaders.h"

#include "source/Program.h"
#include "source/Unit.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace heddle;
using namespace heddle::transform;

namespace {

size_t times(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::unique_ptr<source::Program> parsed(const std::string &text) {
  source::CompileOptions options;
  options.cudaPath = "none";
  auto result = source::Program::parseText("embedded.cu", text, options);
  if (auto *program = std::get_if<std::unique_ptr<source::Program>>(&result))
    return std::move(*program);
  ADD_FAILURE() << std::get<source::ParseFailure>(result).compilerMessages;
  return nullptr;
}

const std::string regrouped = "#include <heddle/regroup.cuh>\n\n__global__ void k(int *a) { a[0] = 1; }\n";

} // namespace

TEST(RuntimeHeaders, HeadersOfHeadersAreNeededToo) {
  const std::vector<std::string> names = runtimeHeadersOf(regrouped);
  EXPECT_EQ(names.front(), "heddle/regroup.cuh");
  EXPECT_EQ(std::ranges::count(names, "heddle/sort.cuh"), 1);
  EXPECT_TRUE(runtimeHeadersOf("#include \"heddle/launch.cuh\"\n#include <cstdio>\n").empty());
}

TEST(RuntimeHeaders, EmbeddedTextIncludesNoneOfThem) {
  const std::string text = withEmbeddedHeaders(regrouped);
  EXPECT_EQ(times(text, "#include <heddle/"), 0u);
  EXPECT_EQ(times(text, "#define HEDDLE_SORT_CUH"), 1u);
  EXPECT_TRUE(text.starts_with("// -- <heddle/regroup.cuh>, in place of its #include --\n"));
  EXPECT_TRUE(
      text.ends_with("// -- end of <heddle/regroup.cuh> --\n\n__global__ void k(int *a) { a[0] = 1; }\n"));
  const std::string other = "#include \"x.h\"\nint i;";
  EXPECT_EQ(withEmbeddedHeaders(other), other);
}

TEST(RuntimeHeaders, EmbeddedTextIsNotTheUsersCode) {
  const auto program = parsed(withEmbeddedHeaders(regrouped));
  ASSERT_TRUE(program);
  ASSERT_EQ(program->kernels().size(), 1u);
  EXPECT_EQ(program->kernels().front()->name, "k");
}

TEST(RuntimeHeaders, AnEmbeddedHeaderMayBeIncludedAsWell) {
  EXPECT_TRUE(parsed(withEmbeddedHeaders(regrouped) + "#include <heddle/regroup.cuh>\n"));
  EXPECT_TRUE(
      parsed("#include <heddle/sort.cuh>\n" + withEmbeddedHeaders("#include <heddle/regroup.cuh>\n")));
}

TEST(RuntimeHeaders, CopiesFindEachOther) {
  EXPECT_EQ(withHeadersBeside("#include <heddle/launch.cuh>\n"), "#include \"heddle/launch.cuh\"\n");
  EXPECT_NE(copiedHeader("heddle/regroup.cuh").find("#include \"regrouping/launch.cuh\"\n"),
            std::string::npos);
  EXPECT_NE(copiedHeader("heddle/regrouping/orders.cuh").find("#include \"../sort.cuh\"\n"),
            std::string::npos);
  for (const std::string &name : runtimeHeadersOf(regrouped))
    EXPECT_EQ(times(copiedHeader(name), "#include <heddle/"), 0u) << name;
}
