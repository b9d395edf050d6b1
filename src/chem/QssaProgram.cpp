// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three stages of QssaProgram.h, each a function of what the ones before returned:
//
//   begin        rate constants of every reaction (Step), which of them are kept, and what stage 3 will want of
//                species (KeptValues)
//   balancesOf   which sums the balances of quasi-steady and stiff species are made of (Balances)
//   contribute   stage 1: rates into these sums, and reactions that are done at once (KeptConstants)
//   Stage2       the elimination over sums, damping factors, and values for stage 3
//   Stage3       rates once more, with quasi-steady and damped values
//
// All of them write operations into one flow::Builder, in this order; sums that go from one stage to the next are
// its inner sums. An operation of a later stage may read sums of an earlier one, and nothing else of it.
#include "chem/QssaProgram.h"

#include "chem/ProgramContext.h"
#include "chem/QssaValues.h"
#include "chem/Stiffness.h"
#include "flow/Cost.h"

#include <algorithm>
#include <tuple>

namespace heddle::chem {

using flow::Expr;

namespace {

/// Rate constants that go from stage 1 to stage 3.
struct KeptConstants {
  std::optional<unsigned> forward, reverse; ///< sums; the same one where the constants are
};

/// Zero where x is.
Expr reciprocalOrZero(const Expr &x) {
  if (x.get().isConstant())
    return x.get().is(0) ? Expr(0.0) : reciprocal(x);
  return ifPositive(max(x, 0.0 - x), reciprocal(x), 0.0);
}

// ---- rate constants, in stages 1 and 3

template <class ScaleOf>
WayConstants constantsOf(ProgramContext &context, const Reaction &reaction, ScaleOf scaleOf) {
  const ColliderValues collider =
      reaction.collider ? context.colliderOf(*reaction.collider) : ColliderValues();
  const Expr factor = reaction.collider && !reaction.isFalloff() ? collider.concentration : Expr(1.0);
  const Expr k = rateExpression(context, reaction.rate, collider) * factor;
  if (context.goesByActivities(reaction)) {
    const Expr both = k * productOf(reaction.reactants, scaleOf);
    return {both, both};
  }
  switch (reaction.reverse) {
  case Reverse::None: return {k, 0.0};
  case Reverse::Equilibrium: return {k, k * exp2(context.logReciprocalEquilibrium(reaction))};
  case Reverse::Explicit: return {k, rateExpression(context, *reaction.reverseRate, collider) * factor};
  }
  return {0.0, 0.0};
}

bool areAlike(const WayConstants &constants) { return constants[0].get() == constants[1].get(); }

WayConstants named(flow::Builder &b, WayConstants constants, const std::string &name) {
  b.named(name, constants[0]);
  if (!areAlike(constants))
    b.named(name + "r", constants[1]);
  return constants;
}

void addToResults(flow::Builder &b, const Reaction &reaction, const Expr &rate, const SpeciesRoles &roles) {
  std::map<unsigned, double> change;
  for (const Term &term : reaction.products)
    change[term.species] += term.value;
  for (const Term &term : reaction.reactants)
    change[term.species] -= term.value;
  for (const auto &[species, coefficient] : change)
    if (!roles.stiff.empty() || !roles.isQuasiSteady(species))
      b.add(species, coefficient, rate);
}

// ---- stage 1

/// The step with its rate constants, whether they are kept, and without ways that never go.
Step withConstants(Step step, ProgramContext &context, unsigned keepFrom) {
  const Reaction &reaction = *step.reaction;
  flow::Builder &b = context.builder;
  context.prepare(reaction);
  b.begin("constants of " + reaction.equation);
  const auto scaleOf = [&](unsigned species) { return context.thermoOf(species).scale; };
  step.constants = named(b, constantsOf(context, reaction, scaleOf), "k" + step.number);
  std::erase_if(step.ways, [&](const Way &way) { return step.constantOf(way).get().is(0); });
  step.isDoneAtOnce =
      std::ranges::all_of(step.ways, [](const Way &way) { return !way.factor && way.damped.empty(); });
  step.isKept = !step.isDoneAtOnce && flow::instructionsOf(b.current()) >= keepFrom;
  return step;
}

struct Beginning {
  std::vector<Step> steps;
  KeptValues kept;
};

Beginning begin(std::vector<Step> steps, const SpeciesRoles &roles, ProgramContext &context, SumNames &names,
                unsigned keepFrom) {
  WantedValues wanted(roles, context, names);
  for (Step &step : steps) {
    step = withConstants(std::move(step), context, keepFrom);
    if (!step.isDoneAtOnce)
      wanted.add(step);
  }
  return {std::move(steps), std::move(wanted).take()};
}

/// A sum of the program for each of the balances'.
std::vector<unsigned> addSums(const Balances &balances, ProgramContext &context, SumNames &names) {
  static constexpr const char *const prefixes[] = {"net_", "K_", "D_"};
  std::vector<unsigned> sums;
  for (const BalancePart &part : balances.sums)
    sums.push_back(context.builder.addInnerSum(
        names.own(prefixes[size_t(part.balance)] + context.identifiers[part.species] +
                  (part.factor ? "_by_" + context.identifiers[*part.factor] : ""))));
  return sums;
}

/// The rate with every quasi-steady activity, or concentration where there is no activity, set to 1.
Expr unitRate(const Step &step, const Way &way, const SpeciesRoles &roles, ProgramContext &context) {
  const bool byActivity = context.goesByActivities(*step.reaction);
  return step.constantOf(way) * productOf(*way.direction.orders, [&](unsigned species) -> Expr {
           if (roles.isQuasiSteady(species))
             return byActivity || !context.hasScale(species) ? Expr(1.0) : context.thermoOf(species).scale;
           return byActivity ? context.thermoOf(species).activity : context.concentrationOf(species);
         });
}

/// Directions that have the same constant share the sum.
KeptConstants keepConstants(const Step &step, flow::Builder &b, SumNames &names) {
  KeptConstants kept;
  for (const Way &way : step.ways) {
    const bool forward = way.direction.forward;
    std::optional<unsigned> &mine = forward ? kept.forward : kept.reverse;
    const std::optional<unsigned> &other = forward ? kept.reverse : kept.forward;
    if (areAlike(step.constants) && other) {
      mine = other;
      continue;
    }
    mine = b.addInnerSum(names.own((forward ? "const" : "constr") + step.number));
    b.add(*mine, 1, step.constantOf(way));
  }
  return kept;
}

/// Adds up the balances, and finishes the reactions that are done at once. Returns a row for each step.
std::vector<KeptConstants> contribute(const std::vector<Step> &steps, const Balances &balances,
                                      const std::vector<unsigned> &sums, const SpeciesRoles &roles,
                                      ProgramContext &context, SumNames &names) {
  flow::Builder &b = context.builder;
  std::vector<KeptConstants> kept(steps.size());
  size_t wayNumber = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step &step = steps[s];
    if (step.ways.empty())
      continue;
    b.begin(step.reaction->equation);
    Expr net = 0.0;
    std::vector<Expr> rates;
    for (const Way &way : step.ways) {
      rates.push_back(unitRate(step, way, roles, context));
      for (const auto &[sum, coefficient] : balances.ofWays[wayNumber++])
        b.add(sums[sum], coefficient, rates.back());
    }
    if (step.isDoneAtOnce) {
      for (size_t i = 0; i < rates.size(); ++i)
        net = step.ways[i].direction.forward ? net + rates[i] : net - rates[i];
      addToResults(b, *step.reaction, net, roles);
    } else if (step.isKept) {
      kept[s] = keepConstants(step, b, names);
    }
  }
  return kept;
}

/// What stages 2 and 3 want of species as they are.
void keepScales(const KeptValues &kept, ProgramContext &context) {
  for (const auto &[key, sum] : kept) {
    const auto [species, what] = key;
    if (what != Wanted::Scale)
      continue;
    const Expr scale = context.thermoOf(species).scale;
    context.builder.begin("kept of " + context.mechanism.species[species].name);
    context.builder.add(sum, 1, scale);
  }
}

// ---- stage 2

/// What damping reads besides sums.
struct DampingFields {
  unsigned diffusion = 0, timeStep = 0;
  double rateUnit = 1;
};

class Stage2 {
public:
  Stage2(const Balances &balances, const std::vector<unsigned> &sums, const KeptValues &kept,
         const SpeciesRoles &roles, ProgramContext &context)
      : kept(kept), roles(roles), context(context), b(context.builder) {
    for (const Balances::Part &part : balances.parts)
      parts[part.part] = {sums[part.sum], part.scale};
  }

