// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/DependencyFile.h"

#include <gtest/gtest.h>

using namespace heddle::launcher;

namespace {

const std::map<std::string, std::string> renamed = {{"/cache/1f/a.cu", "src/a.cu"}};

} // namespace

TEST(DependencyFile, ARuleNamesTargetsAndFiles) {
  EXPECT_EQ(dependencyRule({"out.cu", "my out.h"}, {"/a/in.cu", "/a/$x/b.h"}),
            "out.cu my\\ out.h: \\\n  /a/$$x/b.h \\\n  /a/in.cu\n");
}

TEST(DependencyFile, TheSourceGetsItsNameBack) {
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/1f/a.cu src/b.h\n", renamed, {}), "a.o: src/a.cu src/b.h\n");
  // As nvcc writes it.
  EXPECT_EQ(
      rewrittenDependencies("a.o : /cache/1f/a.cu \\\n    /usr/include/x.h \\\n    src/b.h\n", renamed, {}),
      "a.o : src/a.cu \\\n    /usr/include/x.h \\\n    src/b.h\n");
}

TEST(DependencyFile, OnlyWholeNamesAreReplaced) {
  const std::string rules = "/cache/1f/a.cu.o: /cache/1f/a.cu.h x/cache/1f/a.cu\n";
  EXPECT_EQ(rewrittenDependencies(rules, renamed, {}), rules);
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/./1f/a.cu\n", renamed, {}), "a.o: src/a.cu\n");
}

TEST(DependencyFile, AFileThatLineDirectivesNameIsThereOnce) {
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/1f/a.cu \\\n  b.h \\\n  src/a.cu \\\n  k.h c.h b.h\n", renamed,
                                  {"k.h"}),
            "a.o: src/a.cu \\\n  b.h \\\n  k.h c.h\n");
}

TEST(DependencyFile, EmbeddedHeadersAreAdded) {
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/1f/a.cu \\\n  src/b.h\n", renamed, {"src/k.h", "src/b.h"}),
            "a.o: src/a.cu \\\n  src/b.h \\\n  src/k.h\n");
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/1f/a.cu", renamed, {"k.h"}), "a.o: src/a.cu \\\n  k.h");
}

TEST(DependencyFile, WithPhonyTargetsTheyGetOneToo) {
  EXPECT_EQ(rewrittenDependencies("a.o: /cache/1f/a.cu b.h\n\nb.h:\n", renamed, {"k.h"}),
            "a.o: src/a.cu b.h \\\n  k.h\n\nb.h:\nk.h:\n");
}

TEST(DependencyFile, NamesAreEscapedAsMakeReadsThem) {
  EXPECT_EQ(escapedForMake("a b#c$d"), "a\\ b\\#c$$d");
  EXPECT_EQ(rewrittenDependencies("a\\ b.o: /my\\ cache/\xc3\xbc/a$$.cu c\\ d.h\n",
                                  {{"/my cache/\xc3\xbc/a$.cu", "s p/\xc3\xbc/a$.cu"}}, {"k k.h"}),
            "a\\ b.o: s\\ p/\xc3\xbc/a$$.cu c\\ d.h \\\n  k\\ k.h\n");
}

TEST(DependencyFile, AColonInANameIsNoRule) {
  EXPECT_EQ(rewrittenDependencies("out:1/a.o: /cache/1f/a.cu\n", renamed, {}), "out:1/a.o: src/a.cu\n");
}

TEST(DependencyFile, WhatIsNoRuleStays) {
  EXPECT_EQ(rewrittenDependencies("", renamed, {"k.h"}), "");
  EXPECT_EQ(rewrittenDependencies("nothing\n", renamed, {"k.h"}), "nothing\n");
}
