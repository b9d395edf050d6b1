// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that is easy to read wrongly or to give back changed: odd spellings, odd bytes, macros that do more
// with an argument than use it, headers read more than once, and files large enough to exhaust a stack.
#include "TestPaths.h"
#include "source/ParsedText.h"
#include "source/Render.h"
#include "source/ThreadIds.h"
#include "source/Unit.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;
using heddle::testing::threadIdRanges;
using ::testing::HasSubstr;

namespace {

using FileTexts = std::map<fs::path, std::string>;

/// Each `threadIdx.x` of the kernels replaced by `text`: the files that change, or the refusal.
std::variant<FileTexts, Diagnostic> withThreadIds(const Program &program, const std::string &text,
                                                  const std::string &kernelName = {}) {
  Edits edits;
  for (const auto &kernel : program.kernels())
    if (kernelName.empty() || kernel->name == kernelName)
      for (clang::SourceRange range : threadIdRanges(*kernel))
        edits.replace(*kernel->unit, range, text);
  return edits.apply();
}

/// The same for a one-file program given as text.
std::string edited(const std::string &text, const std::string &replacement = "tid") {
  auto program = parsed(text);
  if (!program)
    return "does not compile";
  auto result = withThreadIds(*program, replacement);
  if (auto *refused = std::get_if<Diagnostic>(&result))
    return "refused: " + refused->text;
  auto &files = std::get<FileTexts>(result);
  return files.size() == 1 ? files.begin()->second : std::to_string(files.size()) + " files change";
}

/// A body rendered, and put back as an edit, gives the text it came from.
void expectSame(const std::string &text) {
  auto program = parsed(text);
  ASSERT_TRUE(program) << text;
  ASSERT_FALSE(program->kernels().empty()) << text;
  const Kernel &kernel = *program->kernels()[0];
  clang::SourceRange body = kernel.function->getBody()->getSourceRange();
  Rendered rendered = render(*kernel.unit, body);
  ASSERT_EQ(rendered.index(), 0u) << std::get<Diagnostic>(rendered).text;
  Edits edits;
  edits.replace(*kernel.unit, body, std::get<std::string>(rendered));
  auto result = edits.apply();
  ASSERT_EQ(result.index(), 0u) << std::get<Diagnostic>(result).text;
  EXPECT_EQ(std::get<FileTexts>(result).begin()->second, text);
}

std::string kernelWith(const std::string &body) { return "__global__ void k(int *p) {" + body + "}\n"; }

/// A folder with a few files, of which main.cu is the program.
struct Project {
  explicit Project(const std::map<std::string, std::string> &files) {
    for (const auto &[name, text] : files) {
      fs::create_directories((folder.path() / name).parent_path());
      std::ofstream(folder.path() / name, std::ios::binary) << text;
    }
    CompileOptions options;
    options.cudaPath = "none";
    auto result = Program::parse(folder.path() / "main.cu", options);
    if (auto *failure = std::get_if<ParseFailure>(&result))
      ADD_FAILURE() << failure->compilerMessages;
    else
      program = std::move(std::get<0>(result));
  }
  std::string name(const fs::path &path) const {
    return fs::relative(fs::canonical(path), fs::canonical(folder.path())).string();
  }
  TemporaryFolder folder;
  std::unique_ptr<Program> program;
};

} // namespace

TEST(HardText, ComesBackByteForByte) {
  expectSame(kernelWith("\r\n\tp[threadIdx.x] = 1;\t// tab\r\n"));
  expectSame(kernelWith(" p[0] = 1; // gr\xc3\xbc\xc3\x9f"
                        "e, \xe4\xf6 in Latin-1\n"));
  expectSame("\xef\xbb\xbf" + kernelWith(" p[0] = 1; "));
  expectSame(kernelWith(" p[0] = \\\n  1; int ab\\\nc = 2; p[1] = abc; "));
  expectSame(kernelWith(" p[0] = sizeof(R\"x(a \" b\n)\" c)x\"); "));
  expectSame("__global__ void k(int *p) <% p<:0:> = 1; %>\n");
  expectSame(kernelWith(
      "\n#line 700 \"other.y\"\n  p[0] = 1;\n#pragma unroll 4\n  for (int i = 0; i < 4; ++i) p[i] = "
      "i;\n  _Pragma(\"unroll\") for (int i = 0; i < 4; ++i) p[i] = i;\n"));
  expectSame(kernelWith(" p[0] = 1; " + std::string(100000, ' ') + "p[1] = 2; "));
  expectSame("__global__ void k(int *p) { p[0] = 1; }"); // no newline at the end
}

