// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, functions and launches in files that the program's file includes.
#include "support/Paths.h"
#include "transform/Optimized.h"

#include <fstream>

using namespace heddle;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// Some files in a folder of their own, the first of which is the program's.
class Files {
public:
  explicit Files(const std::vector<std::pair<std::string, std::string>> &list) {
    for (const auto &[name, text] : list) {
      std::filesystem::create_directories((folder.path() / name).parent_path());
      std::ofstream(folder.path() / name) << text;
    }
    file = folder.path() / list.front().first;
  }

  /// The new text, or "refused: " and why.
  std::string optimized(const std::string &directives, transform::Options options = {}) {
    options.compile.cudaPath = "none";
    options.isWholeProgram = !isPart;
    messages = {};
    std::vector<transform::Directive> list;
    if (!directives.empty())
      list = transform::readDirectives(directives, messages);
    transform::Outcome outcome = transform::applyDirectives(file, list, options, messages);
    if (outcome.kind == transform::Outcome::Kind::Done)
      return outcome.text;
    return messages.empty() ? outcome.compilerMessages : "refused: " + messages.all().front().text;
  }

  Diagnostics messages;
  bool isPart = false; ///< there are other files that are not shown

private:
  TemporaryFolder folder;
  std::filesystem::path file;
};

const char *const scale = "__global__ void scale(float *a) { a[threadIdx.x] *= 2.0f; }\n";
const char *const launch = "void f(float *a) { scale<<<4, 64>>>(a); }\n";

} // namespace

TEST(Includes, AnIncludedKernelIsWrittenInPlaceOfItsInclude) {
  Files files({{"main.cu", std::string("#include \"scale.h\" // kernels\n") + launch}, {"scale.h", scale}});
  EXPECT_EQ(files.optimized("coarsen x=2"), "// -- scale.h, in place of its #include --\n"
                                            "__global__ void scale(float *a) {\n"
                                            "  #pragma unroll\n"
                                            "  for (unsigned kx = 0; kx < 2; ++kx) {\n"
                                            "    const unsigned threadX = threadIdx.x + kx * blockDim.x;\n"
                                            "    a[threadX] *= 2.0f;\n"
                                            "  }\n"
                                            "}\n"
                                            "// -- end of scale.h --\n"
                                            "void f(float *a) { scale<<<4, 64 / 2>>>(a); }\n");
  // Messages name the file that the user wrote.
  EXPECT_THAT(files.messages.all().at(0).place.file, HasSubstr("scale.h"));
}

TEST(Includes, WhatIsNotChangedStaysIncluded) {
  Files files({{"main.cu", std::string("#include \"other.h\"\n#include \"scale.h\"\n") + launch},
               {"scale.h", scale},
               {"other.h", "#pragma once\ninline int other() { return 1; }\n"}});
  EXPECT_THAT(files.optimized("coarsen x=2"), HasSubstr("#include \"other.h\"\n// -- scale.h"));
}

TEST(Includes, TheFileInBetweenComesAlongAndIncludesAreSeenFromTheOuterFolder) {
  Files files({{"main.cu", std::string("#include \"sub/all.h\"\n") + launch},
               {"sub/all.h", "#pragma once\n#include \"deep/scale.h\"\n"},
               {"sub/deep/scale.h", std::string("#pragma once\n#include \"size.h\"\n") + scale},
               {"sub/deep/size.h", "constexpr int size = 1;\n"}});
  std::string text = files.optimized("coarsen x=2");
  EXPECT_THAT(text, HasSubstr("#include \"sub/deep/size.h\""));
  EXPECT_THAT(text, HasSubstr("-- all.h, in place of its #include --\n// -- scale.h, in place"));
  EXPECT_THAT(text, Not(HasSubstr("pragma once")));
}

TEST(Includes, KernelsOfTheFileItselfAreMeantWhereItHasSome) {
  Files files({{"main.cu", std::string("#include \"scale.h\"\n") + launch +
                               "__global__ void own(float *a) { a[threadIdx.x] = 1.0f; }\n"},
               {"scale.h", scale}});
  EXPECT_THAT(files.optimized("coarsen x=2"), HasSubstr("#include \"scale.h\"\n"));
  transform::Options options;
  options.kernel = "scale";
  EXPECT_THAT(files.optimized("coarsen x=2", options),
              HasSubstr("// -- scale.h, in place of its #include --"));
}

TEST(Includes, ADirectiveInTheIncludedFileIsCarriedOut) {
  Files files({{"main.cu", std::string("#include \"scale.h\"\n") + launch},
               {"scale.h", std::string("#pragma heddle coarsen x=2\n") + scale}});
  std::string text = files.optimized("");
  EXPECT_THAT(text, HasSubstr("64 / 2"));
  EXPECT_THAT(text, Not(HasSubstr("#pragma heddle")));
}

TEST(Includes, ADirectiveBehindTheIncludeStillFindsItsKernel) {
  Files files({{"main.cu", "#include \"load.h\"\n"
                           "#pragma heddle coarsen x=2\n"
                           "__global__ void k(float *a) { a[threadIdx.x] = load(a); }\n"
                           "void f(float *a) { k<<<4, 64>>>(a); }\n"},
               {"load.h", "__device__ float load(const float *a) {\n  return a[threadIdx.x];\n}\n"}});
  std::string text = files.optimized("");
  EXPECT_THAT(text, HasSubstr("__device__ float load(const unsigned threadX, const float *a)"));
  EXPECT_THAT(text, HasSubstr("a[threadX] = load(threadX, a);"));
}

TEST(Includes, AFileThatIsReadAgainElsewhereIsRefused) {
  Files files({{"main.cu", std::string("#include \"scale.h\"\n#include \"other.h\"\n") + launch},
               {"scale.h", std::string("#pragma once\n") + scale},
               {"other.h", "#include \"scale.h\"\n"}});
  EXPECT_THAT(files.optimized("coarsen x=2"), HasSubstr("cannot stand in place of its #include"));
}

TEST(Includes, AKernelOfAHeaderThatOtherFilesIncludeSharesNoNameWithTheirs) {
  const std::string shared = "template <class T> __global__ void scale(T *a) { a[threadIdx.x] *= 2.0f; }\n";
  Files files({{"main.cu", std::string("#include \"scale.h\"\n") + launch}, {"scale.h", shared}});
  files.isPart = true;
  EXPECT_THAT(files.optimized("coarsen x=2"),
              HasSubstr("template <class T> __global__ static void scale(T *a)"));
}

TEST(Includes, AKernelThatAHeaderDeclaresForOtherFilesIsRefused) {
  Files files({{"main.cu", std::string("#include \"scale.h\"\n") + scale + launch},
               {"scale.h", "__global__ void scale(float *a);\n"}});
  files.isPart = true;
  EXPECT_EQ(files.optimized("coarsen x=2"),
            "refused: coarsen x=2: 'scale' is declared here for other files, whose launches are not seen");
  EXPECT_THAT(files.messages.all().at(0).place.file, HasSubstr("scale.h"));
}
