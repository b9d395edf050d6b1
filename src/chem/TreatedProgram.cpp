// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/TreatedProgram.h"

#include "chem/ProgramContext.h"
#include "chem/Stiffness.h"
#include "flow/Cost.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace heddle::chem {

using flow::Expr;

namespace {

/// One direction of a reaction that is not left out.
struct Way {
  Direction direction;
  std::optional<unsigned> factor;   ///< the quasi-steady species that its rate is proportional to
  std::vector<Term> consumed, made; ///< less the spectator
  std::vector<unsigned> damped;     ///< stiff species that it consumes
  bool isPlain =
      true; ///< orders are stoichiometric coefficients: one power of each consumed species is there
};

/// A rate constant of each direction; where a reaction goes by activities, the same one.
using Constants = std::array<Expr, 2>;

struct Step {
  const Reaction *reaction = nullptr;
  std::string number;
  std::vector<Way> ways; ///< forward first
  Constants constants = {0.0, 0.0};
  bool isKept = false;      ///< its constants go from stage 1 to 3
  bool isDoneAtOnce = true; ///< in stage 1
};

/// What stage 3 asks of a species.
enum class Wanted { Scale, Activity, Concentration, DampedActivity, DampedConcentration, Factor };

class TreatedBuilder {
public:
  TreatedBuilder(const Mechanism &mechanism, const ChemistryUnits &units, const QssaPlan &plan,
                 const std::vector<unsigned> &stiff, unsigned keepFrom)
      : mechanism(mechanism), plan(plan), stiff(stiff), keepFrom(keepFrom), rateUnit(units.rate),
        context(mechanism, units.pressure, false, plan.species), b(context.builder) {
    if (!stiff.empty()) {
      diffusion = b.addField("diffusion", unsigned(stiff.size()));
      timeStep = b.addUniform("timeStep");
    }
  }

  flow::Program make() {
    for (const Direction &direction : directionsOf(mechanism))
      addWay(direction);
    for (Step &step : steps)
      beginStep(step);
    makePartSums();
    for (Step &step : steps)
      contribute(step);
    keepScales();
    finish();
    for (Step &step : steps)
      if (!step.isDoneAtOnce)
        addNetRate(step);
    flow::Program program = b.finish();
    program.resultScale = rateUnit;
    return program;
  }

private:
  const Mechanism &mechanism;
  const QssaPlan &plan;
  const std::vector<unsigned> &stiff;
  unsigned keepFrom;
  double rateUnit;
  ProgramContext context;
  flow::Builder &b;
  unsigned diffusion = 0, timeStep = 0;
  std::vector<Step> steps;

  /// What stage 2 reads: net production of quasi-steady species, creation and destruction of stiff ones. Each
  /// has a part for each quasi-steady species that rates are proportional to.
  enum class Balance { Net, Creation, Destruction };
  using Part = std::tuple<Balance, unsigned, std::optional<unsigned>>; ///< of a species, by a factor
  struct Share {
    const Way *way = nullptr;
    double coefficient = 0;
    auto operator<=>(const Share &) const = default;
  };
  std::map<Part, std::vector<Share>> shares;
  /// Parts that are multiples of each other have one sum: many are what a single direction makes of two
  /// species.
  std::map<Part, std::pair<unsigned, double>> partSums;
  std::map<const Way *, std::vector<std::pair<unsigned, double>>> contributionsOf;
  std::map<std::pair<unsigned, Wanted>, unsigned> kept;            ///< sums that stage 3 reads
  std::map<std::pair<const Step *, bool>, unsigned> keptConstants; ///< of a direction: is it forward?
  std::map<unsigned, Expr> solved, factors; ///< u of quasi-steady species, C'/C of stiff ones
  std::set<std::string> names;

  bool isStiff(unsigned species) const { return std::ranges::find(stiff, species) != stiff.end(); }
  bool isQuasiSteady(unsigned species) const { return plan.isQuasiSteady(species); }
  const std::string &nameOf(unsigned species) const { return context.identifiers[species]; }

  /// Names of species may be such that two sums would be called alike.
  std::string ownName(std::string name) {
    while (!names.insert(name).second)
      name += "_";
    return name;
  }

