// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/RankCrew.h"

#include <nlohmann/json.hpp>

namespace heddle::tune {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string textOf(const Evaluation &evaluation) {
  return dumped({{"result", Json::parse(runner::toJson(evaluation.result))},
                 {"digest", evaluation.digest},
                 {"same_as", evaluation.sameAs}});
}

/// What a rank says of a recipe; lost where it says nothing, or nothing that makes sense.
Evaluation evaluationFrom(const Recipe &recipe, const std::string &id,
                          const std::optional<std::string> &text) {
  Evaluation evaluation{recipe, {}, {}, {}};
  const Json json = Json::parse(text.value_or(""), nullptr, false);
  std::optional<runner::Result> result;
  if (json.is_object() && json.contains("result"))
    result = runner::resultFromJson(json["result"].dump());
  if (result) {
    evaluation.result = std::move(*result);
    evaluation.digest = json.value("digest", "");
    evaluation.sameAs = json.value("same_as", "");
  } else {
    evaluation.result.reason = "whoever was to measure it died";
  }
  evaluation.result.id = id;
  return evaluation;
}

} // namespace

std::string textOf(const Recipe &recipe) {
  Json directives = Json::array();
  for (const transform::Directive &directive : recipe.directives)
    directives.push_back(directive.str());
  return dumped({{"directives", directives},
                 {"block", recipe.block},
                 {"defines", recipe.defines},
                 {"flags", recipe.flags},
                 {"options", recipe.options}});
}

std::optional<Recipe> recipeFrom(const std::string &text) {
  try {
    const Json json = Json::parse(text);
    Recipe recipe;
    for (const std::string words : json.at("directives")) {
      Diagnostics diagnostics;
      std::vector<transform::Directive> read = transform::readDirectives(words, diagnostics);
      if (read.size() != 1)
        return std::nullopt;
      recipe.directives.push_back(std::move(read.front()));
    }
    recipe.block = json.at("block");
    recipe.defines = json.at("defines").get<std::vector<std::string>>();
    recipe.flags = json.at("flags").get<std::vector<std::string>>();
    recipe.options = json.at("options").get<std::vector<std::string>>();
    return recipe;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

void RankCrew::evaluate(const std::vector<Recipe> &recipes, const Heard &heard) {
  std::vector<std::string> tasks;
  for (const Recipe &recipe : recipes)
    tasks.push_back(textOf(recipe));
  // A rank may have to do the original first, and what differs is compiled and run once more: with time to
  // spare, this is when it is taken for dead.
  const Limits &limits = problem.limits;
  const double seconds = 4 * (limits.make + limits.compile + limits.run) + 60;
  bool enough = false;
  auto answered = [&](size_t task, const std::optional<std::string> &answer) {
    const Recipe &recipe = recipes[task];
    enough = !heard(evaluationFrom(recipe, problem.idOf(recipe), answer));
    return !enough;
  };
  for (size_t task : ranks.handOut(tasks, seconds, answered))
    if (!enough)
      enough = !heard(own.evaluate(recipes[task]));
}

void serveRecipes(ranks::Ranks &ranks, LocalCrew &crew) {
  ranks.serve([&](const std::string &task) {
    std::optional<Recipe> recipe = recipeFrom(task);
    return recipe ? textOf(crew.evaluate(*recipe)) : std::string();
  });
}

} // namespace heddle::tune
