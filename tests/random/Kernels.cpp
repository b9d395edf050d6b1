// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of four shapes, what launches them, and the files all of it is in.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {
namespace {

constexpr unsigned blocks = 4;

} // namespace

std::string Writer::flatThread() const {
  if (shape[2] > 1)
    return fmt::format("((threadIdx.z * {}u + threadIdx.y) * {}u + threadIdx.x)", shape[1], shape[0]);
  return shape[1] > 1 ? fmt::format("(threadIdx.y * {}u + threadIdx.x)", shape[0]) : "threadIdx.x";
}

/// The names that every kernel has: t, g, own and other.
Scope Writer::kernelStart(std::vector<Node> &to) {
  Scope scope;
  scope.isKernel = true;
  std::string text;
  if (hasShared) {
    const unsigned count = 1 + pick(2);
    sharedArrays = {"s0", "s1"};
    sharedArrays.resize(count);
    text += count == 1 ? fmt::format("__shared__ unsigned s0[{}];\n", threads())
            : chance(50)
                ? fmt::format("__shared__ unsigned s0[{0}], s1[{0}];\n", threads())
                : fmt::format("__shared__ unsigned s0[{0}];\n__shared__ unsigned s1[{0}];\n", threads());
  }
  // What directives refuse, and rightly, is rare.
  switch (chance(6) ? 0 : 1 + pick(kernelShape == Shape::Tiles ? 12 : 5)) {
  case 0: {
    uses("thread index from a constructor");
    add("Self",
        node(Sort::Item,
             fmt::format("struct Self {{\nunsigned t, g;\n__device__ Self() : t({0}), g(blockIdx.x * {1}u + "
                         "{0}) {{}}\n}};\n",
                         flatThread(), threads())));
    text += "const Self self;\nconst unsigned t = self.t, g = self.g;\n";
    break;
  }
  case 1: {
    uses("thread index from a function");
    add("whoAmI", node(Sort::Item,
                       fmt::format("static __device__ unsigned whoAmI() {{ return {}; }}\n", flatThread())));
    text +=
        fmt::format("const unsigned t = whoAmI();\nconst unsigned g = blockIdx.x * {}u + t;\n", threads());
    break;
  }
  case 2:
    text += fmt::format("const unsigned t = {0}, g = blockIdx.x * {1}u + {0};\n", flatThread(), threads());
    break;
  default:
    text += fmt::format("const unsigned t = {};\nconst unsigned g = blockIdx.x * {}u + t;\n", flatThread(),
                        shape[1] == 1 && shape[2] == 1 && kernelShape != Shape::Tiles && chance(50)
                            ? "blockDim.x"
                            : std::to_string(threads()));
    if (text.find("blockDim.xu") != std::string::npos)
      text.replace(text.find("blockDim.xu"), 11, "blockDim.x");
  }
  text += "unsigned *own = out + g * 16u;\nunsigned *other = rest + g * 16u;\n";
  to.push_back(node(Sort::Fixed, text));
  declare(scope, "t", {}, false);
  declare(scope, "g", {}, false);
  declare(scope, "n", {}, false, true);
  if (isTemplate)
    declare(scope, "N", "(N + 0u)", false, true);
  return scope;
}

Node Writer::kernelOf(std::vector<Node> work) {
  const char *restricted = isRestrict ? " *__restrict__ " : " *";
  std::string text = isTemplate ? "template <int N> " : "";
  text += chance(15) ? fmt::format("__global__ void __launch_bounds__({}) ", threads()) : "__global__ void ";
  text += fmt::format("kernel(unsigned{0}out, unsigned{0}rest, const unsigned *in, unsigned n{1}) {{\n@0}}\n",
                      restricted, kernelShape == Shape::Tiles ? ", " + tileParameters : "");
  return node(Sort::Fixed, text, {list(std::move(work))});
}

