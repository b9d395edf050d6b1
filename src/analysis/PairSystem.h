// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "analysis/Isl.h"
#include "analysis/Order.h"

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::analysis {

/// A formula over the integer unknowns of two access instances, before isl sees it.
struct Formula {
  enum class Kind { AtLeast, Equal, And, Or } kind = Kind::And;
  LinearForm form;
  std::vector<Formula> parts;

  static Formula always() { return {}; }
  static Formula never() { return {Kind::Or, {}, {}}; }
  static Formula atLeast(LinearForm form) { return {Kind::AtLeast, std::move(form), {}}; }
  static Formula equal(LinearForm form) { return {Kind::Equal, std::move(form), {}}; }
  static Formula all(std::vector<Formula> parts) { return {Kind::And, {}, std::move(parts)}; }
  static Formula any(std::vector<Formula> parts) { return {Kind::Or, {}, std::move(parts)}; }
};

LinearForm operator-(const LinearForm &a, const LinearForm &b);
/// form < 0, and form != 0.
Formula below(const LinearForm &form);
Formula differs(const LinearForm &form);

/// Whose two instances of accesses are looked at: those of any two threads of a block, or of one thread.
enum class Threads { Any, Same };

/// The unknowns of two instances of accesses, by threads p (side 0) and q (side 1) of one block, and what is
/// known of them. Parameters, blockIdx and similar values are the same for both; thread indices and iterations
/// are not, save that one thread has one index.
class PairSystem {
public:
  /// `equalLoops`: loops known to be in the same iteration for both, so what varies only in them is the same
  /// too.
  PairSystem(const Accesses &accesses, const std::vector<const Loop *> &equalLoops,
             Threads threads = Threads::Any);

  LinearForm thread(unsigned side, unsigned dimension) const;
  /// A polynomial's value for one side. Products become unknowns of their own.
  LinearForm linear(const Polynomial &form, unsigned side);
  LinearForm counter(const Loop *loop, unsigned side);
  Formula formula(const Condition &condition, unsigned side);
  /// Block size, guards and loop counts of the access. Sets `sawUnknown` where a guard is not known.
  Formula domain(const Access &access, unsigned side, bool &sawUnknown);
  /// Each subscript is inside its dimension of a declared array.
  Formula insideRows(const Access &access, unsigned side);
  /// The same for a pointer's element written as `row * 256 + place`: 0 <= place < 256. Nothing to say (no
  /// parts) for any other form.
  Formula insideWrittenRows(const Access &access, unsigned side);
  Formula relation(const RegionPair &pair);
  Formula threadsDiffer();
  Formula threadOrder(); ///< p comes before q in linear thread order
  Formula warpsDiffer();
  /// Everything known of the unknowns made so far: bounds, floors. Ask last.
  Formula facts();

  IslSet solve(const Formula &formula, const IslContext &context) const;
  /// The product has the same value on both sides.
  bool isShared(const Monomial &monomial) const;

private:
  struct Conjunction {
    std::vector<LinearForm> equalities, inequalities;
    std::vector<const Formula *> choices;
  };
  void flatten(const Formula &formula, Conjunction &into) const;
  LinearForm of(unsigned dimension, int64_t coefficient) const;
  unsigned dimensionFor(const Monomial &monomial, unsigned side);
  bool isShared(const Symbol &symbol) const;

  const Accesses &accesses;
  std::vector<const Loop *> equalLoops;
  Threads threads;
  std::map<std::pair<unsigned, Monomial>, unsigned> dimensions;
  std::vector<Formula> known;
  unsigned count = 6; ///< p.x p.y p.z q.x q.y q.z come first
};

} // namespace heddle::analysis