  Solved solve(const DampingFields &fields);
  /// Into the sums that stage 3 reads.
  void keep(const Solved &solved);

private:
  Expr partOf(const BalancePart &part);
  Expr solvedPartOf(Balance balance, unsigned species, const Solved &solved);
  std::vector<Expr> eliminate(const std::vector<unsigned> &group, const Solved &solved);
  Expr factorOf(unsigned species, unsigned place, const DampingFields &fields, const Solved &solved);
  Expr concentration(unsigned species, const Solved &solved);
  Expr activity(unsigned species, const Solved &solved);
  Expr finished(unsigned species, Wanted what, const Solved &solved);
  Expr scaleOf(unsigned species) { return b.total(kept.at({species, Wanted::Scale})); }

  const KeptValues &kept;
  const SpeciesRoles &roles;
  ProgramContext &context;
  flow::Builder &b;
  std::map<BalancePart, std::pair<unsigned, double>> parts; ///< the sum of each, and its multiple
};

Expr Stage2::partOf(const BalancePart &part) {
  const auto found = parts.find(part);
  return found == parts.end() ? Expr(0.0) : b.total(found->second.first) * found->second.second;
}

/// All of it, but for what depends on quasi-steady species that are not solved yet.
Expr Stage2::solvedPartOf(Balance balance, unsigned species, const Solved &solved) {
  Expr sum = partOf({balance, species, std::nullopt});
  for (unsigned factor : roles.plan.species)
    if (solved.activities.contains(factor))
      sum = fma(partOf({balance, species, factor}), solved.activities.at(factor), sum);
  return sum;
}

/// The evaluator's elimination (Qssa.cpp), on A x + b = 0.
std::vector<Expr> Stage2::eliminate(const std::vector<unsigned> &group, const Solved &solved) {
  const size_t n = group.size();
  std::vector<std::vector<Expr>> a(n, std::vector<Expr>(n, 0.0));
  std::vector<Expr> rest, reciprocals, x(n, 0.0);
  std::string note = "quasi-steady";
  for (unsigned species : group)
    note += " " + context.mechanism.species[species].name;
  b.begin(note);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      a[i][j] = partOf({Balance::Net, group[i], group[j]});
    rest.push_back(0.0 - solvedPartOf(Balance::Net, group[i], solved));
  }
  for (size_t p = 0; p < n; ++p) {
    reciprocals.push_back(reciprocalOrZero(a[p][p]));
    for (size_t row = p + 1; row < n; ++row) {
      const Expr minus = 0.0 - a[row][p] * reciprocals[p];
      for (size_t column = p + 1; column < n; ++column)
        a[row][column] = fma(minus, a[p][column], a[row][column]);
      rest[row] = fma(minus, rest[p], rest[row]);
    }
  }
  for (size_t p = n; p-- > 0;) {
    for (size_t column = p + 1; column < n; ++column)
      rest[p] = fma(0.0 - a[p][column], x[column], rest[p]);
    x[p] = b.named("u_" + context.identifiers[group[p]], rest[p] * reciprocals[p]);
  }
  return x;
}