void Writer::kernel() {
  static const std::vector<std::array<unsigned, 3>> shapes = {
      {64, 1, 1}, {32, 1, 1}, {64, 1, 1}, {96, 1, 1},  {32, 2, 1}, {16, 4, 1},
      {8, 8, 1},  {8, 4, 2},  {16, 2, 2}, {128, 1, 1}, {48, 1, 1}, {64, 2, 1}};
  shape = one(shapes);
  static const std::vector<Shape> kinds = {Shape::Block, Shape::Block,   Shape::Block,
                                           Shape::Block, Shape::Threads, Shape::Threads,
                                           Shape::Loops, Shape::Loops,   Shape::Tiles};
  kernelShape = one(kinds);
  isPlain = chance(40);
  hidesThread = chance(35);
  isTemplate = chance(20);
  hasShared = kernelShape == Shape::Block;
  isAliased = chance(kernelShape == Shape::Loops ? 25 : 40);
  isRestrict = !isAliased && chance(75);
  if (kernelShape == Shape::Tiles)
    isRestrict = false;
  if (isTemplate)
    uses("kernel template");
  if (isRestrict)
    uses("__restrict__");

  std::vector<Node> work;
  Scope scope = kernelStart(work);
  switch (kernelShape) {
  case Shape::Block: blockStatements(scope, 4, 1 + int(pick(2)), work); break;
  case Shape::Threads:
    if (chance(50)) {
      work.push_back(node(Sort::Statement, chance(50)
                                               ? fmt::format("if (g >= n * {}u)\nreturn;\n", threads() / 2)
                                               : "if ((in[g] & 3u) == n)\nreturn;\n"));
      uses("early return");
    }
    statements(scope, 3, work);
    if (chance(80))
      work.push_back(chance(70) ? dispatch(scope) : choice(scope));
    if (chance(50))
      statements(scope, 2, work);
    break;
  case Shape::Loops:
    if (chance(50))
      statements(scope, 2, work);
    for (unsigned count = 1 + pick(2); count > 0; --count)
      work.push_back(loopNest(scope));
    if (chance(50))
      statements(scope, 2, work);
    break;
  case Shape::Tiles:
    if (chance(50))
      statements(scope, 2, work);
    tileLoop(scope, work);
    break;
  }
  // Everything that is still known at the end shows.
  std::vector<Node> shown;
  for (const Variable &variable : scope.variables)
    if (variable.name != "t" && variable.name != "g" && shown.size() < 8)
      shown.push_back(node(Sort::Statement,
                           fmt::format("own[{}] ^= {} * {}u;\n", pick(16), variable.text, 3 + 2 * pick(9))));
  work.push_back(list(std::move(shown)));
  work.push_back(node(Sort::Fixed, "own[7] += t + 1u;\n"));
  program.kernels = list({kernelOf(std::move(work))});
}

/// Another kernel of the file, which directives leave alone and which uses the same functions.
void Writer::secondKernel() {
  uses("two kernels share functions");
  Scope scope;
  declare(scope, "t", {}, false);
  Node shown = value(scope, 3);
  program.kernels.children.push_back(node(
      Sort::Item,
      fmt::format(
          "__global__ void second(unsigned *out) {{\nconst unsigned t = {};\nout[(blockIdx.x * {}u + t) * "
          "16u + 3u] ^= @0;\n}}\n",
          flatThread(), threads()),
      {std::move(shown)}));
}

std::string Writer::launchOf(const std::string &name) {
  std::string block = shape[2] > 1   ? fmt::format("dim3({}, {}, {})", shape[0], shape[1], shape[2])
                      : shape[1] > 1 ? fmt::format("dim3({}, {})", shape[0], shape[1])
                                     : std::to_string(shape[0]);
  std::string before;
  switch (pick(5)) {
  case 0:
    before = fmt::format("const dim3 block({}, {}, {});\n", shape[0], shape[1], shape[2]);
    block = "block";
    break;
  case 1:
    if (shape[1] * shape[2] == 1) {
      before = fmt::format("const int threads = {};\n", shape[0]);
      block = "threads";
    }
    break;
  default: break;
  }
  // In Tiles, `rest` is not what is stored through: see tileLoop.
  const std::string rest = isAliased && kernelShape != Shape::Tiles ? "out" : "out + 8192";
  if (isAliased)
    uses("aliasing pointers");
  return before + fmt::format("{}{}<<<{}, {}>>>(out, {}, in, 3u{});\n", name, isTemplate ? "<2>" : "", blocks,
                              block, rest, kernelShape == Shape::Tiles ? ", " + tileArguments : "");
}

