// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::testing {

/// Writes random kernels that have no races and no divergent barriers: shared arrays, barriers at top level,
/// in loops and in branches that the block agrees on, divergent branches, loops and switches, early returns,
/// device functions.
///
/// Between two barriers each shared array is either private (a thread touches its own element only) or read
/// by all. All arithmetic is on unsigned numbers, so nothing is undefined and results are exact.
class RandomKernel {
public:
  RandomKernel(uint64_t seed, std::string name) : random(seed), name(std::move(name)) {}

  /// Threads of a block along x and y.
  unsigned blockX = 64, blockY = 1;
  /// Blocks can be merged: arrays are each thread's own, and there are no barriers.
  bool hasNoBarriers = false;

  std::string write() {
    static const unsigned widths[] = {16, 32, 64, 128};
    blockX = widths[pick(4)];
    blockY = blockX <= 32 && chance(50) ? (blockX == 16 ? 8 : 4) : 1;
    line(fmt::format(
        "__global__ void {}(unsigned *__restrict__ out, const unsigned *__restrict__ in, unsigned n) {{",
        name));
    ++depth;
    line(fmt::format("{}unsigned s0[{}], s1[{}];", hasNoBarriers ? "" : "__shared__ ", threads(), threads()));
    if (blockY > 1) {
      line("const unsigned row = threadIdx.y;");
      line("unsigned t = row * blockDim.x + threadIdx.x;");
    } else {
      line("const unsigned t = threadIdx.x;");
    }
    line(fmt::format("unsigned g = blockIdx.x * {} + t;", threads()));
    locals = {"t", "g"};
    uniforms = {"n"};
    line("s0[t] = in[g];");
    line("s1[t] = t * 7u;");
    // Small ones find what there is to be found, and many of them can be tried in the time that one large one
    // takes (dependences are asked for pair by pair); some things need a large one.
    isLarge = chance(10);
    if (isLarge)
      sequence(3 + pick(3), 2);
    else
      sequence(2 + pick(2), 1 + pick(2));
    line("out[g] = " + expression(3) + ";");
    --depth;
    line("}");
    return text;
  }

  unsigned threads() const { return blockX * blockY; }

private:
  enum class Mode { Own, All };