TEST(HardText, SplitAnglesAndLiteralsComeBack) {
  expectSame(
      "template <class T> struct Box { T v; };\n__device__ int operator\"\"_cells(unsigned long long n) { "
      "return "
      "int(n); }\n" +
      kernelWith(
          " Box<Box<int>> b = {}; Box<Box<Box<int>>> *c = nullptr; p[0] = b.v.v + int(4.5f) + 3_cells; "
          "auto f = [=](int i) { return i + p[1]; }; p[2] = f(1); (void)c; "));
}

TEST(HardText, ATypeThatEndsInSplitAnglesIsReplacedAlone) {
  auto program = parsed("template <class T> struct Box { T v; };\n" +
                        kernelWith(" Box<Box<int>> b = {}; p[0] = b.v.v; "));
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels()[0];
  const auto *body = llvm::cast<clang::CompoundStmt>(kernel.function->getBody());
  const auto *declared =
      llvm::cast<clang::VarDecl>(llvm::cast<clang::DeclStmt>(body->body_front())->getSingleDecl());
  clang::SourceRange type = declared->getTypeSourceInfo()->getTypeLoc().getSourceRange();
  Rendered text = render(*kernel.unit, type);
  ASSERT_EQ(text.index(), 0u);
  EXPECT_EQ(std::get<0>(text), "Box<Box<int>>");
  auto outer = declared->getTypeSourceInfo()->getTypeLoc().getAs<clang::TemplateSpecializationTypeLoc>();
  ASSERT_TRUE(outer);
  clang::SourceRange inner = outer.getArgLoc(0).getSourceRange();
  EXPECT_EQ(std::get<0>(render(*kernel.unit, inner)), "Box<int>");
  Rendered changed = render(*kernel.unit, type, {{inner, "long"}});
  ASSERT_EQ(changed.index(), 0u) << std::get<Diagnostic>(changed).text;
  EXPECT_EQ(std::get<0>(changed), "Box<long>");
}

TEST(HardText, AnIncludeInsideABodyStays) {
  Project project(
      {{"main.cu", "__global__ void k(int *p) {\n  int i = threadIdx.x;\n#include \"part.inc\"\n  p[0] = "
                   "i;\n}\n"},
       {"part.inc", "p[1] = threadIdx.x;\n"}});
  ASSERT_TRUE(project.program);
  const Kernel &kernel = *project.program->kernels().at(0);
  Rendered body = render(*kernel.unit, kernel.function->getBody()->getSourceRange());
  ASSERT_EQ(body.index(), 0u);
  EXPECT_EQ(std::get<0>(body), "{\n  int i = threadIdx.x;\n#include \"part.inc\"\n  p[0] = i;\n}");
  auto result = withThreadIds(*project.program, "tid");
  ASSERT_EQ(result.index(), 0u) << std::get<1>(result).text;
  ASSERT_EQ(std::get<0>(result).size(), 2u);
  for (const auto &[path, text] : std::get<0>(result))
    EXPECT_EQ(text,
              project.name(path) == "part.inc"
                  ? "p[1] = tid;\n"
                  : "__global__ void k(int *p) {\n  int i = tid;\n#include \"part.inc\"\n  p[0] = i;\n}\n");
}

