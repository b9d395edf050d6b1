// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/VerifyHtml.h"

#include "support/Diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

VerifyResultPage same() {
  VerifyResultPage page;
  page.names = {"a<1>.cu", "b.cu"};
  page.answer = "same: 1 copy";
  page.compared = {{"tolerance", "ulp=4"}};
  page.copies = {{1, "k<float>, launch 1", "allocation 1, 64 bytes", "float", 16, 0, 1e-7, "", ""}};
  page.sources = {{"from a to b", "x\n", "x < y\n"}};
  return page;
}

TEST(VerifyHtml, ShowsWhatWasComparedCopyByCopy) {
  const std::string text = verifyHtml(same());
  EXPECT_THAT(text, HasSubstr("same results"));
  EXPECT_THAT(text, HasSubstr("a&lt;1&gt;.cu and b.cu"));
  EXPECT_THAT(text, HasSubstr("k&lt;float&gt;, launch 1"));
  EXPECT_THAT(text, HasSubstr("<td class=\"n\">1.00e-07</td><td>pass</td>"));
  EXPECT_THAT(text, HasSubstr("ulp=4"));
  EXPECT_THAT(text, HasSubstr("x &lt; y"));
}

TEST(VerifyHtml, ADifferenceIsShownWithItsFirstElement) {
  VerifyResultPage page = same();
  page.outcome = VerifyResultPage::Outcome::Different;
  page.copies[0].differing = 2, page.copies[0].first = "first [3]: 1 and 2";
  EXPECT_THAT(verifyHtml(page), HasSubstr("FAIL: 2 of 16 elements differ; first [3]: 1 and 2"));
  EXPECT_THAT(verifyHtml(page), Not(HasSubstr("same results")));
}

TEST(VerifyHtml, KernelsThatWereCountedHaveARoofline) {
  VerifyResultPage page = same();
  EXPECT_THAT(verifyHtml(page), Not(HasSubstr("Roofline")));
  Diagnostics diagnostics;
  page.arch = arch::findArch("sm_90", diagnostics).value();
  page.kernels = {
      {"k<float>",
       {{"a.cu", {{0, 1e12, 0}, 100e9, 400e9, 1e6}}, {"b.cu", {{0, 1e12, 0}, 50e9, 400e9, 1e6}}}}};
  const std::string text = verifyHtml(page);
  EXPECT_THAT(text, HasSubstr("Roofline"));
  EXPECT_THAT(text, HasSubstr("k&lt;float&gt;"));
  EXPECT_THAT(text, HasSubstr("a.cu, DRAM: 10 FLOP per byte"));
  EXPECT_THAT(text, HasSubstr("b.cu, DRAM: 20 FLOP per byte"));
}

TEST(VerifyHtml, OfManyCopiesThoseThatDifferAreAllShown) {
  VerifyResultPage page = same();
  for (uint64_t i = 2; i <= 1000; ++i) {
    page.copies.push_back(page.copies[0]);
    page.copies.back().number = i;
  }
  page.copies[998].what = "it is missing";
  EXPECT_THAT(verifyHtml(page), HasSubstr("FAIL: it is missing"));
  EXPECT_THAT(verifyHtml(page), HasSubstr("800 more copies pass"));
}

} // namespace
} // namespace heddle::report