  // ---- what there is

  void addWay(const Direction &direction) {
    const Reaction &reaction = mechanism.reactions[direction.reaction];
    if (steps.empty() || steps.back().reaction != &reaction)
      steps.push_back({&reaction, std::to_string(direction.reaction + 1), {}, {0.0, 0.0}, false, true});
    if (isLeftOut(plan, direction))
      return;
    Way way = {direction, factorOf(plan, direction), chem::consumed(reaction), chem::made(reaction), {},
               true};
    if (!direction.forward)
      std::swap(way.consumed, way.made);
    for (const Term &term : way.consumed)
      if (isStiff(term.species))
        way.damped.push_back(term.species);
    way.isPlain = direction.orders == direction.consumed && hasWholePowers(*direction.orders);
    steps.back().ways.push_back(std::move(way));
  }

  // ---- stage 1

  template <class ScaleOf> Constants constantsOf(const Reaction &reaction, ScaleOf scaleOf) {
    const ColliderValues collider =
        reaction.collider ? context.colliderOf(*reaction.collider) : ColliderValues();
    const Expr factor = reaction.collider && !reaction.isFalloff() ? collider.concentration : Expr(1.0);
    const Expr k = rateExpression(context, reaction.rate, collider) * factor;
    if (goesByActivities(reaction)) {
      const Expr both = k * productOf(reaction.reactants, scaleOf);
      return {both, both};
    }
    switch (reaction.reverse) {
    case Reverse::None: return {k, 0.0};
    case Reverse::Equilibrium: return {k, k * exp2(logReciprocalEquilibrium(context, reaction))};
    case Reverse::Explicit: return {k, rateExpression(context, *reaction.reverseRate, collider) * factor};
    }
    return {0.0, 0.0};
  }

  Constants named(Constants constants, const std::string &name) {
    b.named(name, constants[0]);
    if (!(constants[1].get() == constants[0].get()))
      b.named(name + "r", constants[1]);
    return constants;
  }

  /// The rate constants, whether to keep them, and what stage 3 will ask for.
  void beginStep(Step &step) {
    const Reaction &reaction = *step.reaction;
    context.prepare(reaction);
    b.begin("constants of " + reaction.equation);
    step.constants =
        named(constantsOf(reaction, [&](unsigned species) { return context.thermoOf(species).scale; }),
              "k" + step.number);
    std::erase_if(step.ways, [&](const Way &way) { return constantOf(step, way).get().is(0); });
    step.isDoneAtOnce =
        std::ranges::all_of(step.ways, [](const Way &way) { return !way.factor && way.damped.empty(); });
    if (step.isDoneAtOnce)
      return;
    step.isKept = flow::instructionsOf(b.current()) >= keepFrom;
    for (const Way &way : step.ways)
      wantValues(reaction, way);
    if (!step.isKept && goesByActivities(reaction))
      for (const Term &term : reaction.reactants)
        want(term.species, Wanted::Scale);
  }

  static Expr constantOf(const Step &step, const Way &way) {
    return step.constants[way.direction.forward ? 0 : 1];
  }

  void want(unsigned species, Wanted what) {
    static constexpr const char *const prefixes[] = {"phi_",     "act_",     "conc_",
                                                     "dampedA_", "dampedC_", "damping_"};
    if (what == Wanted::Concentration && !isQuasiSteady(species)) {
      context.carriedConcentrationOf(species); // cheaper than memory
      return;
    }
    auto [place, isNew] = kept.try_emplace({species, what}, 0);
    if (isNew)
      place->second = b.addInnerSum(ownName(prefixes[size_t(what)] + nameOf(species)));
    if (what != Wanted::Scale && needsScale(species, what))
      want(species, Wanted::Scale);
  }

  /// Does stage 2 need phi for that? From it and the mole fraction an activity is a few instructions.
  bool needsScale(unsigned species, Wanted what) const {
    const bool isActivity = what == Wanted::Activity || what == Wanted::DampedActivity;
    return isQuasiSteady(species) ? context.hasScale(species) && (!isActivity || isStiff(species))
                                  : isActivity;
  }

