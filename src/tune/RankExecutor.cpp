// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/RankExecutor.h"

#include <nlohmann/json.hpp>

namespace heddle::tune {
namespace {

using PlainJson = nlohmann::json;

std::string dumpedPlain(const PlainJson &json) {
  return json.dump(-1, ' ', false, PlainJson::error_handler_t::replace);
}

std::string textOf(const Evaluation &evaluation) {
  return dumpedPlain({{"result", PlainJson::parse(runner::toJson(evaluation.result))},
                      {"digest", evaluation.digest},
                      {"same_as", evaluation.sameAs}});
}

/// What a rank reports for a configuration; lost where it reports nothing, or nothing that makes sense.
Evaluation evaluationFrom(const Configuration &configuration, const std::string &id,
                          const std::optional<std::string> &text) {
  Evaluation evaluation{configuration, {}, {}, {}};
  const PlainJson json = PlainJson::parse(text.value_or(""), nullptr, false);
  std::optional<runner::Result> result;
  if (json.is_object() && json.contains("result"))
    result = runner::resultFromJson(json["result"].dump());
  if (result) {
    evaluation.result = std::move(*result);
    evaluation.digest = json.value("digest", "");
    evaluation.sameAs = json.value("same_as", "");
  } else {
    evaluation.result.reason = "the process that measured it died";
  }
  evaluation.result.id = id;
  return evaluation;
}

} // namespace

std::string textOf(const Configuration &configuration) {
  PlainJson directives = PlainJson::array();
  for (const transform::Directive &directive : configuration.directives)
    directives.push_back({directive.kernel, directive.str()});
  PlainJson blocks = PlainJson::array();
  for (const BlockSizes &block : configuration.blocks)
    blocks.push_back({block.kernel, block.sizes});
  return dumpedPlain({{"directives", directives},
                      {"blocks", blocks},
                      {"defines", configuration.defines},
                      {"flags", configuration.flags},
                      {"options", configuration.options}});
}

std::optional<Configuration> configurationFrom(const std::string &text) {
  try {
    const PlainJson json = PlainJson::parse(text);
    Configuration configuration;
    for (const PlainJson &each : json.at("directives")) {
      Diagnostics diagnostics;
      std::vector<transform::Directive> read =
          transform::readDirectives(each.at(1).get<std::string>(), diagnostics);
      if (read.size() != 1)
        return std::nullopt;
      read.front().kernel = each.at(0);
      configuration.directives.push_back(std::move(read.front()));
    }
    for (const PlainJson &each : json.at("blocks"))
      configuration.blocks.push_back({each.at(0), each.at(1)});
    configuration.defines = json.at("defines").get<std::vector<std::string>>();
    configuration.flags = json.at("flags").get<std::vector<std::string>>();
    configuration.options = json.at("options").get<std::vector<std::string>>();
    return configuration;
  } catch (const PlainJson::exception &) {
    return std::nullopt;
  }
}

void RankExecutor::evaluate(const std::vector<Configuration> &configurations, const Heard &heard) {
  std::vector<std::string> tasks;
  for (const Configuration &configuration : configurations)
    tasks.push_back(textOf(configuration));
  // A rank may have to do the baseline first, and what differs is compiled and run once more: with time to
  // spare, this is when it is taken for dead.
  const Limits &limits = problem.limits;
  const double seconds = 4 * (limits.make + limits.compile + limits.run) + 60;
  bool enough = false;
  auto answered = [&](size_t task, const std::optional<std::string> &answer) {
    const Configuration &configuration = configurations[task];
    enough = !heard(evaluationFrom(configuration, problem.idOf(configuration), answer));
    return !enough;
  };
  for (size_t task : ranks.handOut(tasks, seconds, answered))
    if (!enough)
      enough = !heard(own.evaluate(configurations[task]));
}

void serveConfigurations(ranks::Ranks &ranks, LocalExecutor &executor) {
  ranks.serve([&](const std::string &task) {
    std::optional<Configuration> configuration = configurationFrom(task);
    return configuration ? textOf(executor.evaluate(*configuration)) : std::string();
  });
}

} // namespace heddle::tune
