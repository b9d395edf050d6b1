// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of random kernels that no other statement is inside of.
#pragma once

#include "vm/RandomOperation.h"
#include "vm/RandomPtx.h"

#include <fmt/format.h>

#include <initializer_list>
#include <random>
#include <utility>

namespace heddle::vm::test {

constexpr unsigned SharedBytes = 1024, LocalBytes = 64, ConstantBytes = 64;
constexpr unsigned Temporaries = 64, Singles = 24, Counters = 48;

/// Appends statements to a body that a derived class chooses.
class RandomStatements {
protected:
  explicit RandomStatements(uint64_t seed) : random(seed) {}

  // --- drawing

  unsigned upTo(unsigned count) { return unsigned(random() % count); }
  bool oneIn(unsigned count) { return upTo(count) == 0; }
  std::string oneOf(std::initializer_list<const char *> all) {
    return std::data(all)[upTo(unsigned(all.size()))];
  }
  std::string reg(unsigned bits, bool isFloat = false) { return randomRegister(random, bits, isFloat); }
  std::string word() { return reg(32); }
  std::string uniform() { return fmt::format("%u{}", upTo(3)); }
  std::string single() { return singles ? fmt::format("%s{}", upTo(singles)) : "%i0"; }
  std::string wideSingle() { return wideSingles ? fmt::format("%w{}", upTo(wideSingles)) : "%m"; }
  /// A 32-bit operand.
  std::string operand() {
    return oneIn(4)   ? randomConstant(random, 32, false)
           : oneIn(3) ? single()
           : oneIn(6) ? uniform()
           : oneIn(6) ? fmt::format("%i{}", upTo(2))
                      : word();
  }
  std::string temporary(char letter) { return fmt::format("%{}{}", letter, temporaries++ % Temporaries); }
  std::string counter() { return fmt::format("%c{}", counters++ % Counters); }
  std::string label() { return fmt::format("L{}", labels++); }

  // --- writing

  template <class... T> void line(fmt::format_string<T...> text, T &&...values) {
    out->push_back({fmt::format(text, std::forward<T>(values)...) + "\n", {}});
  }
  template <class F> std::vector<Statement> body(F &&write) {
    std::vector<Statement> made;
    std::vector<Statement> *before = std::exchange(out, &made);
    write();
    out = before;
    return made;
  }
  void compound(std::string text, std::vector<std::vector<Statement>> bodies) {
    out->push_back({std::move(text), std::move(bodies)});
  }

  // --- simple statements

  /// "@%p1 ", now and then.
  std::string guard();
  /// A predicate, or its negation. `isUniform`: the same in all threads of the block.
  std::string condition(bool isUniform = false);
  std::string special();
  void plain();
  void operations();
  void other();
  void access(bool isStore);
  void atomic();
  void exchange(bool isTogether);
  void index();
  void count();

  std::mt19937_64 random;
  bool hasFaults = false;  ///< now and then an address outside, or a barrier that not all threads reach
  bool inFunction = false; ///< not in the kernel
  bool isFlow = false;     ///< mostly control flow, with little in between
  bool isPlain =
      false; ///< only what compiled code does by itself, so that lanes stay in it while they are apart
  unsigned singles = 0, wideSingles = 0;

private:
  enum class Memory : uint8_t { Global, Shared, GenericGlobal, GenericShared, Local, Constant };
  static std::string nameOf(Memory memory);
  void carry();
  void parts();
  std::string address(Memory memory, unsigned bytes);
  std::string addressAt(Memory memory, const std::string &index, unsigned offset);

  std::vector<Statement> *out = nullptr;
  unsigned temporaries = 0, counters = 0, labels = 0;
};

} // namespace heddle::vm::test