TEST(HardText, ABodyRenderedWithAChangeInAnIncludedPartIsNeverWrong) {
  Project project({{"main.cu", "__global__ void k(int *p) {\n#include \"part.inc\"\n  p[0] = 1;\n}\n"},
                   {"part.inc", "p[1] = threadIdx.x;\n"}});
  ASSERT_TRUE(project.program);
  const Kernel &kernel = *project.program->kernels().at(0);
  Rendered body = render(*kernel.unit, kernel.function->getBody()->getSourceRange(),
                         {{threadIdRanges(kernel).at(0), "tid"}});
  if (body.index() == 0) {
    EXPECT_THAT(std::get<0>(body), HasSubstr("p[1] = tid;"));
    EXPECT_EQ(std::get<0>(body).find("part.inc"), std::string::npos);
  }
}

TEST(HardText, AnArgumentThatIsPastedMakesTheMacroExpand) {
  EXPECT_EQ(
      edited("#define PICK(n) (n + one_##n)\n__device__ const int one_threadIdx = 1;\nstruct S { int x; };\n"
             "#define AT(n) p[n.x + one_##n]\n__global__ void k(int *p) { AT(threadIdx) = 2; }\n"),
      "#define PICK(n) (n + one_##n)\n__device__ const int one_threadIdx = 1;\nstruct S { int x; };\n"
      "#define AT(n) p[n.x + one_##n]\n__global__ void k(int *p) { p[tid + one_threadIdx] = 2; }\n");
}

TEST(HardText, AMacroInAnArgumentOfAnotherIsNotTheTextOfItsParts) {
  const std::string macros = "#define PUT(p, i, v) p[(i) * 2] = v\n#define DO(x) do { x; } while (0)\n";
  auto program = parsed(macros + kernelWith(" DO(PUT(p, threadIdx.x, 7)); "));
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels()[0];
  struct Finder : clang::DynamicRecursiveASTVisitor {
    std::vector<clang::SourceRange> parts; // 7, which is written; 2 and `(..) * 2`, which only PUT has
    bool VisitIntegerLiteral(clang::IntegerLiteral *literal) override {
      parts.push_back(literal->getSourceRange());
      return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
      if (operation->getOpcode() == clang::BO_Mul)
        parts.push_back(operation->getSourceRange());
      return true;
    }
  } finder;
  finder.TraverseStmt(kernel.function->getBody());
  std::vector<std::string> texts;
  for (clang::SourceRange part : finder.parts) {
    Rendered text = render(*kernel.unit, part);
    ASSERT_EQ(text.index(), 0u);
    texts.push_back(std::get<0>(text));
  }
  EXPECT_THAT(texts, ::testing::IsSupersetOf({"2", "7", "(threadIdx.x) * 2"}));
  EXPECT_THAT(texts, ::testing::Not(::testing::Contains(HasSubstr("PUT"))));
}

TEST(HardText, ACommaDoesNotEndAnArgumentOfAMacro) {
  const std::string macros = "template <int a, int b> __device__ int f(int i) { return i * a + b; }\n"
                             "#define PUT(p, i) p[i] = 1\n#define DO(x) do { x; } while (0)\n"
                             "#define ANY(n, ...) do { __VA_ARGS__; } while (n)\n";
  const auto changed = [&](const std::string &body) {
    const std::string text = edited(macros + kernelWith(body), "f<1, 2>(0)");
    EXPECT_TRUE(parsed(text)) << text;
    return text.substr(std::min(text.size(), text.find("__global__")));
  };
  // An argument ends at a comma, whatever angle brackets are around it,
  EXPECT_EQ(changed(" PUT(p, threadIdx.x); "), kernelWith(" p [f<1, 2>(0)] = 1; "));
  EXPECT_EQ(changed(" DO((PUT(p, threadIdx.x))); "), kernelWith(" do { (p [f<1, 2>(0)] = 1); } while (0); "));
  EXPECT_EQ(changed(" ANY(threadIdx.x, p[0] = 1); "), kernelWith(" do { p[0] = 1; } while (f<1, 2>(0)); "));
  // but not inside parentheses, nor where further arguments are one with it.
  EXPECT_EQ(changed(" DO((p[threadIdx.x] = 1)); "), kernelWith(" DO((p[f<1, 2>(0)] = 1)); "));
  EXPECT_EQ(changed(" ANY(0, p[threadIdx.x] = 1); "), kernelWith(" ANY(0, p[f<1, 2>(0)] = 1); "));
}