  static bool isDamped(const Way &way, unsigned species) {
    return way.isPlain && std::ranges::find(way.damped, species) != way.damped.end();
  }

  void wantValues(const Reaction &reaction, const Way &way) {
    const bool byActivity = goesByActivities(reaction);
    for (const Term &term : *way.direction.orders) {
      const bool damped = isDamped(way, term.species);
      if (damped)
        want(term.species, byActivity ? Wanted::DampedActivity : Wanted::DampedConcentration);
      if (term.value != 0 && (!damped || term.value > 1))
        want(term.species, byActivity ? Wanted::Activity : Wanted::Concentration);
    }
    if (!way.isPlain)
      for (unsigned species : way.damped)
        want(species, Wanted::Factor);
  }

  /// The rate with every quasi-steady activity, or concentration where there is no activity, set to 1.
  Expr unitRate(const Step &step, const Way &way) {
    const bool byActivity = goesByActivities(*step.reaction);
    return constantOf(step, way) * productOf(*way.direction.orders, [&](unsigned species) -> Expr {
             if (isQuasiSteady(species))
               return byActivity || !context.hasScale(species) ? Expr(1.0) : context.thermoOf(species).scale;
             return byActivity ? context.thermoOf(species).activity : context.concentrationOf(species);
           });
  }

  void noteShares() {
    for (const Step &step : steps)
      for (const Way &way : step.ways) {
        const auto note = [&](Balance balance, unsigned species, double coefficient) {
          shares[{balance, species, way.factor}].push_back({&way, coefficient});
        };
        for (const auto &[species, change] : changes(plan, way.direction))
          note(Balance::Net, species, change);
        for (const Term &term : way.consumed)
          if (isStiff(term.species))
            note(Balance::Destruction, term.species, term.value);
        for (const Term &term : way.made)
          if (isStiff(term.species))
            note(Balance::Creation, term.species, term.value);
      }
  }

  void makePartSums() {
    static constexpr const char *const prefixes[] = {"net_", "K_", "D_"};
    noteShares();
    std::map<std::vector<Share>, unsigned> known;
    for (const auto &[part, list] : shares) {
      const auto &[balance, species, factor] = part;
      const double scale = list.front().coefficient;
      std::vector<Share> scaled = list;
      for (Share &share : scaled)
        share.coefficient /= scale;
      auto [place, isNew] = known.try_emplace(scaled, 0);
      if (isNew) {
        place->second = b.addInnerSum(
            ownName(prefixes[size_t(balance)] + nameOf(species) + (factor ? "_by_" + nameOf(*factor) : "")));
        for (const Share &share : scaled)
          contributionsOf[share.way].emplace_back(place->second, share.coefficient);
      }
      partSums[part] = {place->second, scale};
    }
  }

  void contribute(Step &step) {
    if (step.ways.empty())
      return;
    b.begin(step.reaction->equation);
    std::vector<Expr> rates;
    for (const Way &way : step.ways) {
      const Expr rate = unitRate(step, way);
      rates.push_back(rate);
      for (const auto &[sum, coefficient] : contributionsOf[&way])
        b.add(sum, coefficient, rate);
    }
    if (step.isDoneAtOnce) {
      Expr net = 0.0;
      for (size_t i = 0; i < rates.size(); ++i)
        net = step.ways[i].direction.forward ? net + rates[i] : net - rates[i];
      addToResults(*step.reaction, net);
    } else if (step.isKept) {
      for (const Way &way : step.ways)
        keepConstant(step, way.direction.forward);
    }
  }

  /// Directions that have the same constant share the sum.
  void keepConstant(const Step &step, bool forward) {
    const bool areAlike = step.constants[0].get() == step.constants[1].get();
    const auto other = keptConstants.find({&step, !forward});
    if (areAlike && other != keptConstants.end()) {
      keptConstants[{&step, forward}] = other->second;
      return;
    }
    const unsigned sum = b.addInnerSum(ownName((forward ? "const" : "constr") + step.number));
    keptConstants[{&step, forward}] = sum;
    b.add(sum, 1, step.constants[forward ? 0 : 1]);
  }