/// kmol/m3 of a quasi-steady species
Expr Stage2::concentration(unsigned species, const Solved &solved) {
  if (!context.hasScale(species))
    return solved.activities.at(species);
  return solved.activities.at(species) *
         (kept.contains({species, Wanted::Scale}) ? scaleOf(species) : context.thermoOf(species).scale);
}

/// C'/C, see Stiffness.h.
Expr Stage2::factorOf(unsigned species, unsigned place, const DampingFields &fields, const Solved &solved) {
  const bool isDestroyed = std::ranges::any_of(parts, [&](const auto &each) {
    return each.first.balance == Balance::Destruction && each.first.species == species;
  });
  if (!isDestroyed)
    return 1.0;
  const bool isQuasiSteady = roles.isQuasiSteady(species);
  const Expr carried = isQuasiSteady ? Expr(0.0) : context.carriedConcentrationOf(species);
  b.begin("stiff " + context.mechanism.species[species].name);
  const Expr c = isQuasiSteady ? concentration(species, solved) : carried;
  const Expr step = b.load(fields.timeStep, 0),
             destroyed = solvedPartOf(Balance::Destruction, species, solved);
  const Expr gain = fma(b.load(fields.diffusion, place), 1 / fields.rateUnit,
                        solvedPartOf(Balance::Creation, species, solved));
  const Expr inverse = reciprocal(destroyed), share = gain * inverse;
  const Expr damped = fma(c - c * share, reciprocal(step), gain) * inverse;
  const Expr excess = fma(destroyed * step, stiffnessThreshold, 0.0 - c);
  return b.named("d_" + context.identifiers[species], ifPositive(c, ifPositive(excess, damped, 1.0), 1.0));
}