TEST(HardText, APastedNameThatIsItselfAMacroMakesTheMacroExpand) {
  auto program =
      parsed("#define VALUE_3 7\n#define SUM(n) (n + VALUE_##n)\n" + kernelWith(" p[0] = SUM(3); "));
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels()[0];
  struct Finder : clang::DynamicRecursiveASTVisitor {
    std::vector<clang::SourceRange> threes;
    bool VisitIntegerLiteral(clang::IntegerLiteral *literal) override {
      if (literal->getValue() == 3)
        threes.push_back(literal->getSourceRange());
      return true;
    }
  } finder;
  finder.TraverseStmt(kernel.function->getBody());
  ASSERT_EQ(finder.threes.size(), 1u);
  Rendered text =
      render(*kernel.unit, kernel.function->getBody()->getSourceRange(), {{finder.threes[0], "4"}});
  ASSERT_EQ(text.index(), 0u);
  EXPECT_EQ(std::get<0>(text), "{ p[0] = (4 + 7); }");
}

TEST(HardText, AnArgumentOnlyShownAsTextFollowsTheChange) {
  EXPECT_EQ(edited("#define LOUD(e) ((e) + int(sizeof(#e)))\n__global__ void k(int *p) { p[0] = "
                   "LOUD(threadIdx.x); }\n"),
            "#define LOUD(e) ((e) + int(sizeof(#e)))\n__global__ void k(int *p) { p[0] = LOUD(tid); }\n");
}

TEST(HardText, AnExpandedStringOrPastedTokenIsSpelledInFull) {
  EXPECT_EQ(edited("#define NAME(a, b) a##b\n#define TWO(e) ((e) + (e) + int(sizeof(#e)) + NAME(1, 0))\n"
                   "__global__ void k(int *p) { p[0] = TWO(threadIdx.x); }\n"),
            "#define NAME(a, b) a##b\n#define TWO(e) ((e) + (e) + int(sizeof(#e)) + NAME(1, 0))\n"
            "__global__ void k(int *p) { p[0] = ((tid) + (tid) + int(sizeof(\"threadIdx.x\")) + 10); }\n");
}

TEST(HardText, AKernelWhollyOutOfAMacroIsExpandedAndReadable) {
  std::string text = "#define KERNEL(name, op) __global__ void name(int *p) { p[threadIdx.x] = 1 op 2; }\n"
                     "KERNEL(add, +)\nKERNEL(sub, -)\n";
  auto program = parsed(text);
  ASSERT_TRUE(program);
  ASSERT_EQ(program->kernels().size(), 2u);
  auto result = withThreadIds(*program, "tid", "sub");
  ASSERT_EQ(result.index(), 0u) << std::get<1>(result).text;
  EXPECT_EQ(std::get<0>(result).begin()->second,
            "#define KERNEL(name, op) __global__ void name(int *p) { p[threadIdx.x] = 1 op 2; }\n"
            "KERNEL(add, +)\n__global__ void sub (int *p) { p[tid] = 1 - 2; }\n");
}

TEST(HardText, APragmaThatExpandingWouldLoseIsARefusal) {
  EXPECT_EQ(
      edited("#define LOOP(n) _Pragma(\"unroll\") for (int i = 0; i < n; ++i) p[i] = threadIdx.x\n"
             "__global__ void k(int *p) { LOOP(4); }\n"),
      "refused: this change needs the macro 'LOOP' expanded in place, and the pragma here would be lost");
  EXPECT_EQ(
      edited(
          "#define UNROLL _Pragma(\"unroll\")\n__global__ void k(int *p) {\n  UNROLL for (int i = 0; i < 4; "
          "++i) p[i] = threadIdx.x;\n}\n"),
      "#define UNROLL _Pragma(\"unroll\")\n__global__ void k(int *p) {\n  UNROLL for (int i = 0; i < 4; ++i) "
      "p[i] = tid;\n}\n");
}

