// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/MathHeader.h"

#include "Generated.h"
#include "kernels/Template.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::kernels::test {
namespace {

TEST(Template, ReplacesNames) {
  EXPECT_EQ(fillIn("a $b$ c $b$$d$", {{"b", "1"}, {"d", "$"}}), "a 1 c 1$");
  EXPECT_THROW(fillIn("$b$", {}), std::logic_error);
  EXPECT_THROW(fillIn("b", {{"b", "1"}}), std::logic_error);
  EXPECT_THROW(fillIn("a $b", {{"b", "1"}}), std::logic_error);
}

TEST(Template, TakesOneOfTwoTexts) {
  const std::string text = "a\n$if is$\n  b\n$else$\n  c $d$\n$end$\ne $if is$f$end$.\n";
  EXPECT_EQ(fillIn(text, {{"is", true}, {"d", "1"}}), "a\n  b\ne f.\n");
  EXPECT_EQ(fillIn(text, {{"is", false}, {"d", "1"}}), "a\n  c 1\ne .\n");
  EXPECT_THROW(fillIn("$if is$", {{"is", true}}), std::logic_error);
  EXPECT_THROW(fillIn("$end$", {}), std::logic_error);
  EXPECT_THROW(fillIn("$if is$$end$", {{"is", "text"}}), std::logic_error);
}

TEST(Template, RepeatsATextForEachElement) {
  const std::string text = "$each row$\n  $each cell$$x$$sep$ $end$;\n$end$\n";
  const std::vector<Values> cells = {{{"x", 1}}, {{"x", 2}}};
  EXPECT_EQ(fillIn(text, {{"row", std::vector<Values>{{{"cell", cells}}, {{"cell", cells}}}}, {"sep", ","}}),
            "  1, 2, ;\n  1, 2, ;\n");
  EXPECT_EQ(fillIn(text, {{"row", std::vector<Values>{}}, {"sep", ","}}), "");
}

TEST(Template, WritesNumbersThatReadBack) {
  EXPECT_EQ(literal(2), "2.0");
  EXPECT_EQ(literal(1e300), "1e+300");
  for (double x : {1.0 / 3, 6.02e23, -1e-300, 0.1, 123456789012345678.0})
    EXPECT_EQ(std::stod(literal(x)), x);
}

TEST(Template, KeepsTheLineAfterACommentOutOfIt) { EXPECT_EQ(inComment("CH2\\"), "CH2\\."); }

/// Arguments that all three functions are tried with; the program prints the largest errors it saw.
constexpr const char *arguments = R"(
#include <cmath>
#include <cstdio>
#include <vector>
enum { Exp2, Log2, Rcp, Limits }; // Limits: of exp2
inline std::vector<double> argumentsOf(int which) {
  std::vector<double> all;
  if (which == Exp2) {
    for (double y = -1022; y < 1023; y += 0.1234567) all.push_back(y);
    for (double y = -1; y <= 1; y += 1.0 / 1024) all.push_back(y);
  } else if (which == Limits) {
    all = {-1022.6, -1023, -1023.7, -1180, -4096, -5000.3, -1e6, 1023, 1023.4, 1023.6, 1024, 1100, 2048, 1e6};
  } else {
    for (double x = 1e-300; x < 1e300; x *= 1.2345) all.push_back(x);
    for (double x = 0.5; x < 2; x += 1.0 / 4096) all.push_back(x);
  }
  while (all.size() % 8) all.push_back(1);
  return all;
}
// Relative to the result.
inline double error(int which, double x, double got) {
  if (which == Limits)
    return x == 1 || (x < 0 ? got >= 0 && got < 2.3e-308 : got >= 4.4e307 && std::isfinite(got)) ? 0 : 1;
  long double want = which == Exp2 ? exp2l(x) : which == Log2 ? log2l(x) : 1 / (long double)x;
  if (want == 0) return std::fabs(got);
  double e = (double)fabsl((got - want) / want);
  return e == e ? e : 1e300;
}
inline double largest(int which, const std::vector<double> &x, const std::vector<double> &got) {
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) most = std::fmax(most, error(which, x[i], got[i]));
  return most;
}
)";

