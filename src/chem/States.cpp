// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/States.h"

#include "chem/SpeciesList.h"
#include "chem/Thermo.h"
#include "support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

using Json = nlohmann::ordered_json;

/// Sums that are this near to 1 are left as they are: dividing would change last digits and nothing else.
constexpr double sumTolerance = 1e-12;

/// The place of the last of the first `byte` bytes.
SourceLocation locationOfByte(const SourceText &source, size_t byte) {
  std::string_view before = std::string_view(source.text).substr(0, byte);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is the beginning
  SourceLocation location = {.file = source.name};
  location.line = 1 + unsigned(std::ranges::count(before, '\n'));
  location.column = std::max(1u, unsigned(before.size() - lineStart));
  location.endColumn = location.column + 1;
  location.sourceLine = source.text.substr(lineStart, source.text.find('\n', lineStart) - lineStart);
  return location;
}

/// One file being read. Members say what is wrong themselves; nothing is returned where something was.
class StatesReader {
public:
  StatesReader(const SourceText &source, const Mechanism &mechanism, Diagnostics &diagnostics)
      : source(source), mechanism(mechanism), names(speciesNames(mechanism)), diagnostics(diagnostics) {}

  std::optional<std::vector<GivenState>> read() {
    std::optional<Json> file = parse();
    if (!file || !readSpecies(*file))
      return std::nullopt;
    if (!file->contains("states") || !file->at("states").is_array()) {
      wrong("there is no list \"states\"").withHint(shape);
      return std::nullopt;
    }
    std::vector<GivenState> states;
    for (const Json &each : file->at("states"))
      states.push_back(readState(each, states.size()));
    return failed ? std::nullopt : std::optional(std::move(states));
  }

private:
  static constexpr const char *shape =
      R"({"species": ["H2", ...], "states": [{"T": 1000, "P": 101325, "X": [0.2, ...]}, ...]})";

  const SourceText &source;
  const Mechanism &mechanism;
  NameTable names;
  Diagnostics &diagnostics;
  std::vector<unsigned> order; ///< place in the mechanism of each of the file's species
  bool failed = false;

  Diagnostic &wrong(std::string text) {
    failed = true;
    return diagnostics.error({.file = source.name}, std::move(text));
  }

  std::optional<Json> parse() {
    try {
      return Json::parse(source.text);
    } catch (const Json::parse_error &error) {
      failed = true;
      std::string text = error.what();
      size_t reason = text.find(": ");
      diagnostics
          .error(locationOfByte(source, error.byte),
                 "this is not JSON" + text.substr(std::min(reason, text.size())))
          .withHint(shape);
      return std::nullopt;
    }
  }

  bool readSpecies(const Json &file) {
    if (!file.is_object() || !file.contains("species") || !file["species"].is_array()) {
      wrong("there is no list \"species\"").withHint(shape);
      return false;
    }
    for (const Json &name : file["species"])
      readName(name);
    return !failed;
  }

  void readName(const Json &given) {
    std::string name = given.is_string() ? given.get<std::string>() : given.dump();
    std::optional<unsigned> species = names.find(name);
    if (!species)
      wrong(fmt::format("the mechanism has no species '{}'", name)).withHint(names.didYouMean(name));
    else if (std::ranges::count(order, *species))
      wrong(fmt::format("species '{}' is listed twice", name));
    else
      order.push_back(*species);
  }

  double readPositive(const Json &state, const char *field, size_t number) {
    if (state.contains(field) && state[field].is_number() && state[field].get<double>() > 0)
      return state[field].get<double>();
    if (!state.contains(field))
      wrong(fmt::format("states[{}]: \"{}\" is missing", number, field)).withHint(shape);
    else
      wrong(fmt::format("states[{}]: \"{}\" must be a number above zero", number, field));
    return 1;
  }

  /// A number for each species of the file, brought into the mechanism's order.
  std::vector<double> readNumbers(const Json &state, const char *field, size_t number) {
    std::vector<double> numbers(mechanism.species.size());
    if (!state.contains(field) || !state[field].is_array() || state[field].size() != order.size()) {
      auto &problem =
          wrong(fmt::format("states[{}]: \"{}\" must be a list of {}, one for each of the file's species",
                            number, field, counted(order.size(), "number")));
      if (!state.contains(field) && state.contains("Y"))
        problem.withHint(
            "mass fractions are not read; mole fractions are X_k = (Y_k / W_k) / sum of Y_j / W_j");
      return numbers;
    }
    for (size_t i = 0; i < order.size(); ++i) {
      if (state[field][i].is_number())
        numbers[order[i]] = state[field][i].get<double>();
      else
        wrong(fmt::format("states[{}]: \"{}\" of {} is {}, not a number", number, field,
                          mechanism.species[order[i]].name, state[field][i].dump()));
    }
    return numbers;
  }

  void normalize(std::vector<double> &x, size_t number) {
    double sum = 0;
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] < 0)
        wrong(fmt::format("states[{}]: the mole fraction of {} is negative, {}", number,
                          mechanism.species[k].name, x[k]))
            .withHint("set slightly negative mole fractions of a flow solver to zero");
      sum += x[k];
    }
    if (!(sum > 0) && !failed)
      wrong(fmt::format("states[{}]: all mole fractions are zero", number));
    if (std::abs(sum - 1) > sumTolerance)
      for (double &each : x)
        each /= sum;
  }

  GivenState readState(const Json &given, size_t number) {
    GivenState state;
    if (!given.is_object()) {
      wrong(fmt::format("states[{}] is {}, not an object", number, given.dump())).withHint(shape);
      return state;
    }
    state.temperature = readPositive(given, "T", number);
    state.pressure = readPositive(given, "P", number);
    state.moleFractions = readNumbers(given, "X", number);
    normalize(state.moleFractions, number);
    state.diffusionTerm = given.contains("diffusion_term") ? readNumbers(given, "diffusion_term", number)
                                                           : std::vector<double>(mechanism.species.size());
    return state;
  }
};

} // namespace

std::optional<std::vector<GivenState>> readStates(const SourceText &source, const Mechanism &mechanism,
                                                  Diagnostics &diagnostics) {
  return StatesReader(source, mechanism, diagnostics).read();
}

void warnOutsideRange(const SourceText &source, const Mechanism &mechanism,
                      const std::vector<GivenState> &states, Diagnostics &diagnostics) {
  TemperatureRange range = validRange(mechanism);
  for (size_t i = 0; i < states.size(); ++i)
    if (double t = states[i].temperature; t < range.low || t > range.high)
      diagnostics.warning(
          {.file = source.name},
          fmt::format("states[{}]: {} K is outside {} to {} K, where the data of all species hold", i, t,
                      range.low, range.high));
}

std::string writeStates(const Mechanism &mechanism, const std::vector<GivenState> &states) {
  Json file = {{"species", Json::array()}, {"states", Json::array()}};
  for (const Species &species : mechanism.species)
    file["species"].push_back(species.name);
  for (const GivenState &state : states) {
    Json each = {{"T", state.temperature}, {"P", state.pressure}, {"X", state.moleFractions}};
    if (std::ranges::any_of(state.diffusionTerm, [](double d) { return d != 0; }))
      each["diffusion_term"] = state.diffusionTerm;
    file["states"].push_back(std::move(each));
  }
  return file.dump(1) + "\n";
}

} // namespace heddle::chem