TEST(HardText, AMacroThatNamesAnotherKeepsItsArgument) {
  EXPECT_EQ(
      edited("#define PLUS(x) ((x) + 1)\n#define ALIAS PLUS\n__global__ void k(int *p) { "
             "p[ALIAS(threadIdx.x)] = 1; "
             "}\n"),
      "#define PLUS(x) ((x) + 1)\n#define ALIAS PLUS\n__global__ void k(int *p) { p[ALIAS(tid)] = 1; }\n");
}

TEST(HardText, AKernelInAHeaderIsChangedInTheHeader) {
  Project project({{"main.cu", "#include \"inc/kernels.cuh\"\nvoid host(int *p) { k<<<1, 32>>>(p); }\n"},
                   {"inc/kernels.cuh", "#pragma once\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n"}});
  ASSERT_TRUE(project.program);
  auto result = withThreadIds(*project.program, "tid");
  ASSERT_EQ(result.index(), 0u);
  ASSERT_EQ(std::get<0>(result).size(), 1u);
  EXPECT_EQ(project.name(std::get<0>(result).begin()->first), "inc/kernels.cuh");
}

TEST(HardText, AHeaderReadTwiceIsChangedOnlyWhereBothReadingsAgree) {
  Project project({{"main.cu", "#define NAME one\n#include \"body.inc\"\n#undef NAME\n#define NAME two\n"
                               "#include \"./body.inc\"\n"},
                   {"body.inc", "__global__ void NAME(int *p) { p[threadIdx.x] = 1; }\n"}});
  ASSERT_TRUE(project.program);
  ASSERT_EQ(project.program->kernels().size(), 2u);
  auto both = withThreadIds(*project.program, "tid");
  ASSERT_EQ(both.index(), 0u) << std::get<1>(both).text;
  ASSERT_EQ(std::get<0>(both).size(), 1u);
  EXPECT_EQ(std::get<0>(both).begin()->second, "__global__ void NAME(int *p) { p[tid] = 1; }\n");
  auto one = withThreadIds(*project.program, "tid", "one");
  ASSERT_EQ(one.index(), 1u);
  EXPECT_THAT(std::get<1>(one).text, HasSubstr("read more than once"));
}

TEST(HardText, AHeaderWhoseOtherReadingSkipsTheTextIsChangedFreely) {
  Project project(
      {{"main.cu", "#include \"parts.inc\"\n#define KERNELS\n#include \"parts.inc\"\n"},
       {"parts.inc", "#ifdef KERNELS\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n#endif\n"}});
  ASSERT_TRUE(project.program);
  auto result = withThreadIds(*project.program, "tid");
  ASSERT_EQ(result.index(), 0u) << std::get<1>(result).text;
  EXPECT_THAT(std::get<0>(result).begin()->second, HasSubstr("p[tid] = 1;"));
}

TEST(HardText, TheSameChangeAskedForByEveryInstantiationIsOneChange) {
  EXPECT_EQ(edited("template <int N> __global__ void k(int *p) { p[threadIdx.x] = N; }\n"
                   "void h(int *p) { k<1><<<1, 1>>>(p); k<2><<<1, 1>>>(p); }\n"),
            "template <int N> __global__ void k(int *p) { p[tid] = N; }\n"
            "void h(int *p) { k<1><<<1, 1>>>(p); k<2><<<1, 1>>>(p); }\n");
}

TEST(HardText, TwoDifferentChangesOfOneLocationAreRefused) {
  auto program = parsed(kernelWith(" p[threadIdx.x] = 1; "));
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels()[0];
  Edits edits;
  edits.replace(*kernel.unit, threadIdRanges(kernel).at(0), "a");
  edits.replace(*kernel.unit, threadIdRanges(kernel).at(0), "b");
  auto result = edits.apply();
  ASSERT_EQ(result.index(), 1u);
  EXPECT_EQ(std::get<1>(result).text, "two changes overlap here");
}