  unsigned pick(unsigned count) { return unsigned(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <class T> const T &one(const std::vector<T> &list) { return list[pick(unsigned(list.size()))]; }
  void line(const std::string &words) { text += std::string(depth * 2, ' ') + words + "\n"; }
  std::string fresh(const char *letter) { return letter + std::to_string(next++); }

  // Structure: only what the block agrees on
  // ------------------------------------------------------------------------

  void sequence(unsigned parts, unsigned levels) {
    for (unsigned i = 0; i < parts; ++i) {
      unsigned what = pick(10);
      if (what < 5 || levels == 0)
        region();
      else if (what < 7)
        uniformLoop(levels - 1);
      else if (what < 9)
        uniformBranch(levels - 1);
      else
        uniformStatement();
      if (chance(80))
        barrier();
    }
  }

  void barrier() {
    if (hasNoBarriers)
      return;
    line(chance(90) ? "__syncthreads();" : "__syncthreads(); // all have come");
    modes[0] = chance(50) ? Mode::All : Mode::Own;
    modes[1] = chance(50) ? Mode::All : Mode::Own;
  }

  /// Scopes: what is declared inside is forgotten behind.
  template <class Body> void block(const std::string &head, Body body, const std::string &tail = "}") {
    line(head);
    ++depth;
    auto keptLocals = locals, keptUniforms = uniforms;
    auto keptArrays = arrays;
    body();
    locals = keptLocals;
    uniforms = keptUniforms;
    arrays = keptArrays;
    --depth;
    line(tail);
  }

  void uniformLoop(unsigned levels) {
    barrier();
    std::string counter = fresh("i");
    std::string bound = chance(50) ? std::to_string(1 + pick(4)) : "n % 4u + 1u";
    block(fmt::format("for (unsigned {} = 0; {} < {}; ++{}) {{", counter, counter, bound, counter), [&] {
      constants.push_back(counter);
      modes[0] = modes[1] = Mode::Own;
      sequence(1 + pick(2), levels);
      if (chance(25))
        line(fmt::format("if ({} == {}u) break;", uniformExpression(1), pick(5)));
      constants.pop_back();
      barrier();
    });
    barrier();
  }

  void uniformBranch(unsigned levels) {
    barrier();
    bool hasElse = chance(50);
    block(
        fmt::format("if ({} % 2u == {}u) {{", uniformExpression(1), pick(2)),
        [&] { sequence(1 + pick(2), levels); }, hasElse ? "} else {" : "}");
    if (hasElse) {
      ++depth;
      auto keptLocals = locals, keptUniforms = uniforms;
      auto keptArrays = arrays;
      modes[0] = modes[1] = Mode::Own;
      barrier();
      sequence(1, levels);
      locals = keptLocals;
      uniforms = keptUniforms;
      arrays = keptArrays;
      --depth;
      line("}");
    }
    barrier();
  }

  std::string uniformExpression(unsigned levels) {
    if (levels == 0 || chance(30)) {
      std::vector<std::string> leaves = {std::to_string(pick(9)) + "u", "blockIdx.x", "n", "blockDim.x"};
      leaves.insert(leaves.end(), uniforms.begin(), uniforms.end());
      leaves.insert(leaves.end(), constants.begin(), constants.end());
      return one(leaves);
    }
    static const std::vector<std::string> operators = {"+", "*", "^", "-"};
    return fmt::format("({} {} {})", uniformExpression(levels - 1), one(operators),
                       uniformExpression(levels - 1));
  }

  void uniformStatement() {
    if (uniforms.size() > 1 && chance(40)) {
      line(fmt::format("{} = {};", uniforms[1 + pick(unsigned(uniforms.size()) - 1)], uniformExpression(2)));
      return;
    }
    std::string value = uniformExpression(2);
    if (modes[0] == Mode::All && chance(40))
      value += fmt::format(" + s0[{}]", pick(threads()));
    std::string variable = fresh("u");
    line(fmt::format("unsigned {} = {};", variable, value));
    uniforms.push_back(variable);
  }

  // What differs by thread
  // --------------------------------------------------------------------------------------------

  void region() {
    unsigned count = 1 + pick(isLarge ? 5 : 3);
    for (unsigned i = 0; i < count; ++i)
      statement(2, true);
    if (chance(12))
      line(fmt::format("if ({} % 7u == {}u) {{ out[g] = {}; return; }}", expression(1), pick(7),
                       expression(1)));
  }

  void statement(unsigned levels, bool mayDeclare) {
    switch (pick(12)) {
    case 0:
    case 1:
      if (mayDeclare)
        return declare();
      [[fallthrough]];
    case 2:
    case 3: return assign();
    case 4: return store();
    case 5: return uniformStatementInside();
    case 6:
    case 7:
      if (levels)
        return branch(levels - 1);
      return assign();
    case 8:
      if (levels)
        return loop(levels - 1);
      return assign();
    case 9:
      if (levels)
        return choice(levels - 1);
      return store();
    case 10: return sumOfShared();
    default: return store();
    }
  }

  void uniformStatementInside() {
    if (depth == 1)
      uniformStatement();
    else
      assign();
  }

  void declare() {
    if (chance(15)) {
      std::string array = fresh("a");
      line(fmt::format("unsigned {}[3] = {{{}, {}}};", array, expression(1), expression(1)));
      arrays.push_back(array);
      return;
    }
    std::string first = fresh("v"), second = fresh("v");
    if (chance(25)) {
      line(fmt::format("unsigned {} = {}, {} = {};", first, expression(2), second, expression(1)));
      locals.push_back(second);
    } else if (chance(20)) {
      line(fmt::format("const unsigned {} = {};", first, expression(2)));
      constants.push_back(first); // stays in scope where it is read: see `assign`
      constants.pop_back();
      readOnly.push_back(first);
      locals.push_back(first);
      return;
    } else {
      line(fmt::format("unsigned {} = {};", first, expression(2)));
    }
    locals.push_back(first);
  }

  std::string assignable() {
    std::vector<std::string> list;
    for (const std::string &local : locals)
      if (local[0] == 'v' && std::find(readOnly.begin(), readOnly.end(), local) == readOnly.end())
        list.push_back(local);
    for (const std::string &array : arrays)
      list.push_back(array + "[" + std::to_string(pick(3)) + "]");
    return list.empty() ? "out[g]" : one(list);
  }

  void assign() {
    static const std::vector<std::string> operators = {"=", "+=", "^=", "*=", "-="};
    line(fmt::format("{} {} {};", assignable(), one(operators), expression(2)));
  }

  void store() {
    unsigned array = pick(2);
    if (modes[array] == Mode::Own)
      line(fmt::format("s{}[t] {} {};", array, chance(50) ? "=" : "+=", expression(2)));
    else
      line(fmt::format("out[g] += {};", expression(2)));
  }

  void branch(unsigned levels) {
    bool hasElse = chance(40);
    block(
        fmt::format("if ({} % 3u == {}u) {{", expression(1), pick(3)), [&] { statement(levels, false); },
        hasElse ? "} else {" : "}");
    if (hasElse) {
      ++depth;
      statement(levels, false);
      --depth;
      line("}");
    }
  }

  void loop(unsigned levels) {
    std::string counter = fresh("j");
    block(
        fmt::format("for (unsigned {} = 0; {} < {} % 5u; ++{}) {{", counter, counter, expression(1), counter),
        [&] {
          inLoop.push_back(counter);
          if (chance(30))
            line(fmt::format("if ({} % 4u == {}u) {};", expression(1), pick(4),
                             chance(50) ? "continue" : "break"));
          statement(levels, false);
          if (chance(6))
            line(fmt::format("if ({} % 9u == 0u) {{ out[g] ^= {}; return; }}", expression(1), expression(1)));
          inLoop.pop_back();
        });
  }

  void choice(unsigned levels) {
    block(fmt::format("switch ({} % 3u) {{", expression(1)), [&] {
      line("case 0:");
      statement(levels, false);
      line("break;");
      line("case 1:");
      statement(levels, false);
      line("default:");
      statement(0, false);
    });
  }

  void sumOfShared() {
    unsigned array = pick(2);
    std::string variable = assignable();
    if (variable != "out[g]" && chance(30))
      return sumOfOwnShare(variable);
    if (modes[array] == Mode::Own || variable == "out[g]")
      return assign();
    std::string counter = fresh("j");
    line(fmt::format("for (unsigned {} = 0; {} < {}; ++{})", counter, counter, 2 + pick(8), counter));
    line(fmt::format("  {} += s{}[{}] * {};", variable, array, counter, expression(1)));
  }

  /// Each thread goes through its share of the input, by the block or by the grid.
  void sumOfOwnShare(const std::string &variable) {
    std::string counter = fresh("j");
    bool ofGrid = chance(50);
    line(fmt::format("for (unsigned {} = {}threadIdx.x; {} {} {}; {} += {}) {{", counter,
                     ofGrid ? "blockIdx.x * blockDim.x + " : "", counter, chance(20) ? "<=" : "<",
                     100 + pick(200), counter, ofGrid ? "gridDim.x * blockDim.x" : "blockDim.x"));
    line(fmt::format("  {} {} in[{}] * {};", variable, chance(50) ? "+=" : "^=", counter, expression(1)));
    line("}");
  }

  std::string leaf() {
    std::vector<std::string> leaves = {std::to_string(pick(20)) + "u",
                                       "threadIdx.x",
                                       "blockDim.x",
                                       "n",
                                       "blockIdx.x",
                                       "in[g]",
                                       fmt::format("in[(g + {}u) % {}u]", pick(50), threads())};
    if (blockY > 1)
      leaves.push_back("threadIdx.y");
    for (const auto *list : {&locals, &locals, &uniforms, &constants, &inLoop})
      leaves.insert(leaves.end(), list->begin(), list->end());
    for (const std::string &array : arrays)
      leaves.push_back(array + "[" + std::to_string(pick(3)) + "]");
    for (unsigned i = 0; i < 2; ++i) {
      std::string any = fmt::format("s{}[(t + {}u) % {}u]", i, pick(threads()), threads());
      leaves.push_back(modes[i] == Mode::All ? any : fmt::format("s{}[t]", i));
      if (modes[i] == Mode::All)
        leaves.push_back(fmt::format("s{}[{}]", i, pick(threads())));
    }
    return one(leaves);
  }

  std::string expression(unsigned levels) {
    if (levels == 0 || chance(25))
      return leaf();
    if (chance(8))
      return fmt::format("({} < {} ? {} : {})", leaf(), leaf(), expression(levels - 1), leaf());
    if (chance(8))
      return fmt::format("{}({})", chance(50) ? "mixed" : "withIndex", expression(levels - 1));
    static const std::vector<std::string> operators = {"+", "*", "^", "-", "&", "|"};
    return fmt::format("({} {} {})", expression(levels - 1), one(operators), expression(levels - 1));
  }

  std::mt19937_64 random;
  std::string name, text;
  unsigned depth = 0, next = 0;
  bool isLarge = false;
  Mode modes[2] = {Mode::Own, Mode::Own};
  std::vector<std::string> locals, uniforms, constants, arrays, inLoop, readOnly;
};

} // namespace heddle::testing
