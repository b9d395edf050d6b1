// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::testing {

/// Writes random kernels in which a branch determines what a thread, or an iteration of a loop over items, has to
/// do: guards before it, stores before and after it, arms that fall through, are empty, loop, or end the
/// item's work.
///
/// An item touches its own elements of `out` and `marks` only, so there are no races. All arithmetic is on
/// unsigned numbers, so nothing is undefined and results are exact.
class RandomKinds {
public:
  static constexpr unsigned inputs = 1024; ///< elements of `in`
  static constexpr unsigned items = 2048;  ///< of `out` and of `marks`, at least

  RandomKinds(uint64_t seed, std::string name) : random(seed), name(std::move(name)) {}

  unsigned blockX = 64, blockY = 1, n = 0;

  std::string write() {
    static const unsigned widths[] = {32, 48, 64, 96, 128, 200};
    blockX = widths[pick(6)];
    if (chance(20))
      blockX = 16, blockY = 6;
    isLoop = chance(40);
    n = pick(isLoop ? 1500 : 3 * blockX * blockY + 20);
    line("__global__ void " + name + "(unsigned *out, unsigned *marks, const unsigned *in, unsigned n) {");
    ++depth;
    locals = {"n"};
    preamble();
    const std::string own = blockY > 1 ? "(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
                                       : "blockIdx.x * blockDim.x + threadIdx.x";
    if (isLoop) {
      line("for (unsigned g = " + own + "; g < n; g += gridDim.x * blockDim.x * blockDim.y) {");
      ++depth;
    } else {
      line("const unsigned g = " + own + ";");
      if (chance(80))
        line("if (g >= n)"), line("  return;");
    }
    locals.push_back("g");
    way(2);
    if (isLoop) {
      --depth;
      line("}");
    }
    --depth;
    line("}");
    return text;
  }

private:
  unsigned pick(unsigned bound) { return unsigned(random() % bound); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void line(const std::string &words) { text += std::string(2 * depth, ' ') + words + "\n"; }
  std::string exit() const { return isLoop ? "continue;" : "return;"; }

  void preamble() {
    if (chance(30)) {
      hasTable = true;
      line("__shared__ unsigned table[64];");
      line("for (unsigned k = threadIdx.y * blockDim.x + threadIdx.x; k < 64; k += blockDim.x * blockDim.y)");
      line("  table[k] = in[k * 3];");
      line("__syncthreads();");
    }
    if (isLoop && chance(30)) {
      line("const unsigned base = n / 3 + blockIdx.x;");
      locals.push_back("base");
    }
  }

  std::string expression(unsigned levels) {
    if (levels == 0 || chance(25))
      return chance(70) ? locals[pick(unsigned(locals.size()))] : std::to_string(pick(100)) + "u";
    const std::string a = expression(levels - 1), b = expression(levels - 1);
    switch (pick(7)) {
    case 0: return "(" + a + " + " + b + ")";
    case 1: return "(" + a + " * " + b + ")";
    case 2: return "(" + a + " ^ " + b + " >> 2)";
    case 3: return "in[" + a + " & 1023u]";
    case 4: return "mixed(" + a + ")";
    case 5: return "(" + a + " > " + b + " ? " + a + " : 7u)";
    default: return hasTable ? "table[" + a + " & 63u]" : "(" + a + " - " + b + ")";
    }
  }
  /// Something that differs from item to item.
  std::string mixedValue() { return "mixed(in[g & 1023u] + " + expression(2) + ")"; }

  std::string declared() {
    locals.push_back("v" + std::to_string(variables++));
    return locals.back();
  }
  /// A variable that may be set; empty where there is none.
  std::string settable() const { return locals.back().front() == 'v' ? locals.back() : std::string(); }

  /// A statement on the way to the branch, or after it.
  void step() {
    const std::string variable = settable();
    switch (pick(variable.empty() ? 3 : 7)) {
    case 0: {
      const std::string value = expression(2);
      return line("unsigned " + declared() + " = " + value + ";");
    }
    case 1: { // one of the two is never set, and often not needed
      const std::string a = expression(2), b = expression(1), constant = "w" + std::to_string(variables);
      const std::string other = declared();
      line("unsigned " + constant + " = " + a + ", " + other + " = " + b + ";");
      return void(locals.insert(locals.end() - 1, constant));
    }
    case 2: return line("marks[g] " + std::string(chance(50) ? "=" : "+=") + " " + expression(2) + ";");
    case 3: return line(variable + " += " + expression(2) + ";");
    case 4:
      return line("if (" + expression(2) + " & 1u)"), line("  " + variable + " ^= " + expression(1) + ";");
    case 5:
      line("for (unsigned k = 0; k < (" + expression(1) + " & 3u); ++k)");
      return line("  " + variable + " = mixed(" + variable + " + k);");
    default:
      line("if ((" + mixedValue() + " & 7u) == " + std::to_string(pick(8)) + "u)");
      return line("  " + exit());
    }
  }

  /// Statements, and the branch among them, perhaps in an `if`.
  void way(unsigned levels) {
    const std::vector<std::string> outside = locals;
    for (unsigned steps = pick(4); steps > 0; --steps)
      step();
    if (levels > 0 && chance(30)) {
      line("if ((" + mixedValue() + " & 3u) != 0u) {");
      ++depth;
      way(levels - 1);
      --depth;
      line("}");
    } else if (chance(60)) {
      choice(1);
    } else {
      chain();
    }
    for (unsigned steps = pick(3); steps > 0; --steps)
      step();
    if (chance(40))
      line("out[g] = " + expression(2) + ";");
    locals = outside;
  }

  /// What an arm does; at least a store.
  void arm(unsigned levels) {
    const std::vector<std::string> outside = locals;
    const std::string sum = "s" + std::to_string(variables++);
    line("unsigned " + sum + " = " + expression(2) + ";");
    locals.push_back(sum);
    if (chance(50)) {
      line("for (unsigned k = 0; k < 1u + (" + expression(1) + " & 7u); ++k) {");
      line("  if ((" + sum + " & 15u) == 3u)");
      line(chance(50) ? "    continue;" : "    break;");
      line("  " + sum + " = mixed(" + sum + " + k);");
      line("}");
    }
    if (chance(25))
      line("if ((" + sum + " & 3u) == 1u)"), line("  " + exit());
    if (levels > 0 && chance(20))
      choice(levels - 1);
    line(std::string(chance(70) ? "out" : "marks") + "[g] += " + sum + ";");
    locals = outside;
  }

  void choice(unsigned levels) {
    const unsigned kinds = 2 + pick(4);
    line("switch (" + mixedValue() + " % " + std::to_string(kinds + 1) + "u) {");
    for (unsigned kind = 0; kind < kinds; ++kind) {
      const bool isPlain = kind < 2; // else there might be one arm only
      if (!isPlain && kind + 1 < kinds && chance(25)) {
        line("case " + std::to_string(kind) + ":");
        continue;
      }
      if (!isPlain && chance(25)) {
        line("case " + std::to_string(kind) + ": break;");
        continue;
      }
      line("case " + std::to_string(kind) + ": {");
      ++depth;
      arm(levels);
      if (chance(80))
        line("break;");
      --depth;
      line("}");
    }
    if (chance(50)) {
      line("default: {");
      ++depth;
      arm(levels);
      --depth;
      line("}");
    }
    line("}");
  }

  void chain() {
    const unsigned arms = 2 + pick(3);
    for (unsigned i = 0; i < arms; ++i) {
      const bool isElse = i + 1 == arms && chance(60);
      line(std::string(i ? "} else " : "") +
           (isElse ? "{" : "if ((" + mixedValue() + " & 3u) == " + std::to_string(i) + "u) {"));
      ++depth;
      arm(1);
      --depth;
    }
    line("}");
  }

  std::mt19937_64 random;
  std::string name, text;
  unsigned depth = 0, variables = 0;
  bool isLoop = false, hasTable = false;
  std::vector<std::string> locals;
};

} // namespace heddle::testing
