// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Later passes of consolidate on kernels that the pass before them would have changed or refused: what `heddle opt` cannot reach.
// All else that these passes write and refuse is in golden/consolidate-remap and golden/consolidate-delegate.
#include "transform/Pipeline.h"
#include "transform/consolidate/Delegate.h"
#include "transform/consolidate/Remap.h"

#include <gmock/gmock.h>

using namespace heddle;
using ::testing::HasSubstr;

namespace {

/// All messages of one pass on a kernel of one parameter.
std::string messagesOf(const std::string &body, const std::string &block, transform::Transform pass) {
  const std::string text =
      "__global__ void k(float *a) {\n" + body + "}\nint main() { k<<<4, " + block + ">>>(nullptr); }\n";
  transform::Options options;
  options.compile.cudaPath = "none";
  options.isWholeProgram = true;
  Diagnostics diagnostics;
  const transform::Directive directive =
      transform::readDirectives("consolidate remap=on delegate=on", diagnostics).front();
  transform::applyStage("test.cu", text, directive, pass, options, diagnostics);
  std::string all;
  for (const Diagnostic &each : diagnostics.all())
    all += each.text + "\n";
  return all;
}

} // namespace

TEST(ConsolidatePasses, DelegateRefusesMoreThanAWarp) {
  EXPECT_THAT(messagesOf("  a[0] = 1;\n", "64", transform::delegateBlocks),
              HasSubstr("delegate needs blocks of one warp, and the block is (64, 1, 1)"));
  EXPECT_THAT(messagesOf("  __syncthreads();\n", "32", transform::delegateBlocks),
              HasSubstr("'__syncthreads' synchronizes more than a warp"));
}

TEST(ConsolidatePasses, DelegateRefusesAssemblyThatReadsTheBlock) {
  EXPECT_THAT(messagesOf("  unsigned b;\n  asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b));\n  a[b] = 1;\n", "32",
                         transform::delegateBlocks),
              HasSubstr("inline assembly reads '%ctaid' of the persistent block"));
}

TEST(ConsolidatePasses, RemapKeepsBlocksOfMoreThanAWarp) {
  EXPECT_THAT(messagesOf("  __shared__ float s[64];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncwarp();\n"
                         "  a[threadIdx.x] = s[threadIdx.x];\n",
                         "64", transform::remapShared),
              HasSubstr("not known to be one warp"));
}
