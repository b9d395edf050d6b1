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
  if (kernelShape == Shape::Tree)
    text += fmt::format("__shared__ unsigned sums[{}];\n", threads());
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
  switch (chance(3) ? 0 : passesIndexOn() ? 1 + pick(5) : chance(3) ? 1 : 2 + pick(4)) {
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
  text += "unsigned *own = out + g * 16u;\n";
  if (!wantsLayout())
    text += "unsigned *other = rest + g * 16u;\n";
  to.push_back(node(Sort::Fixed, text));
  declare(scope, "t", {}, false);
  declare(scope, "g", {}, false);
  declare(scope, "n", {}, false, true);
  if (isTemplate)
    declare(scope, "N", "(N + 0u)", false, true);
  return scope;
}

/// Threads that do not wait for each other: branches and loops, as the directive wants them.
void Writer::threadStatements(Scope &scope, std::vector<Node> &to) {
  const std::string wanted = meant->text;
  if (chance(wanted.find("by=in[") != std::string::npos ? 10 : 40)) {
    to.push_back(node(Sort::Statement, chance(50) ? fmt::format("if (g >= n * {}u)\nreturn;\n", threads() / 2)
                                                  : "if ((in[g] & 3u) == n)\nreturn;\n"));
    uses("early return");
  }
  statements(scope, 3, to);
  if (wanted == "branchless") {
    palette["branchless"] = true;
    to.push_back(plainDeclaration(scope));
    to.push_back(shortBranch(scope));
  }
  if (wantsLayout()) // an element for each thread, and no other use of the array
    to.push_back(node(Sort::Statement, "rest[g] = rest[g] * 3u + @0;\n", {value(scope, 2)}));
  if (wanted == "regroup by=profile")
    to.push_back(loop(scope));
  if (wanted.find("by=branch") != std::string::npos || chance(60))
    to.push_back(chance(70) ? dispatch(scope) : choice(scope));
  if (chance(50))
    statements(scope, 2, to);
}

Node Writer::kernelOf(std::vector<Node> work) {
  const char *restricted = isRestrict ? " *__restrict__ " : " *";
  std::string text = isTemplate ? "template <int N> " : "";
  text += chance(15) ? fmt::format("__global__ void __launch_bounds__({}) ", threads()) : "__global__ void ";
  text += fmt::format(
      "kernel(unsigned{0}out, unsigned{0}rest, const unsigned{2}in, unsigned n{1}) {{\n@0}}\n", restricted,
      kernelShape == Shape::Tiles ? ", " + tileParameters : "", isReadOnly ? " *__restrict__ " : " *");
  return node(Sort::Fixed, text, {list(std::move(work))});
}

void Writer::kernel() {
  chooseDirective();
  const std::string wanted = meant->text;
  isPlain = chance(40);
  hidesThread = chance(8);
  isTemplate = chance(wanted.starts_with("regroup by=profile") || kernelShape == Shape::Tree ? 4 : 20);
  hasShared = isForBlock();
  // Pointers that may overlap keep loops and tiles as they are.
  isAliased = !wantsLayout() && chance(kernelShape == Shape::Loops || kernelShape == Shape::Tiles ? 12 : 40);
  isRestrict = !isAliased && chance(kernelShape == Shape::Loops || kernelShape == Shape::Tiles ? 92 : 75);
  isReadOnly = isRestrict || chance(50);
  if (isTemplate)
    uses("kernel template");
  if (isRestrict)
    uses("__restrict__");

  std::vector<Node> work;
  Scope scope = kernelStart(work);
  if (chance(70))
    feature(scope, work);
  const bool isLate = work.size() < 2;
  switch (kernelShape) {
  case Shape::Tree:
    work.push_back(tree(scope));
    blockStatements(scope, 2, 1, work);
    break;
  case Shape::Block: blockStatements(scope, 4, 1 + int(pick(2)), work); break;
  case Shape::Threads: threadStatements(scope, work); break;
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
  if (isLate)
    feature(scope, work);
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
  std::string grid = std::to_string(blocks);
  if (std::string(meant->text).find("grid=") != std::string::npos) {
    // By the seed alone, so that programs for other directives stay the ones they are: grids that merged blocks do not fill, and
    // grids that only a launch knows.
    const unsigned count = program.seed % 2 ? blocks - 1 : blocks;
    grid = std::to_string(count);
    if (program.seed % 3) {
      uses("grid known at run time");
      before += fmt::format("const unsigned gridBlocks = out ? {} : 1;\n", count);
      grid = program.seed % 3 == 1 ? "gridBlocks" : "dim3(gridBlocks)";
    }
  }
  // Tiles are at out + 8192, and a thread stores through `rest` to its own elements only.
  const std::string rest = isAliased ? "out" : "out + 8192";
  if (isAliased)
    uses("aliasing pointers");
  return before + fmt::format("{}{}<<<{}, {}>>>(out, {}, in, 3u{});\n", name, isTemplate ? "<2>" : "", grid,
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
    // Most directives have to change the launch, and refuse where they cannot see it.
    if (!isTemplate && kernelShape != Shape::Tiles && (kernelShape == Shape::Loops || chance(25)))
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
              "unsigned "
              "*__restrict__ in, unsigned n);\n"
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
