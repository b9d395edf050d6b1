// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold for every row of the table of directives, so that a new one cannot be half known.
#include "transform/Registry.h"

#include "TestPaths.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace heddle;
using namespace heddle::transform;
using ::testing::HasSubstr;

namespace {

/// The directive with a tuner's words, read as the command line would read it.
std::string complaintAbout(const std::string &text) {
  Diagnostics diagnostics;
  readDirectives(text, diagnostics);
  return diagnostics.empty() ? "" : diagnostics.all().front().text;
}

std::string pageOf(const DirectiveRule &rule) {
  std::ifstream in(std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/directives" / (rule.name + ".md"));
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST(Registry, EveryDirectiveIsDescribedAndDoesSomething) {
  for (const DirectiveRule &rule : directiveRules()) {
    EXPECT_EQ(directiveRule(rule.name), &rule) << "two rows are called " << rule.name;
    EXPECT_FALSE(rule.summary.empty()) << rule.name;
    EXPECT_FALSE(rule.passes.empty()) << rule.name;
    for (const SettingRule &setting : rule.settings) {
      EXPECT_EQ(rule.find(setting.key), &setting) << rule.name << " " << setting.key;
      EXPECT_FALSE(setting.help.empty()) << rule.name << " " << setting.key;
    }
    EXPECT_EQ(rule.subject != Subject::Kernel, rule.candidates != nullptr)
        << rule.name << ": directives on loops and branches must state which they could mean";
  }
}

TEST(Registry, PassesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const DirectiveRule &rule : directiveRules())
    for (const Pass &pass : rule.passes)
      EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
}

TEST(Registry, EveryDirectiveHasAPageThatNamesItsSettings) {
  for (const DirectiveRule &rule : directiveRules()) {
    const std::string page = pageOf(rule);
    ASSERT_FALSE(page.empty()) << "docs/directives/" << rule.name << ".md";
    for (const SettingRule &setting : rule.settings)
      EXPECT_THAT(page, HasSubstr(setting.key + "=")) << rule.name;
  }
}

TEST(Registry, NormalizationsAreListedInTheDocs) {
  std::ifstream in(std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/opt.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const NormalizationRule &rule : normalizationRules())
    EXPECT_THAT(page, HasSubstr("| `" + std::string(rule.name) + "` | ")) << rule.name;
}

TEST(Registry, WhatTheTunerTriesIsAllowed) {
  for (const DirectiveRule &rule : directiveRules())
    for (const TuningSpace &space : rule.tuning)
      for (const TuningSpace::Part &part : space.parts) {
        EXPECT_EQ(complaintAbout(rule.name + " " + part.tried), "") << part.tried;
        EXPECT_EQ(complaintAbout(rule.name + " " + part.values + " " + space.always), "") << part.values;
      }
}

TEST(Registry, UsageShowsSettingsWithTheirValues) {
  EXPECT_EQ(directiveRule("coarsen")->usage(),
            "coarsen [x=N] [y=N] [z=N] [grid=N] [map=interleaved|blocked]");
  EXPECT_EQ(directiveRule("regroup")->usage(), "regroup [by=EXPRESSION] [via=redirect|layout]");
  EXPECT_EQ(directiveRule("nothing"), nullptr);
}