TEST(HardText, AMacroThatIsNeededElsewhereOnItsLineKeepsItsNeighbours) {
  EXPECT_EQ(
      edited(
          "#define MINUS -\n#define NEG MINUS threadIdx.x\n__global__ void k(int *p) { p[0] = -NEG-1; }\n"),
      "#define MINUS -\n#define NEG MINUS threadIdx.x\n__global__ void k(int *p) { p[0] = - - tid-1; }\n");
}

TEST(HardText, NamesOfEveryKindOfScopeAreFound) {
  auto program =
      parsed("namespace { __global__ void hidden(int *) {} }\nnamespace a { __global__ void k(int *) {} }\n"
             "namespace b { inline namespace v1 { __global__ void k(int *) {} } }\n"
             "extern \"C\" __global__ void plain(int *) {}\n"
             "struct Outer { struct Inner { static __global__ void member(int *) {} }; };\n"
             "struct Friend;\n__global__ void amigo(Friend *);\nstruct Friend { friend __global__ void "
             "amigo(Friend *) {} };\n"
             "template <class T> struct Gen { static __global__ void of(T *) {} };\n"
             "template <class T> __global__ void t(T) {}\ntemplate __global__ void t<float>(float);\n"
             "template <> __global__ void t<int>(int) {}\n"
             "template <class F> __global__ void apply(F f, int *p) { f(p); }\n"
             "void h(int *p, Friend *f) {\n  hidden<<<1, 1>>>(p); a::k<<<1, 1>>>(p); b::k<<<1, 1>>>(p);\n"
             "  plain<<<1, 1>>>(p); Outer::Inner::member<<<1, 1>>>(p); amigo<<<1, 1>>>(f);\n"
             "  Gen<int>::of<<<1, 1>>>(p); t<<<1, 1>>>(1.0f); t<<<1, 1>>>(1);\n"
             "  apply<<<1, 1>>>([] __device__(int *q) { *q = 1; }, p);\n}\n");
  ASSERT_TRUE(program);
  std::vector<std::string> launched;
  for (const Launch &launch : program->launches())
    launched.push_back(launch.kernel ? launch.kernel->plainName : "? " + launch.kernelName);
  EXPECT_EQ(launched, (std::vector<std::string>{"hidden", "a::k", "b::k", "plain", "Outer::Inner::member",
                                                "amigo", "Gen<int>::of", "t", "t", "apply"}));
  EXPECT_EQ(program->kernelsNamed("k").size(), 2u);
}

TEST(HardText, DeepTreesDoNotExhaustTheStack) {
  std::string sum = "p[0] = p[0]", chain = "if (p[0] == 0) p[1] = 0;";
  for (int i = 0; i < 20000; ++i)
    sum += " + p[" + std::to_string(i) + "]";
  for (int i = 0; i < 5000; ++i)
    chain += "\n  else if (p[0] == " + std::to_string(i) + ") p[1] = " + std::to_string(i) + ";";
  auto program = parsed(kernelWith(sum + ";\n  " + chain + "\n") + "void h(int *p) { int n = 32; " + sum +
                        "; " + chain + " k<<<1, n>>>(p); }\n");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->launches().size(), 1u);
  EXPECT_EQ(program->launches()[0].block.total(), 32);
}

TEST(HardText, ProgramsCanBeReadAtTheSameTime) {
  std::array<std::string, 4> found;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      std::string n = std::to_string(32 * (i + 1));
      auto program = parsed("__global__ void k" + n + "(int *p) { p[threadIdx.x] = 1; }\nvoid h(int *p) { k" +
                            n + "<<<1, " + n + ">>>(p); }\n");
      if (program)
        found[i] =
            program->kernels().at(0)->name + " " + std::to_string(*program->launches().at(0).block.total());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(found, (std::array<std::string, 4>{"k32 32", "k64 64", "k96 96", "k128 128"}));
}