Solved Stage2::solve(const DampingFields &fields) {
  Solved solved;
  for (const std::vector<unsigned> &group : roles.plan.groups) {
    const std::vector<Expr> x = eliminate(group, solved);
    for (size_t i = 0; i < group.size(); ++i)
      solved.activities.insert_or_assign(group[i], x[i]);
  }
  for (unsigned i = 0; i < roles.stiff.size(); ++i)
    solved.factors.insert_or_assign(roles.stiff[i], factorOf(roles.stiff[i], i, fields, solved));
  return solved;
}

Expr Stage2::activity(unsigned species, const Solved &solved) {
  if (roles.isQuasiSteady(species))
    return solved.activities.at(species);
  return context.carriedConcentrationOf(species) * reciprocal(scaleOf(species));
}

Expr Stage2::finished(unsigned species, Wanted what, const Solved &solved) {
  switch (what) {
  case Wanted::Scale: break;
  case Wanted::Factor: return solved.factors.at(species);
  case Wanted::Activity: return activity(species, solved);
  case Wanted::Concentration: return concentration(species, solved);
  case Wanted::DampedActivity: return solved.factors.at(species) * activity(species, solved);
  case Wanted::DampedConcentration:
    return solved.factors.at(species) * (roles.isQuasiSteady(species)
                                             ? concentration(species, solved)
                                             : context.carriedConcentrationOf(species));
  }
  return 0.0;
}

void Stage2::keep(const Solved &solved) {
  for (const auto &[key, sum] : kept) {
    const auto [species, what] = key;
    if (what == Wanted::Scale)
      continue;
    if (!roles.isQuasiSteady(species))
      context.carriedConcentrationOf(species);
    b.begin("of " + context.mechanism.species[species].name + " for the rates");
    b.add(sum, 1, finished(species, what, solved));
  }
}

// ---- stage 3

class Stage3 {
public:
  Stage3(const KeptValues &kept, const SpeciesRoles &roles, ProgramContext &context)
      : kept(kept), roles(roles), context(context), b(context.builder) {}

