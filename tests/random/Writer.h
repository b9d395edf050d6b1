// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes random programs that are defined by construction, so that every difference between one and what a
// directive made of it is the directive's:
//
// - all numbers are unsigned (or floating-point numbers that are exact), so nothing overflows or rounds;
// - a thread stores to its own elements of `out` and of the file's arrays, and to its own locals; what it
//   reads of memory is constant (`in`, tables), its own, or in shared memory after a barrier;
// - values have no effects, so the order of evaluation means nothing; effects are statements;
// - what decides whether the block comes to a barrier is made of uniform parts only;
// - loops have few iterations, and functions call only those written before them.
#pragma once

#include "random/Program.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>

namespace heddle::generator {

/// Something that a value can be read from, and perhaps stored to.
struct Variable {
  std::string name; ///< the word that an inner declaration can hide
  std::string text; ///< how it is read: "v1", "pair2.first", "(*p3)[1]"
  bool isUniform = false, isSettable = true;
  int depth = 0; ///< of the block that declares it
};

/// Where a value or a statement is written.
struct Scope {
  std::vector<Variable> variables;
  bool isUniform = false; ///< only what is the same for all threads of the block
  bool isKernel = false;  ///< `in`, `own`, `t` and `g` mean what they do in a kernel
  std::string readable;   ///< a shared array that all of its elements may be read of
  int nesting = 0;
};

class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) { program.seed = seed; }
  Program write();