void Writer::launches() {
  std::string text = "void launch(unsigned *out, const unsigned *in) {\n" + tilesBeforeLaunch;
  const bool hasSecond = program.kernels.children.size() > 1;
  std::vector<Node> calls;
  calls.push_back(node(Sort::Fixed, launchOf("kernel")));
  if (isTemplate && chance(30) && kernelShape != Shape::Tiles) {
    uses("two instances of a kernel");
    calls.push_back(
        node(Sort::Statement, fmt::format("kernel<3><<<{}, dim3({}, {}, {})>>>(out, {}, in, 2u);\n", blocks,
                                          shape[0], shape[1], shape[2], isAliased ? "out" : "out + 8192")));
  } else if (chance(15) && kernelShape != Shape::Tiles) {
    uses("two launches");
    calls.push_back(node(Sort::Statement, fmt::format("{{\n{}}}\n", launchOf("kernel"))));
  }
  if (hasSecond)
    calls.push_back(node(Sort::Statement, fmt::format("second<<<{}, dim3({}, {}, {})>>>(out);\n", blocks,
                                                      shape[0], shape[1], shape[2])));
  program.launch = node(Sort::Fixed, text + "@0}\n", {list(std::move(calls))});

  switch (pick(12)) {
  case 0: program.layout = Layout::KernelInHeader; break;
  case 1:
    // A kernel template cannot be launched where its text is not.
    if (!isTemplate && kernelShape != Shape::Tiles)
      program.layout = Layout::LaunchElsewhere;
    break;
  case 2:
    if (isTemplate && !hasSecond && kernelShape != Shape::Tiles)
      program.layout = Layout::HeaderTwice;
    break;
  default: break;
  }
  if (program.layout == Layout::LaunchElsewhere) {
    uses("launch in another file");
    program.elsewhere = program.launch;
    program.launch = node(Sort::Fixed, "");
    std::string declared =
        isRestrict
            ? "__global__ void kernel(unsigned *__restrict__ out, unsigned *__restrict__ rest, const "
              "unsigned *in, "
              "unsigned n);\n"
            : "__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n);\n";
    if (hasSecond)
      declared += "__global__ void second(unsigned *out);\n";
    program.elsewhere.form = declared + program.elsewhere.form;
  } else if (program.layout == Layout::HeaderTwice) {
    uses("header in two files");
    // Both files launch the same instance, this one after the other.
    program.elsewhere =
        node(Sort::Fixed,
             fmt::format("void launchToo(unsigned *out, const unsigned *in) {{\n{}}}\n", launchOf("kernel")));
    program.launch.form = "void launchToo(unsigned *out, const unsigned *in);\n" + program.launch.form;
    program.launch.form.replace(program.launch.form.rfind("}"), 1, "launchToo(out, in);\n}");
  } else if (program.layout == Layout::KernelInHeader) {
    uses("kernel in a header");
  }
}

Program Writer::write() {
  kernel();
  if (chance(20) && kernelShape != Shape::Tiles)
    secondKernel();
  launches();
  directives();
  program.items = list(std::move(items));
  return std::move(program);
}

Program randomProgram(uint64_t seed) { return Writer(seed).write(); }

namespace {

const char *const includes = "#include <new>\n";

} // namespace

std::string Program::headerText() const {
  return needsHeader() ? "#pragma once\n" + std::string(includes) + print(items) + print(kernels) : "";
}

std::string Program::mainText() const {
  if (needsHeader())
    return fmt::format("#include \"{}\"\n", headerName) + print(launch);
  return includes + print(items) + print(kernels) + print(launch);
}

std::string Program::otherText() const {
  if (layout == Layout::HeaderTwice)
    return fmt::format("#include \"{}\"\n", headerName) + print(elsewhere);
  return layout == Layout::LaunchElsewhere ? print(elsewhere) : "";
}

std::string Program::shown() const {
  std::string all;
  for (const std::string &directive : directives)
    all += "// -d \"" + directive + "\"\n";
  if (needsHeader())
    all += fmt::format("// ---- {}\n", headerName) + headerText() + "// ---- main.cu\n";
  all += mainText();
  if (hasOther())
    all += "// ---- other.cu\n" + otherText();
  return all;
}

} // namespace heddle::generator