  void addNetRate(const Step &step, const KeptConstants &constants);

private:
  Expr value(unsigned species, Wanted what) { return b.total(kept.at({species, what})); }
  WayConstants constantsAgain(const Step &step, const KeptConstants &constants);
  Expr dampedProduct(const Reaction &reaction, const Way &way);

  const KeptValues &kept;
  const SpeciesRoles &roles;
  ProgramContext &context;
  flow::Builder &b;
};

WayConstants Stage3::constantsAgain(const Step &step, const KeptConstants &constants) {
  const auto scaleOf = [&](unsigned species) { return value(species, Wanted::Scale); };
  if (!step.isKept)
    return named(b, constantsOf(context, *step.reaction, scaleOf), "k" + step.number + "_again");
  if (!constants.forward || !constants.reverse) {
    const Expr only = b.total(constants.forward ? *constants.forward : *constants.reverse);
    return {only, only};
  }
  const Expr first = b.total(*constants.forward);
  return {first, *constants.forward == *constants.reverse ? first : b.total(*constants.reverse)};
}

Expr Stage3::dampedProduct(const Reaction &reaction, const Way &way) {
  const bool byActivity = context.goesByActivities(reaction);
  const auto asIs = [&](unsigned species) {
    return !byActivity && !roles.isQuasiSteady(species)
               ? context.carriedConcentrationOf(species)
               : value(species, byActivity ? Wanted::Activity : Wanted::Concentration);
  };
  Expr product = 1.0;
  for (Term term : *way.direction.orders) {
    if (way.isDamped(term.species)) {
      product =
          product * value(term.species, byActivity ? Wanted::DampedActivity : Wanted::DampedConcentration);
      term.value -= 1;
    }
    if (term.value != 0)
      product = product * productOf({term}, asIs);
  }
  if (!way.isPlain)
    for (unsigned species : way.damped)
      product = product * value(species, Wanted::Factor);
  return product;
}

void Stage3::addNetRate(const Step &step, const KeptConstants &fromStage1) {
  const Reaction &reaction = *step.reaction;
  b.begin(reaction.equation);
  const WayConstants constants = constantsAgain(step, fromStage1);
  const bool alike = areAlike(constants);
  Expr net = 0.0;
  for (const Way &way : step.ways) {
    Expr product = dampedProduct(reaction, way);
    if (!alike)
      product = product * constants[way.direction.forward ? 0 : 1];
    net = way.direction.forward ? net + product : net - product;
  }
  addToResults(b, reaction, b.named("q" + step.number, alike ? constants[0] * net : net), roles);
}

} // namespace

flow::Program qssaProgram(const Mechanism &mechanism, const ChemistryUnits &units,
                          const QssaPlan &quasiSteady, const std::vector<unsigned> &stiff,
                          unsigned keepFrom) {
  const SpeciesRoles roles{quasiSteady, stiff};
  ProgramContext context(mechanism, units.pressure, false, quasiSteady.species);
  DampingFields fields{.rateUnit = units.rate};
  if (!stiff.empty()) {
    fields.diffusion = context.builder.addField("diffusion", unsigned(stiff.size()));
    fields.timeStep = context.builder.addUniform("timeStep");
  }
  SumNames names;
  const auto [steps, kept] = begin(stepsOf(mechanism, roles), roles, context, names, keepFrom);
  const Balances balances = balancesOf(steps, roles);
  const std::vector<unsigned> sums = addSums(balances, context, names);
  const std::vector<KeptConstants> constants = contribute(steps, balances, sums, roles, context, names);
  keepScales(kept, context);

  Stage2 second(balances, sums, kept, roles, context);
  second.keep(second.solve(fields));

  Stage3 third(kept, roles, context);
  for (size_t s = 0; s < steps.size(); ++s)
    if (!steps[s].isDoneAtOnce)
      third.addNetRate(steps[s], constants[s]);
  flow::Program program = context.builder.finish();
  program.resultScale = units.rate;
  return program;
}

} // namespace heddle::chem
