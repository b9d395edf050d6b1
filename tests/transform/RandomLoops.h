// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::testing {

/// Writes random kernels for the loop directives, each with one loop (or branch) that the directive is for:
/// loops of all forms, subscripts that collide in all ways, values that go from one iteration to another or
/// do not, floating-point sums whose order shows.
///
/// Each thread has a stretch of every array to itself. Where pointers are not __restrict__ the arrays really
/// overlap when the kernel is run.
class RandomLoops {
public:
  static constexpr int stretch = 1024; ///< elements of each array that a thread has to itself

  RandomLoops(uint64_t seed, std::string name) : random(seed), name(std::move(name)) {}

  std::string directive;
  bool overlaps = false;   ///< `b` is to point a few elements into `a`
  unsigned targetLine = 0; ///< lines before the loop or branch

  std::string write() {
    overlaps = chance(15);
    isTame = chance(60);
    const char *restricted = overlaps ? "" : "__restrict__ ";
    line(fmt::format("__global__ void {}(unsigned *{}a, unsigned *{}b, const unsigned *__restrict__ c, "
                     "float *__restrict__ f, int n) {{",
                     name, restricted, restricted));
    ++depth;
    line(fmt::format("const int base = (blockIdx.x * blockDim.x + threadIdx.x) * {};", stretch));
    line("unsigned total = 1u, kept = n * 3u;");
    line("float sum = 0.25f;");
    line("unsigned near[32];");
    line("for (int z = 0; z < 32; ++z)");
    line("  near[z] = c[base + z];");
    scalars = {"kept", "(unsigned)n"};
    switch (pick(5)) {
    case 0: unrollJam(); break;
    case 1: interchange(); break;
    case 2: fuse(); break;
    case 3: distribute(); break;
    default: branchless(); break;
    }
    line("for (int z = 0; z < 32; ++z)");
    line("  a[base + 900 + z] = near[z];");
    line("a[base + 950] = total;");
    line("a[base + 951] = kept;");
    line("f[base + 900] = sum;");
    --depth;
    line("}");
    return text;
  }

private:
  unsigned pick(unsigned count) { return unsigned(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <class T> const T &one(const std::vector<T> &list) { return list[pick(unsigned(list.size()))]; }
  void line(const std::string &words) {
    text += std::string(depth * 2, ' ') + words + "\n";
    ++lines;
  }
  void target() { targetLine = lines; }

  // Loops

  /// A loop's head over values from 0 to 14.
  std::string head(const std::string &i) {
    if (!counters.empty() && chance(8)) // not over the same values each time
      return fmt::format("for (int {} = 0; {} < {}; ++{})", i, i, one(counters), i);
    std::string bound = chance(50) ? "n" : std::to_string(3 + pick(10));
    switch (pick(isTame ? 9 : 10)) {
    case 0: return fmt::format("for (int {} = 1; {} <= {}; {} += {})", i, i, bound, i, 1 + pick(3));
    case 1: return fmt::format("for (int {} = {}; {} > 0; --{})", i, bound, i, i);
    case 2: return fmt::format("for (int {} = {} - 1; {} >= 0; {} -= {})", i, bound, i, i, 1 + pick(2));
    case 3: return fmt::format("for (int {} = 0; {} != {}; ++{})", i, i, bound, i);
    case 4: return fmt::format("for (unsigned {} = 0; {} < {}; ++{})", i, i, bound, i);
    case 9: return fmt::format("for (int {} = 0; {} < n; {} += blockDim.x)", i, i, i);
    case 5: return fmt::format("for (long long {} = 0; {} < {}; {} = {} + 2)", i, i, bound, i, i);
    default: return fmt::format("for (int {} = 0; {} < {}; ++{})", i, i, bound, i);
    }
  }
  template <class Body> void loop(const std::string &i, const std::string &how, Body body) {
    line(how + " {");
    counters.push_back(i);
    size_t inSight = scalars.size();
    ++depth;
    body();
    --depth;
    scalars.resize(inSight);
    counters.pop_back();
    line("}");
  }

  // Values

  /// An element's number: at least 0, at most 700.
  std::string subscript() {
    if (counters.empty() || chance(5))
      return std::to_string(pick(300));
    std::string i = one(counters), j = one(counters);
    int offset = 100 + int(pick(4));
    switch (pick(isTame ? 7 : 8)) {
    case 7: return fmt::format("{} * n + {}", i, j);
    case 1: return fmt::format("{} * 16 + {} + {}", i, j, pick(3));
    case 2: return fmt::format("{} - {} + {}", i, j, offset);
    case 3: return fmt::format("{} * {} + {}", i, 1 + pick(3), offset);
    case 4: return fmt::format("{} - {} * {}", offset, i, 1 + pick(2));
    case 5: return fmt::format("({} + {}) % {}", i, pick(5), 2 + pick(12));
    case 6: return fmt::format("(({} * {} + {}) & 15) + {}", i, 1 + pick(6), j, offset);
    default: return fmt::format("{} + {}", i, offset);
    }
  }
  /// An element to be written: in a tame kernel another one in each iteration.
  std::string written() {
    if (!isTame)
      return element();
    if (counters.empty())
      return fmt::format("a[base + {}]", subscript());
    std::string place = counters.front();
    for (size_t i = 1; i < counters.size(); ++i)
      place = fmt::format("({}) * 16 + {}", place, counters[i]);
    return fmt::format("a[base + {}]", counters.size() > 2 ? subscript() : place);
  }
  std::string element() {
    if (isTame && chance(80))
      return fmt::format("{}[base + {}]", overlaps ? "c" : "b", subscript());
    static const std::vector<std::string> arrays = {"a", "b", "b", "a", "near"};
    std::string array = one(arrays);
    return array == "near" ? fmt::format("near[({}) & 31]", subscript())
                           : fmt::format("{}[base + {}]", array, subscript());
  }
  std::string value(unsigned size = 2) {
    if (size == 0 || chance(20))
      switch (pick(4)) {
      case 0: return fmt::format("c[base + {}]", subscript());
      case 1: return counters.empty() ? "7u" : fmt::format("(unsigned){}", one(counters));
      case 2: return one(scalars);
      default: return element();
      }
    static const std::vector<std::string> operators = {"+", "^", "-", "*"};
    return fmt::format("({} {} {})", value(size - 1), one(operators), value(size - 1));
  }

  // Statements

  void assign() { line(fmt::format("{} {} {};", written(), chance(70) ? "=" : "+=", value())); }
  void statement() {
    switch (pick(isTame ? 40 : 14)) {
    case 0: return line(fmt::format("total = total * 3u + {};", value(1)));
    case 1: return line(fmt::format("sum += f[base + {}];", subscript()));
    case 2: return line(fmt::format("f[base + {}] += f[base + {}];", subscript(), subscript()));
    case 3:
      line(fmt::format("if ({} > {})", value(1), value(0)));
      ++depth;
      assign();
      --depth;
      return;
    case 4:
    case 5: {
      std::string fresh = "t" + std::to_string(next++);
      line(fmt::format("unsigned {} = {};", fresh, value()));
      scalars.push_back(fresh);
      return;
    }
    case 6: return line(fmt::format("atomicAdd(&a[base + {}], {});", subscript(), value(1)));
    case 7:
    case 8: return line(fmt::format("f[base + {}] += f[base + {}];", 500 + 16 * int(pick(3)), subscript()));
    default: return assign();
    }
  }
  void statements(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      statement();
  }
  /// A sum of its own over the loop inside: what unroll-jam is for.
  void ownSum(const std::string &j) {
    std::string own = "s" + std::to_string(next++);
    line(fmt::format("float {} = f[base + {}];", own, subscript()));
    loop(j, head(j), [&] {
      line(fmt::format("{} += f[base + {}];", own, subscript()));
      statements(pick(2));
    });
    line(fmt::format("f[base + {}] = {};", 500 + 20 * int(pick(3)), own));
    if (chance(50))
      line(fmt::format("f[base + 600 + {}] = {};", one(counters), own));
  }

  // Directives

  void unrollJam() {
    directive = fmt::format("unroll-jam factor={}", 2 + pick(4));
    target();
    loop("i", head("i"), [&] {
      statements(pick(2));
      if (chance(40))
        ownSum("j");
      else
        loop("j", head("j"), [&] {
          statements(1 + pick(2));
          if (chance(20))
            loop("k", head("k"), [&] { statements(1); });
        });
      statements(pick(2));
    });
  }
  void interchange() {
    directive = "interchange";
    target();
    loop("i", head("i"), [&] { loop("j", head("j"), [&] { statements(1 + pick(2)); }); });
  }
  void fuse() {
    directive = "fuse";
    target();
    std::string same = head("@");
    auto over = [&](const char *variable) {
      std::string words = same;
      for (size_t at; (at = words.find('@')) != std::string::npos;)
        words.replace(at, 1, variable);
      return words;
    };
    loop("i", over("i"), [&] { statements(1 + pick(3)); });
    loop("j", chance(90) ? over("j") : head("j"), [&] { statements(1 + pick(3)); });
  }
  void distribute() {
    directive = "distribute";
    target();
    loop("i", head("i"), [&] {
      if (chance(40)) {
        line("int at = base + i * 2 + 100;");
        line("a[at] = c[at] + 1u;");
      }
      statements(2 + pick(3));
      if (chance(30))
        loop("j", head("j"), [&] { statements(1); });
    });
  }
  void branchless() {
    directive = "branchless";
    bool inLoop = chance(70);
    auto branch = [&] {
      std::string shared = fmt::format("{}[base + {}]", chance(50) ? "a" : "b", subscript());
      line(fmt::format("unsigned x = {}, y = {};", value(1), value(1)));
      line(fmt::format("unsigned was = {};", shared));
      scalars.insert(scalars.end(), {"x", "y", "was"});
      target();
      line(
          fmt::format("if ({} {} {}) {{", value(1), chance(50) ? ">" : "!=", chance(50) ? shared : value(0)));
      bool stores = chance(40);
      auto side = [&] {
        ++depth;
        for (unsigned i = 0; i < 1 + pick(2); ++i)
          switch (pick(4)) {
          case 0: line(fmt::format("x {} {};", chance(50) ? "=" : "+=", safe(shared))); break;
          case 1: line(fmt::format("y = {};", safe(shared))); break;
          case 2: line(fmt::format("total ^= {};", safe(shared))); break;
          default:
            line(fmt::format("unsigned w{} = {};", next, safe(shared)));
            line(fmt::format("x = w{} + y;", next++));
          }
        if (stores)
          line(fmt::format("{} = {};", shared, safe(shared)));
        --depth;
      };
      side();
      if (stores || chance(60)) {
        line("} else {");
        side();
      }
      line("}");
      line("a[base + 960] = x;");
      line("a[base + 961] += y;");
    };
    if (inLoop)
      loop("i", head("i"), branch);
    else
      branch();
  }
  /// A value for a side of a branch: mostly of what is there in any case.
  std::string safe(const std::string &shared) {
    std::string pieces[] = {"x", "y", "was", "kept", shared, chance(20) ? element() : "5u"};
    static const std::vector<std::string> operators = {"+", "^", "-", "*", "/"};
    const std::string &op = one(operators);
    return fmt::format("{} {} {}", pieces[pick(6)], op, op == "/" && chance(70) ? "3u" : pieces[pick(6)]);
  }

  std::mt19937_64 random;
  std::string name, text;
  unsigned depth = 0, next = 0, lines = 0;
  std::vector<std::string> counters, scalars;
  bool isTame = false; ///< mostly writes what no other thread accesses, so that directives are seldom refused
};

} // namespace heddle::testing