private:
  // Chance
  unsigned pick(unsigned count) { return unsigned(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <class T> const T &one(const std::vector<T> &from) { return from[pick(unsigned(from.size()))]; }
  std::string fresh(const std::string &letter) { return letter + std::to_string(++names); }
  std::string number(unsigned below) { return std::to_string(pick(below)) + "u"; }
  /// Whether code that no call shows is not to ask which thread runs it: directives refuse what does, and two programs
  /// of three should be changed.
  bool pure() { return !hidesThread || chance(40); }
  /// Whether the directive hands the thread's index on to functions that the kernel calls.
  bool passesIndexOn() const {
    return kernelShape != KernelShape::Tiles && std::string(meant->text) != "specialize by=branch";
  }
  bool pureFunction() { return chance(passesIndexOn() ? 50 : 95); }
  void uses(const std::string &construct) { program.constructs.insert(construct); }

  /// Whether this program uses a construct at all: most use a few only, so that those that directives refuse do not
  /// keep the others from being tried.
  bool allows(const std::string &construct);
  template <class T> const T &oneAllowed(const std::vector<T> &from, const std::string &family) {
    std::vector<const T *> allowed;
    for (size_t i = 0; i < from.size(); ++i)
      if (i == 0 || allows(family + std::to_string(i)))
        allowed.push_back(&from[i]);
    return *allowed[pick(unsigned(allowed.size()))];
  }

  // Items (Items.cpp): functions and classes whose use runs implicit code
  struct ItemKind {
    const char *construct;
    Node (Writer::*make)(const std::string &name, bool isPure);
    const char *use; ///< `#` is the name, `@0` and `@1` the arguments
    /// Its code is in a function that can get another thread's index.
    bool isFunction = false;
    bool asksForThread = false; ///< pure or not
  };
  static const std::vector<ItemKind> &itemKinds();
  /// The name of an item of that kind; pure ones do not ask which thread runs them.
  std::string item(const ItemKind &kind, bool isPure);
  std::string item(const std::string &construct, bool isPure);
  /// What an item computes of its parameters.
  Node body(const std::vector<std::string> &parameters, bool isPure);
  std::string device();
  void add(const std::string &name, Node item);
  Node constructorItem(const std::string &, bool);
  Node defaultMemberItem(const std::string &, bool);
  Node defaultArgumentItem(const std::string &, bool);
  Node destructorItem(const std::string &, bool);
  Node memberDestructorItem(const std::string &, bool);
  Node conversionItem(const std::string &, bool);
  Node freeOperatorItem(const std::string &, bool);
  Node memberOperatorItem(const std::string &, bool);
  Node copyItem(const std::string &, bool);
  Node moveItem(const std::string &, bool);
  Node baseItem(const std::string &, bool);
  Node virtualItem(const std::string &, bool);
  Node pointerItem(const std::string &, bool);
  Node rangeItem(const std::string &, bool);
  Node bindingItem(const std::string &, bool);
  Node lambdaItem(const std::string &, bool);
  Node staticLocalItem(const std::string &, bool);
  Node ownStaticItem(const std::string &, bool);
  Node placementItem(const std::string &, bool);
  Node variadicItem(const std::string &, bool);
  Node constexprIfItem(const std::string &, bool);
  Node templateItem(const std::string &, bool);
  Node methodItem(const std::string &, bool);
  Node staticMethodItem(const std::string &, bool);
  Node constantItem(const std::string &, bool);
  Node stateItem(const std::string &, bool);
  Node recursionItem(const std::string &, bool);
  Node localClassItem(const std::string &, bool);
  Node temporaryItem(const std::string &, bool);
  Node arrayOfObjectsItem(const std::string &, bool);
  Node plainItem(const std::string &, bool);

  // Values (Values.cpp): what they are made of, and leaves
  Node value(const Scope &scope, int depth);
  Node uniform(const Scope &scope, int depth);
  Node leaf(const Scope &scope);
  Node threadLeaf();
  Node viaFunction(const Scope &scope, int depth);
  Node viaItem(const ItemKind &kind, const Scope &scope, int depth);
  Node floating(const Scope &scope, int depth);
  Node inlineLambda(const Scope &scope, int depth);

  // Statements of one thread (Statements.cpp, Declarations.cpp, Objects.cpp)
  using Statement = Node (Writer::*)(Scope &);
  Node statements(Scope scope, unsigned most);
  void statements(Scope &scope, unsigned most, std::vector<Node> &to);
  Node statement(Scope &scope);
  Node assignment(Scope &scope);
  Node store(Scope &scope);
  Node branch(Scope &scope);
  Node branchWithInit(Scope &scope);
  Node shortBranch(Scope &scope);
  Node choice(Scope &scope);
  Node dispatch(Scope &scope);
  Node loop(Scope &scope);
  Node whileLoop(Scope &scope);
  Node block(Scope &scope);
  Node atomic(Scope &scope);
  Node assembly(Scope &scope);
  Node registerRead(Scope &scope);
  Node declaration(Scope &scope);
  Node plainDeclaration(Scope &scope);
  Node severalDeclarators(Scope &scope);
  Node enumInPlace(Scope &scope);
  Node structInPlace(Scope &scope);
  Node pointerToFunction(Scope &scope);
  Node pointerToArray(Scope &scope);
  Node localArray(Scope &scope);
  Node reference(Scope &scope);
  Node deduced(Scope &scope);
  Node constMember(Scope &scope);
  Node noDefault(Scope &scope);
  Node localAlias(Scope &scope);
  Node binding(Scope &scope);
  Node volatileLocal(Scope &scope);
  Node object(Scope &scope);
  Node objectWithEffects(Scope &scope);
  Node lambda(Scope &scope);
  Node rangeFor(Scope &scope);
  Node virtualCall(Scope &scope);
  Node placement(Scope &scope);
  Node operatorObject(Scope &scope);
  Node ownState(Scope &scope);
  std::string effectClass();

  // Statements of the whole block (BlockStatements.cpp)
  Node blockStatement(Scope &scope, int depth);
  Node blockStatements(Scope scope, unsigned most, int depth);
  void blockStatements(Scope &scope, unsigned most, int depth, std::vector<Node> &to);
  std::string barrier();
  Node exchange(Scope &scope);
  Node exchangeByFunction(Scope &scope);
  Node onePublishes(Scope &scope);
  Node tree(Scope &scope);
  Node vote(Scope &scope);
  Node shuffle(Scope &scope);
  Node blockLoop(Scope &scope, int depth);
  Node blockWhile(Scope &scope, int depth);
  Node blockBranch(Scope &scope, int depth);
  Node blockSwitch(Scope &scope, int depth);
  Node blockScope(Scope &scope, int depth);

  // Loops for the directives on loops (LoopNests.cpp)
  Node loopNest(Scope &scope);
  Node nestForUnrollJam(Scope &scope);
  Node nestForInterchange(Scope &scope);
  Node loopsForFuse(Scope &scope);
  Node loopForDistribute(Scope &scope);
  Node nestStatement(Scope &scope, const std::vector<std::string> &counters);
  std::string element(const std::vector<std::string> &counters);

  // Kernels and launches (Kernels.cpp, Tiles.cpp)
  using Shape = KernelShape;
  bool isForBlock() const { return kernelShape == Shape::Block || kernelShape == Shape::Tree; }
  void kernel();
  Scope kernelStart(std::vector<Node> &to);
  Node kernelOf(std::vector<Node> body);
  bool wantsLayout() const { return std::string(meant->text).find("via=layout") != std::string::npos; }
  void threadStatements(Scope &scope, std::vector<Node> &to);
  void secondKernel();
  void launches();
  void tileLoop(Scope &scope, std::vector<Node> &to);
  std::string launchOf(const std::string &name);

  // Directives (Directives.cpp)
  void chooseDirective();
  void directives();
  std::string directiveOf(const DirectiveForm &from);
  std::string pragma(const std::string &directive);

  // What the seed promises (Features.cpp)
  using Nest = Node (Writer::*)(Scope &, int depth);
  struct Feature {
    const char *allows; ///< what the program may use then; of an item its construct
    Statement statement = nullptr;
    Statement blockStatement = nullptr;
    Nest blockNest = nullptr;
  };
  static const std::vector<Feature> &features();
  bool isRefusedHere(const Feature &feature) const;
  std::optional<Node> featured(Scope &scope);
  /// The same among others.
  void feature(Scope &scope, std::vector<Node> &to) {
    if (std::optional<Node> one = featured(scope))
      to.push_back(std::move(*one));
  }

  // Names
  /// A name for a new variable; now and then one that hides another. It can be used from `declare` on.
  std::string newName(Scope &scope, const std::string &letter = "v");
  void hide(Scope &scope, const std::string &name);
  void declare(Scope &scope, const std::string &name, std::string text = {}, bool isSettable = true,
               bool isUniform = false);
  /// The same for a variable in the head of a statement, which the statement's own block cannot declare again.
  void declareInHead(Scope &scope, const std::string &name, std::string text, bool isSettable,
                     bool isUniform = false);
  std::vector<Variable> settable(const Scope &scope) const;

  unsigned threads() const { return shape[0] * shape[1] * shape[2]; }
  std::string flatThread() const;

  std::mt19937_64 random;
  unsigned names = 0;
  Program program;
  std::vector<Node> items;
  struct Made {
    std::string construct, name;
    bool isPure;
  };
  std::vector<Made> made;
  int itemDepth = 0;
  std::map<std::string, bool> palette;

  // Of the kernel
  const DirectiveForm *meant = nullptr;
  Shape kernelShape = Shape::Block;
  std::array<unsigned, 3> shape = {64, 1, 1};
  bool isPlain = false, hidesThread = false, isTemplate = false, hasShared = false, isAliased = false,
       isRestrict = false, isReadOnly = false;
  std::vector<std::string> sharedArrays;
  std::string tileParameters, tileArguments, tilesBeforeLaunch;
};

} // namespace heddle::generator
