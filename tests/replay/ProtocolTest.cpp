// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Protocol.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <random>

namespace heddle::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Request parsed(const std::string &line) {
  std::string error;
  std::optional<Request> request = parseMeasure(line, error);
  EXPECT_TRUE(request) << error;
  return request.value_or(Request());
}
std::string wrong(const std::string &line) {
  std::string error;
  EXPECT_FALSE(parseMeasure(line, error)) << line;
  return error;
}

TEST(Protocol, MeasureHasItsWordsInOrder) {
  const Request request = parsed("measure 7 /tmp/a%20b.cubin _Z5scalePf 4096 2 3 256 4 5 1024 20 2 1 1.5");
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.module, "/tmp/a b.cubin");
  EXPECT_EQ(request.kernel, "_Z5scalePf");
  EXPECT_THAT(request.grid, ElementsAre(4096, 2, 3));
  EXPECT_THAT(request.block, ElementsAre(256, 4, 5));
  EXPECT_EQ(request.sharedBytes, 1024u);
  EXPECT_EQ(request.rounds, 20u);
  EXPECT_EQ(request.warmUps, 2u);
  EXPECT_TRUE(request.flushesL2);
  EXPECT_EQ(request.seconds, 1.5);
  EXPECT_EQ(request.differencesFile, "");
  EXPECT_THAT(request.cluster, ElementsAre(1, 1, 1));
  EXPECT_FALSE(request.isCooperative);
  EXPECT_FALSE(request.parameters);
}

const std::string Start = "measure a f k 1 1 1 32 1 1 0 5 1 0 1";

TEST(Protocol, FileAndAttributesFollow) {
  const Request request = parsed(Start + " /tmp/d%25 cluster=2,1,4 cooperative=1 parameters=00ffA0");
  EXPECT_EQ(request.differencesFile, "/tmp/d%");
  EXPECT_THAT(request.cluster, ElementsAre(2, 1, 4));
  EXPECT_TRUE(request.isCooperative);
  ASSERT_TRUE(request.parameters);
  EXPECT_THAT(*request.parameters, ElementsAre(0, 255, 160));
  EXPECT_TRUE(parsed(Start + " cooperative=1").isCooperative);
  EXPECT_EQ(parsed(Start + " counters=/tmp/c%20d").countersFile, "/tmp/c d");
  EXPECT_EQ(parsed(Start + " counters=/tmp/c").differencesFile, "");
  EXPECT_THAT(wrong(Start + " counters="), HasSubstr("is not an attribute"));
  EXPECT_EQ(parsed(Start).steady, 0);
  EXPECT_EQ(parsed(Start + " steady=0.005").steady, 0.005);
  for (const char *word : {" steady=", " steady=-1", " steady=x", " steady=1x", " steady=inf"})
    EXPECT_THAT(wrong(Start + word), HasSubstr("is not an attribute")) << word;
  EXPECT_EQ(parsed(Start + " cooperative=1").differencesFile, "");
}

TEST(Protocol, WhatIsWrongIsNamed) {
  EXPECT_EQ(wrong("measure"), "measure: the identifier is missing");
  EXPECT_EQ(wrong("measure 1 f"), "measure: the kernel is missing");
  EXPECT_EQ(wrong("measure 1 f k 1 1"), "measure: the grid's z is missing");
  EXPECT_THAT(wrong("measure 1 f k 1 1 -1 32 1 1 0 5 1 0 1"),
              HasSubstr("the grid's z is '-1', not an integer"));
  EXPECT_THAT(wrong("measure 1 f k 1 1 1 4294967296 1 1 0 5 1 0 1"), HasSubstr("the block's x"));
  EXPECT_THAT(wrong("measure 1 f k 1 1 1 32 1 1 0 5 1 2 1"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(wrong("measure 1 f k 1 1 1 32 1 1 0 5 1 0 soon"), HasSubstr("seconds is 'soon'"));
  EXPECT_THAT(wrong("measure 1 f k 1 1 1 32 1 1 0 5 1 0 nan"), HasSubstr("seconds"));
  EXPECT_THAT(wrong(Start + " cluster=2,2"), HasSubstr("'cluster=2,2' is not an attribute"));
  EXPECT_THAT(wrong(Start + " cluster=2,2,0"), HasSubstr("not an attribute"));
  EXPECT_THAT(wrong(Start + " parameters=abc"), HasSubstr("not an attribute"));
  EXPECT_THAT(wrong(Start + " file again"), HasSubstr("'again' is not an attribute"));
}

TEST(Protocol, EveryTextComesThroughPercentEncoding) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (size_t letters = random() % 40; text.size() < letters;)
      text += char(1 + random() % 255);
    const std::string encoded = percentEncoded(text);
    EXPECT_EQ(encoded.find_first_of(" \n\t\r"), std::string::npos);
    EXPECT_EQ(percentDecoded(encoded), text);
  }
  EXPECT_EQ(percentDecoded("100%"), "100%");
  EXPECT_EQ(percentDecoded("%4"), "%4");
  EXPECT_EQ(percentDecoded("%zz%41"), "%zzA");
}

TEST(Protocol, LinesOfBytesDoNotCrashTheParser) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    std::string line = Start, error;
    for (int change = 0; change < 4; ++change)
      line[random() % line.size()] = char(random());
    parseMeasure(line.substr(0, random() % line.size()), error);
  }
}

TEST(Protocol, ReplyIsOneLineOfJson) {
  Measurement m;
  m.status = Status::Differs;
  m.text = "a \"b\"\n\\\x01";
  m.times = {1.25, 2};
  m.registers = 40, m.localBytes = 8, m.sharedBytes = 1024, m.occupancy = 62.5, m.seconds = 0.5;
  m.differing = {{3, 4, 5}, {6, 7, uint64_t(1) << 40}};
  m.outside = {{0x120000000800, 9}};
  const std::string line = resultLine("x\"1", m);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["event"], "result");
  EXPECT_EQ(json["id"], "x\"1");
  EXPECT_EQ(json["status"], "differs");
  EXPECT_EQ(json["text"], m.text);
  EXPECT_EQ(json["unit"], "microseconds");
  EXPECT_EQ(json["micros"], nlohmann::json({1.25, 2.0}));
  EXPECT_EQ(json["registers"], 40);
  EXPECT_EQ(json["local_bytes"], 8);
  EXPECT_EQ(json["shared_bytes"], 1024);
  EXPECT_EQ(json["occupancy"], 62.5);
  EXPECT_EQ(json["differing"][1]["first"], uint64_t(1) << 40);
  EXPECT_EQ(json["outside"][0]["address"], "0x120000000800");
  EXPECT_EQ(json["seconds"], 0.5);
  m.times = {123456789012};
  const auto counted = nlohmann::json::parse(resultLine("1", m, false));
  EXPECT_EQ(counted["unit"], "instructions");
  EXPECT_EQ(counted["micros"][0], 123456789012);
  EXPECT_EQ(nlohmann::json::parse(errorLine("no \t"))["text"], "no \t");
}

} // namespace
} // namespace heddle::replay