  void addToResults(const Reaction &reaction, const Expr &rate) {
    std::map<unsigned, double> change;
    for (const Term &term : reaction.products)
      change[term.species] += term.value;
    for (const Term &term : reaction.reactants)
      change[term.species] -= term.value;
    for (const auto &[species, coefficient] : change)
      if (!stiff.empty() || !isQuasiSteady(species))
        b.add(species, coefficient, rate);
  }

  /// What stages 2 and 3 want of species as they are.
  void keepScales() {
    for (const auto &[key, sum] : kept) {
      const auto [species, what] = key;
      if (what != Wanted::Scale)
        continue;
      const Expr scale = context.thermoOf(species).scale;
      b.begin("kept of " + mechanism.species[species].name);
      b.add(sum, 1, scale);
    }
  }

  // ---- stage 2

  /// Zero where x is.
  static Expr reciprocalOrZero(const Expr &x) {
    if (x.get().isConstant())
      return x.get().is(0) ? Expr(0.0) : reciprocal(x);
    return ifPositive(max(x, 0.0 - x), reciprocal(x), 0.0);
  }

  Expr partOf(Balance balance, unsigned species, std::optional<unsigned> factor) {
    const auto found = partSums.find({balance, species, factor});
    return found == partSums.end() ? Expr(0.0) : b.total(found->second.first) * found->second.second;
  }

  /// All of it, but for what depends on quasi-steady species that are not solved yet.
  Expr solvedPartOf(Balance balance, unsigned species) {
    Expr sum = partOf(balance, species, std::nullopt);
    for (unsigned factor : plan.species)
      if (solved.contains(factor))
        sum = fma(partOf(balance, species, factor), solved.at(factor), sum);
    return sum;
  }

  /// The evaluator's elimination (Qssa.cpp), on A x + b = 0.
  void solve(const std::vector<unsigned> &group) {
    const size_t n = group.size();
    std::vector<std::vector<Expr>> a(n, std::vector<Expr>(n, 0.0));
    std::vector<Expr> rest, reciprocals, x(n, 0.0);
    std::string note = "quasi-steady";
    for (unsigned species : group)
      note += " " + mechanism.species[species].name;
    b.begin(note);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        a[i][j] = partOf(Balance::Net, group[i], group[j]);
      rest.push_back(0.0 - solvedPartOf(Balance::Net, group[i]));
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
      x[p] = b.named("u_" + nameOf(group[p]), rest[p] * reciprocals[p]);
    }
    for (size_t p = 0; p < n; ++p)
      solved.insert_or_assign(group[p], x[p]);
  }

  Expr keptValue(unsigned species, Wanted what) { return b.total(kept.at({species, what})); }

  /// kmol/m3 in stage 2
  Expr solvedConcentration(unsigned species) {
    if (!context.hasScale(species))
      return solved.at(species);
    return solved.at(species) * (kept.contains({species, Wanted::Scale}) ? keptValue(species, Wanted::Scale)
                                                                         : context.thermoOf(species).scale);
  }

  /// C'/C, see Stiffness.h.
  void findFactor(unsigned species, unsigned place) {
    const auto isOfThis = [&](const auto &each) {
      return std::get<0>(each.first) == Balance::Destruction && std::get<1>(each.first) == species;
    };
    if (std::ranges::none_of(partSums, isOfThis)) {
      factors.insert_or_assign(species, 1.0);
      return;
    }
    const Expr carried = isQuasiSteady(species) ? Expr(0.0) : context.carriedConcentrationOf(species);
    b.begin("stiff " + mechanism.species[species].name);
    const Expr c = isQuasiSteady(species) ? solvedConcentration(species) : carried;
    const Expr step = b.load(timeStep, 0), destroyed = solvedPartOf(Balance::Destruction, species);
    const Expr gain = fma(b.load(diffusion, place), 1 / rateUnit, solvedPartOf(Balance::Creation, species));
    const Expr inverse = reciprocal(destroyed), share = gain * inverse;
    const Expr damped = fma(c - c * share, reciprocal(step), gain) * inverse;
    const Expr excess = fma(destroyed * step, stiffnessThreshold, 0.0 - c);
    factors.insert_or_assign(species, b.named("d_" + nameOf(species), ifPositive(excess, damped, 1.0)));
  }