constexpr const char *hostMain = R"(#include "heddle_math.h"
#include "arguments.h"
int main() {
  for (int which = 0; which < 4; ++which) {
    std::vector<double> x = argumentsOf(which), y(x.size());
    for (size_t i = 0; i < x.size(); i += HDL_LANES) {
      hdl_vec v = hdl_load(&x[i]);
      hdl_store(&y[i], which == Log2 ? hdl_log2(v) : which == Rcp ? hdl_rcp(v) : hdl_exp2(v));
    }
    std::printf("%.3g ", largest(which, x, y));
  }
}
)";

constexpr const char *deviceMain = R"(#include "heddle_math.h"
#include "arguments.h"
__global__ void evaluate(int which, size_t n, const double *x, double *y) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n)
    y[i] = which == Log2 ? hdl_log2(x[i]) : which == Rcp ? hdl_rcp(x[i]) : hdl_exp2(x[i]);
}
int main() {
  for (int which = 0; which < 4; ++which) {
    std::vector<double> x = argumentsOf(which), y(x.size());
    double *dx, *dy;
    cudaMalloc((void **)&dx, 8 * x.size());
    cudaMalloc((void **)&dy, 8 * x.size());
    cudaMemcpy(dx, x.data(), 8 * x.size(), cudaMemcpyHostToDevice);
    evaluate<<<unsigned(x.size() + 127) / 128, 128>>>(which, x.size(), dx, dy);
    if (cudaMemcpy(y.data(), dy, 8 * x.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
      return 1;
    std::printf("%.3g ", largest(which, x, y));
  }
}
)";

void expectSmall(const std::string &printed) {
  std::istringstream in(printed);
  double exp2 = 1, log2 = 1, rcp = 1, outside = 1;
  in >> exp2 >> log2 >> rcp >> outside;
  EXPECT_EQ(outside, 0);
  EXPECT_LE(exp2, 5e-16);
  EXPECT_LE(log2, 4e-16);
  EXPECT_LE(rcp, 2.3e-16);
}

class MathHeader : public testing::Test {
protected:
  TemporaryFolder folder;

  void SetUp() override {
    write(folder.path(), mathHeader());
    write(folder.path(), {"arguments.h", arguments});
  }
};

TEST_F(MathHeader, IsAccurateOnTheHost) {
  write(folder.path(), {"main.cpp", hostMain});
  for (const std::string &compiler : hostCompilers())
    expectSmall(runOnHost(compiler, folder.path(), {"main.cpp"}));
}

/// With fewer terms: what the header says, and not much less, or they would be there for nothing.
void expectMixed(const std::string &printed) {
  std::istringstream in(printed);
  double exp2 = 1, log2 = 1, rcp = 1, outside = 1;
  in >> exp2 >> log2 >> rcp >> outside;
  EXPECT_EQ(outside, 0);
  EXPECT_LE(exp2, 2.1e-9);
  EXPECT_GE(exp2, 1e-10);
  EXPECT_LE(rcp, 3e-10);
}

TEST_F(MathHeader, IsAsAccurateAsItSaysInMixedPrecision) {
  write(folder.path(), mathHeader(Precision::Mixed));
  write(folder.path(), {"main.cpp", hostMain});
  for (const std::string &compiler : hostCompilers())
    expectMixed(runOnHost(compiler, folder.path(), {"main.cpp"}));
  write(folder.path(), {"main.cu", deviceMain});
  for (build::Compiler compiler : deviceCompilers())
    expectMixed(runOnSimulator(compiler, folder.path(), {"main.cu"}));
}

TEST_F(MathHeader, IsAccurateOnTheDevice) {
  write(folder.path(), {"main.cu", deviceMain});
  for (build::Compiler compiler : deviceCompilers())
    expectSmall(runOnSimulator(compiler, folder.path(), {"main.cu"}));
}

} // namespace
} // namespace heddle::kernels::test