  void finish() {
    for (const std::vector<unsigned> &group : plan.groups)
      solve(group);
    for (unsigned i = 0; i < stiff.size(); ++i)
      findFactor(stiff[i], i);
    for (const auto &[key, sum] : kept) {
      const auto [species, what] = key;
      if (what == Wanted::Scale)
        continue;
      if (!isQuasiSteady(species))
        context.carriedConcentrationOf(species);
      b.begin("of " + mechanism.species[species].name + " for the rates");
      b.add(sum, 1, finished(species, what));
    }
  }

  Expr finishedActivity(unsigned species) {
    if (isQuasiSteady(species))
      return solved.at(species);
    return context.carriedConcentrationOf(species) * reciprocal(keptValue(species, Wanted::Scale));
  }

  Expr finished(unsigned species, Wanted what) {
    switch (what) {
    case Wanted::Scale: break;
    case Wanted::Factor: return factors.at(species);
    case Wanted::Activity: return finishedActivity(species);
    case Wanted::Concentration: return solvedConcentration(species);
    case Wanted::DampedActivity: return factors.at(species) * finishedActivity(species);
    case Wanted::DampedConcentration:
      return factors.at(species) * (isQuasiSteady(species) ? solvedConcentration(species)
                                                           : context.carriedConcentrationOf(species));
    }
    return 0.0;
  }

  // ---- stage 3

  Constants constantsAgain(const Step &step) {
    if (!step.isKept)
      return named(
          constantsOf(*step.reaction, [&](unsigned species) { return keptValue(species, Wanted::Scale); }),
          "k" + step.number + "_again");
    const auto forward = keptConstants.find({&step, true}), reverse = keptConstants.find({&step, false});
    if (forward == keptConstants.end() || reverse == keptConstants.end()) {
      const Expr only = b.total((forward == keptConstants.end() ? reverse : forward)->second);
      return {only, only};
    }
    const Expr first = b.total(forward->second);
    return {first, forward->second == reverse->second ? first : b.total(reverse->second)};
  }

  Expr dampedProduct(const Reaction &reaction, const Way &way) {
    const bool byActivity = goesByActivities(reaction);
    const auto asIs = [&](unsigned species) {
      return !byActivity && !isQuasiSteady(species)
                 ? context.carriedConcentrationOf(species)
                 : keptValue(species, byActivity ? Wanted::Activity : Wanted::Concentration);
    };
    Expr product = 1.0;
    for (Term term : *way.direction.orders) {
      if (isDamped(way, term.species)) {
        product = product *
                  keptValue(term.species, byActivity ? Wanted::DampedActivity : Wanted::DampedConcentration);
        term.value -= 1;
      }
      if (term.value != 0)
        product = product * productOf({term}, asIs);
    }
    if (!way.isPlain)
      for (unsigned species : way.damped)
        product = product * keptValue(species, Wanted::Factor);
    return product;
  }

  void addNetRate(const Step &step) {
    const Reaction &reaction = *step.reaction;
    b.begin(reaction.equation);
    const Constants constants = constantsAgain(step);
    const bool areAlike = constants[0].get() == constants[1].get();
    Expr net = 0.0;
    for (const Way &way : step.ways) {
      Expr product = dampedProduct(reaction, way);
      if (!areAlike)
        product = product * constants[way.direction.forward ? 0 : 1];
      net = way.direction.forward ? net + product : net - product;
    }
    const Expr rate = areAlike ? constants[0] * net : net;
    addToResults(reaction, b.named("q" + step.number, rate));
  }
};

} // namespace

flow::Program treatedProgram(const Mechanism &mechanism, const ChemistryUnits &units,
                             const QssaPlan &quasiSteady, const std::vector<unsigned> &stiff,
                             unsigned keepFrom) {
  return TreatedBuilder(mechanism, units, quasiSteady, stiff, keepFrom).make();
}

} // namespace heddle::chem
