// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program heddle-replay on the simulator: what it reports of candidates that are right, wrong, or do not end.
#include "TestCapture.h"
#include "Worker.h"
#include "support/Process.h"

#include <gmock/gmock.h>

namespace heddle::replay::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Replay : public testing::Test {
protected:
  TemporaryFolder temporary;
  TestCapture capture;
  int files = 0;

  fs::path folder() {
    const fs::path path = temporary.path / "capture";
    if (!fs::exists(path))
      capture.write(path);
    return path;
  }
  std::string module(const std::string &text) {
    const fs::path file = temporary.path / ("candidate " + std::to_string(++files) + ".ptx");
    writeText(file, text);
    return file.string();
  }
  /// A request for a module; the launch is that of the capture.
  static std::string request(const std::string &file, const std::string &more = "",
                             const std::string &kernel = "scale", const std::string &block = "256") {
    std::string encoded;
    for (char c : file)
      encoded += c == ' ' ? "%20" : std::string(1, c);
    return "measure 1 " + encoded + " " + kernel + " " + std::to_string((TestCapture::Count + 255) / 256) +
           " 1 1 " + block + " 1 1 0 5 1 0 10 " + more;
  }
  std::string requestOf(const std::string &text) { return request(module(text)); }
};

TEST_F(Replay, BaselineIsTheSameBitByBitAnyNumberOfTimes) {
  Worker worker(folder());
  const json ready = worker.receive();
  EXPECT_EQ(ready["event"], "ready");
  EXPECT_EQ(ready["device"], "simulator");
  EXPECT_THAT(ready["arch"].get<std::string>(), StartsWith("sm_"));
  EXPECT_EQ(ready["regions"], 5);
  EXPECT_EQ(ready["bytes"], 40 + 3 * 12 + 4 * TestCapture::Count + 8);
  const std::string file = module(TestCapture::kernel());
  for (int i = 0; i < 3; ++i) {
    const json result = worker.ask(request(file));
    EXPECT_EQ(result["status"], "same") << result;
    EXPECT_EQ(result["unit"], "instructions");
    ASSERT_EQ(result["micros"].size(), 1u);
    EXPECT_GT(result["micros"][0], 100000) << "all warps, and nothing else";
    EXPECT_LT(result["micros"][0], 1000000);
    EXPECT_GT(result["occupancy"], 0);
  }
  worker.send("quit");
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Replay, WhatALaunchNeedsIsCountedForEachCandidate) {
  const std::string atEnd = (temporary.path / "end.json").string(), file = module(TestCapture::kernel());
  Worker worker(folder(), {"--driver", kSimulator}, {"HEDDLE_COUNTERS=" + atEnd});
  worker.receive();
  auto counted = [&](const std::string &candidate, const std::string &block) {
    const fs::path counters = temporary.path / "counters of one.json";
    fs::remove(counters);
    const json result = worker.ask(request(
        candidate, "counters=" + (temporary.path / "counters%20of%20one.json").string(), "scale", block));
    EXPECT_NE(result["status"], "failed") << result;
    return json::parse(std::ifstream(counters), nullptr, false);
  };
  // As often as a process is asked: the simulator counts a kernel's first launches only.
  const json first = counted(file, "256");
  ASSERT_EQ(first["launches"].size(), 1u) << first;
  EXPECT_EQ(first["launches"][0]["kernel"], "scale");
  EXPECT_EQ(first["launches"][0]["block"], json::parse("[256,1,1]"));
  const json other = counted(module(TestCapture::kernel("add.u32 %v, %v, 0;")), "128");
  ASSERT_EQ(other["launches"].size(), 1u) << "its own alone";
  EXPECT_EQ(other["launches"][0]["block"], json::parse("[128,1,1]"));
  json again = counted(file, "256");
  again["launches"][0]["number"] = first["launches"][0]["number"];
  EXPECT_EQ(again, first);

  Worker plain(folder());
  plain.receive();
  const json refused = plain.ask(request(file, "counters=" + atEnd));
  EXPECT_EQ(refused["status"], "failed");
  EXPECT_THAT(refused["text"].get<std::string>(), HasSubstr("HEDDLE_COUNTERS must be set"));
}

TEST_F(Replay, OneWrongElementIsFoundInItsObject) {
  Worker worker(folder());
  worker.receive();
  // In the third chunk, one bit of one value.
  const std::string wrong = TestCapture::onlyThread(550001, "xor.b32 %v, %v, 256; st.global.u32 [%at], %v;");
  const std::string differences = (temporary.path / "differences").string();
  const json result = worker.ask(request(module(TestCapture::kernel(wrong)), differences));
  EXPECT_EQ(result["status"], "differs");
  EXPECT_EQ(result["differing"], json::parse(R"([{"object":2,"bytes":1,"first":2200005}])")) << result;
  EXPECT_THAT(result["text"].get<std::string>(), HasSubstr("1 byte differs, at offset 2200005"));
  std::ifstream in(differences, std::ios::binary);
  uint64_t words[2] = {};
  in.read(reinterpret_cast<char *>(words), sizeof words);
  EXPECT_EQ(words[0], uint64_t(TestCapture::ValuesObject));
  ASSERT_EQ(words[1], 4 * TestCapture::Count);
  std::vector<uint32_t> left(TestCapture::Count);
  in.read(reinterpret_cast<char *>(left.data()), std::streamsize(words[1]));
  EXPECT_EQ(size_t(in.gcount()), words[1]);
  EXPECT_EQ(left[550001], (550001u * 3) ^ 256);
  left[550001] ^= 256;
  EXPECT_EQ(TestCapture::bytesOf(left), capture.objects[TestCapture::ValuesObject].after);
  // The next candidate finds everything as it was.
  EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel()))["status"], "same");
}

TEST_F(Replay, EveryObjectIsCompared) {
  Worker worker(folder());
  worker.receive();
  struct Case {
    std::string store;
    TestCapture::Object object;
    uint64_t first;
  };
  for (const Case &each :
       {Case{"mov.u32 %v, 77; st.global.u8 [%head+39], %v;", TestCapture::HeadObject,
             39}, // padding of the struct
        Case{"ld.global.u64 %at, [%head+8]; st.global.u32 [%at+8], 77;", TestCapture::SumsObject, 8},
        Case{"ld.global.u64 %at, [%head+16]; st.global.u32 [%at+4], 77;", TestCapture::ManagedObject, 4},
        Case{"ld.global.u64 %at, [%head+24]; st.global.u32 [%at+4], 77;", TestCapture::PinnedObject, 4},
        Case{"st.global.u32 [counter], 77;", TestCapture::CounterObject, 0}}) {
    const json result = worker.ask(requestOf(TestCapture::kernel(TestCapture::onlyThread(0, each.store))));
    EXPECT_EQ(result["status"], "differs") << result;
    ASSERT_EQ(result["differing"].size(), 1u) << result;
    EXPECT_EQ(result["differing"][0]["object"], size_t(each.object));
    EXPECT_EQ(result["differing"][0]["first"], each.first);
    EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel()))["status"], "same") << "after " << each.store;
  }
}

TEST_F(Replay, StoresThatAreMissingAreFound) {
  const std::string empty = ".version 8.0\n.target sm_70\n.address_size 64\n"
                            ".visible .entry scale(.param .u64 head) { ret; }\n";
  for (const char *copies : {"1000", "0"}) {
    Worker worker(folder(), {"--driver", kSimulator, "--copies", copies});
    worker.receive();
    const fs::path differences = temporary.path / "differences";
    const json result = worker.ask(request(module(empty), differences.string()));
    EXPECT_EQ(result["status"], "differs");
    std::vector<size_t> objects;
    uint64_t bytes = 0;
    for (const json &each : result["differing"]) {
      objects.push_back(each["object"]);
      bytes += 16 + capture.objects[objects.back()].before.size();
    }
    // Its module has no counter either, so that keeps its value.
    EXPECT_THAT(objects,
                testing::ElementsAre(size_t(TestCapture::SumsObject), size_t(TestCapture::ValuesObject),
                                     size_t(TestCapture::ManagedObject), size_t(TestCapture::PinnedObject),
                                     size_t(TestCapture::CounterObject)));
    EXPECT_THAT(result["text"].get<std::string>(), HasSubstr("2 more objects differ"));
    ASSERT_EQ(fs::file_size(differences), bytes);
    std::ifstream in(differences, std::ios::binary);
    in.seekg(-4, std::ios::end);
    uint32_t counter = 0;
    in.read(reinterpret_cast<char *>(&counter), 4);
    EXPECT_EQ(counter, 100u);
  }
}

TEST_F(Replay, FullDiskLosesNoResult) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  Worker worker(folder());
  worker.receive();
  const std::string wrong = TestCapture::onlyThread(5, "st.global.u32 [%at], 1;");
  const json result = worker.ask(request(module(TestCapture::kernel(wrong)), "/dev/full"));
  EXPECT_EQ(result["status"], "differs");
  EXPECT_THAT(result["text"].get<std::string>(), HasSubstr("the contents could not be written to /dev/full"));
  EXPECT_TRUE(fs::exists("/dev/full"));
  EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel()))["status"], "same");
}

TEST_F(Replay, StoresOutsideOfRegionsAreFound) {
  Worker worker(folder());
  worker.receive();
  // Behind the three sums there is memory that belongs to nobody, in the same page.
  const std::string store = "ld.global.u64 %at, [%head+8]; st.global.u32 [%at+100], 77;";
  const json result = worker.ask(requestOf(TestCapture::kernel(TestCapture::onlyThread(0, store))));
  EXPECT_EQ(result["status"], "differs");
  EXPECT_TRUE(result["differing"].empty()) << result;
  ASSERT_EQ(result["outside"].size(), 1u) << result;
  EXPECT_EQ(result["outside"][0]["address"], "0x120000001064");
  EXPECT_EQ(result["outside"][0]["bytes"], 1);
  EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel()))["status"], "same");
}

TEST_F(Replay, FaultsEndTheWorkerWithAnAnswer) {
  for (const char *wrong : {"trap;", "mov.u64 %at, 0x160000000000; st.global.u32 [%at], %v;"}) {
    Worker worker(folder());
    worker.receive();
    const json result = worker.ask(requestOf(TestCapture::kernel(TestCapture::onlyThread(70, wrong))));
    EXPECT_EQ(result["status"], "failed") << result;
    EXPECT_THAT(result["text"].get<std::string>(), AllOf(StartsWith("the kernel failed: CUDA_ERROR_")));
    EXPECT_EQ(result["fatal"], true);
    EXPECT_TRUE(worker.receive().is_null());
    EXPECT_EQ(worker.wait(), 4);
  }
}

TEST_F(Replay, HangIsEndedByTheCallerAndLeavesNothing) {
  for (int signal : {SIGKILL, SIGTERM}) {
    Worker worker(folder());
    worker.receive();
    worker.send(request(module(TestCapture::kernel("FOREVER: ld.volatile.global.u32 %v, [counter]; "
                                                   "setp.ne.u32 %p, %v, 0; @%p bra FOREVER;")),
                        (temporary.path / "differences").string()));
    usleep(200000);
    worker.kill(signal);
    EXPECT_EQ(worker.wait(), -signal);
    EXPECT_FALSE(fs::exists(temporary.path / "differences"));
  }
  for (const auto &entry : fs::directory_iterator(folder()))
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("launch.txt", "memory.bin", "memory.index"));
  Worker another(folder());
  EXPECT_EQ(another.receive()["event"], "ready");
  EXPECT_EQ(another.ask(requestOf(TestCapture::kernel()))["status"], "same");
}

TEST_F(Replay, HangEndsWithTheCaller) {
  Worker worker(folder());
  worker.receive();
  worker.send(requestOf(TestCapture::kernel("FOREVER: ld.volatile.global.u32 %v, [counter]; "
                                            "setp.ne.u32 %p, %v, 0; @%p bra FOREVER;")));
  usleep(200000);
  worker.closeInput();
  usleep(200000);
  worker.closeOutput(); // as if the caller had been killed
  EXPECT_EQ(worker.wait(), 0);
}

/// Requests may come all at once, from a file.
TEST_F(Replay, RequestsThatWaitAreAnsweredAfterTheInputEnds) {
  Worker worker(folder());
  worker.receive();
  worker.send(requestOf(TestCapture::kernel()));
  worker.send(requestOf(TestCapture::kernel("trap;", "", "other")));
  worker.closeInput();
  EXPECT_EQ(worker.receive()["status"], "same");
  EXPECT_EQ(worker.receive()["status"], "failed");
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Replay, CandidatesThatCannotBeLaunchedEndNothing) {
  Worker worker(folder());
  worker.receive();
  auto failure = [&](const std::string &line) {
    const json result = worker.ask(line);
    EXPECT_EQ(result["status"], "failed") << result;
    EXPECT_EQ(result["fatal"], false);
    return result["text"].get<std::string>();
  };
  EXPECT_THAT(failure(request("/nowhere/x.cubin")), HasSubstr("cannot read /nowhere/x.cubin"));
  EXPECT_THAT(failure(requestOf("")), HasSubstr("is empty"));
  EXPECT_THAT(failure(requestOf("no ptx at all")), HasSubstr("cannot be loaded"));
  EXPECT_THAT(failure(requestOf("\x7f"
                                "ELF cubin")),
              AllOf(HasSubstr("CUDA_ERROR_NO_BINARY_FOR_GPU"), HasSubstr("the simulator runs PTX"),
                    Not(HasSubstr("another GPU"))));
  EXPECT_THAT(failure(request(module(TestCapture::kernel("", "", "other")))),
              HasSubstr("has no kernel 'scale'; it has other"));
  EXPECT_THAT(failure(request(module(TestCapture::kernel()), "", "scale", "2048")),
              AllOf(HasSubstr("the launch was refused"), HasSubstr("block 2048x1x1"),
                    HasSubstr("1024 threads per block")));
  EXPECT_THAT(failure(request(module(TestCapture::kernel()), "parameters=00000000")),
              HasSubstr("has 8 bytes of parameters, and the captured launch 4"));
  std::string wide = TestCapture::kernel();
  wide.replace(wide.find(".u32 counter = 2000"), 19, ".u64 counter = 2000");
  EXPECT_THAT(failure(requestOf(wide)), HasSubstr("variable 'counter' has 8 bytes in this module and 4"));
  EXPECT_THAT(failure("measure 9 nonsense"), HasSubstr("the kernel is missing"));
  EXPECT_EQ(worker.ask("dance")["event"], "error");
  // All of these left the worker as it was.
  EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel()))["status"], "same");
}

TEST_F(Replay, ParametersCanBeOthers) {
  Worker worker(folder());
  worker.receive();
  const std::string file = module(TestCapture::kernel());
  EXPECT_EQ(worker.ask(request(file, "parameters=0000000000120000"))["status"], "same");
  // The sums as a head: behind them is zero, which is the number of values then.
  const json result = worker.ask(request(file, "parameters=0010000000120000"));
  EXPECT_EQ(result["status"], "differs");
  EXPECT_EQ(result["differing"].size(), 5u) << result;
}

TEST_F(Replay, WhatKernelsPrintIsNoReply) {
  Worker worker(folder());
  worker.receive();
  const std::string globals =
      ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n"
      ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n";
  const std::string print = "mov.u64 %at, text; cvta.global.u64 %at, %at; mov.u64 %d, 0;\n"
                            "{ .param .b64 format; .param .b64 values; .param .b32 result;\n"
                            "st.param.b64 [format], %at; st.param.b64 [values], %d;\n"
                            "call.uni (result), vprintf, (format, values); }";
  const json result = worker.ask(requestOf(TestCapture::kernel(TestCapture::onlyThread(0, print), globals)));
  EXPECT_EQ(result["status"], "same") << result;
  worker.closeInput();
  EXPECT_TRUE(worker.receive().is_null());
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Replay, EndsWhenNoProcessReadsItsReplies) {
  Worker worker(folder());
  worker.receive();
  worker.closeOutput();
  worker.offer(requestOf(TestCapture::kernel()));
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Replay, DamageIsReportedWithItsObject) {
  const fs::path bin = folder() / "memory.bin";
  std::fstream file(bin, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::streamoff(fs::file_size(bin) / 2));
  file.put('\x5a'), file.put('\xa5'), file.put('\x5a');
  file.close();
  Worker worker(folder());
  const json error = worker.receive();
  EXPECT_EQ(error["event"], "error") << error;
  EXPECT_THAT(error["text"].get<std::string>(),
              AllOf(HasSubstr("damaged"), HasSubstr("region 0x120000400000")));
  EXPECT_EQ(worker.wait(), 3);
}

TEST_F(Replay, MissingCaptureAndDriverAreReported) {
  Worker nothing(temporary.path / "none");
  EXPECT_EQ(nothing.receive()["event"], "error");
  EXPECT_EQ(nothing.wait(), 3);
  Worker noDriver(folder(), {"--driver", "/nowhere/libcuda.so"});
  EXPECT_THAT(noDriver.receive()["text"].get<std::string>(), HasSubstr("the CUDA driver cannot be loaded"));
  EXPECT_EQ(noDriver.wait(), 3);
}

TEST_F(Replay, AddressesThatCannotBeHadAreReported) {
  // The simulator has its own memory there.
  capture.manifest.regions[TestCapture::ManagedObject].address = uint64_t(1) << 45;
  Worker device(folder());
  EXPECT_THAT(device.receive()["text"].get<std::string>(),
              AllOf(HasSubstr("device memory at 0x200000000000"), HasSubstr("cannot be reserved")));
  EXPECT_EQ(device.wait(), 3);
  capture.manifest.regions[TestCapture::ManagedObject].address = TestCapture::Managed;
  capture.manifest.regions[TestCapture::PinnedObject].address = uint64_t(1) << 45;
  capture.write(temporary.path / "pinned");
  Worker pinned(temporary.path / "pinned");
  EXPECT_THAT(pinned.receive()["text"].get<std::string>(),
              AllOf(HasSubstr("pinned memory at 0x200000000000"), HasSubstr("are in use in this process")));
  EXPECT_EQ(pinned.wait(), 3);
}

TEST_F(Replay, PointersIntoVariablesFollowThem) {
  // The sums hold a pointer to the counter, which the captured launch replaced by one to the next byte.
  const uint64_t counter = 0x234567890000;
  capture.manifest.variables[1].address = counter;
  capture.manifest.pointsIntoVariables.push_back("counter");
  capture.manifest.regions[TestCapture::SumsObject].bytes = 8;
  capture.objects[TestCapture::SumsObject] = {TestCapture::bytesOf<uint64_t>({counter}),
                                              TestCapture::bytesOf<uint64_t>({counter + 1})};
  Worker worker(folder());
  worker.receive();
  std::string first = TestCapture::kernel(),
              second = TestCapture::kernel("", ".visible .global .align 4 .u32 other = 1;");
  for (int i = 0; i < 2; ++i)
    for (const std::string &text : {first, second}) {
      const json result = worker.ask(requestOf(text));
      EXPECT_EQ(result["status"], "same") << result;
    }
  // Through the pointer, one module's counter is as good as another's.
  const std::string store = "ld.global.u64 %at, [%head+8]; ld.global.u64 %at, [%at]; sub.u64 %at, %at, 1;"
                            "st.global.u32 [%at], 101;";
  EXPECT_EQ(worker.ask(requestOf(TestCapture::kernel(TestCapture::onlyThread(0, store))))["status"], "same");
}

TEST_F(Replay, PointersToLiteralsAreThoseOfTheModule) {
  // Where the captured program had its literal, a replay has nothing.
  capture.addVariable("text", TestCapture::bytesOf<uint64_t>({0x234567890000}),
                      capture::VariableKind::Device);
  const std::string read =
      "ld.global.u64 %at, [text]; ld.global.u32 %v, [%at]; setp.ne.u32 %p, %v, 77; @%p trap;";
  const std::string literal =
      ".global .align 4 .u32 literal = 77;\n.visible .global .align 8 .u64 text = literal;\n";
  const std::string first = TestCapture::kernel(read, literal),
                    second =
                        TestCapture::kernel(read, ".visible .global .align 4 .u32 other[99];\n" + literal);
  capture.write(temporary.path / "without");
  Worker without(temporary.path / "without");
  without.receive();
  EXPECT_EQ(without.ask(requestOf(first))["status"], "failed");
  capture.manifest.modulePointers = {{"text", 0}};
  Worker worker(folder());
  worker.receive();
  for (int i = 0; i < 2; ++i)
    for (const std::string &text : {first, second})
      EXPECT_EQ(worker.ask(requestOf(text))["status"], "same");
}

TEST_F(Replay, PointersIntoVariablesWithoutAddressAreRefused) {
  capture.manifest.pointsIntoVariables.push_back("counter");
  Worker worker(folder());
  worker.receive();
  const json result = worker.ask(requestOf(TestCapture::kernel()));
  EXPECT_EQ(result["status"], "failed");
  EXPECT_THAT(result["text"].get<std::string>(), HasSubstr("pointers into variable 'counter'"));
}

TEST_F(Replay, ParametersThatPointIntoVariablesFollowThem) {
  // The head itself is a variable.
  const uint64_t head = 0x234567890000;
  capture.manifest.variables.push_back({"head", 40, capture::VariableKind::Device, head});
  capture.objects.push_back(capture.objects[TestCapture::HeadObject]);
  capture.manifest.pointsIntoVariables.push_back("head");
  capture.manifest.parameters[0].bytes = TestCapture::bytesOf<uint64_t>({head});
  Worker worker(folder());
  worker.receive();
  const std::string text = TestCapture::kernel("", ".visible .global .align 8 .b8 head[40];");
  for (int i = 0; i < 2; ++i) {
    const json result = worker.ask(requestOf(text));
    EXPECT_EQ(result["status"], "same") << result;
  }
}

TEST_F(Replay, CopiesMayBeInHostMemory) {
  // One megabyte is enough for a few of the objects.
  for (const char *copies : {"0", "1"}) {
    Worker worker(folder(), {"--driver", kSimulator, "--host-time", "--copies", copies});
    EXPECT_EQ(worker.receive()["event"], "ready");
    const std::string wrong =
        TestCapture::onlyThread(550001, "xor.b32 %v, %v, 256; st.global.u32 [%at], %v;");
    const json differs = worker.ask(requestOf(TestCapture::kernel(wrong)));
    EXPECT_EQ(differs["differing"], json::parse(R"([{"object":2,"bytes":1,"first":2200005}])")) << differs;
    const json same = worker.ask(requestOf(TestCapture::kernel()));
    EXPECT_EQ(same["status"], "same") << same;
    EXPECT_EQ(same["micros"].size(), 5u);
  }
}

/// The rounds of a GPU: every launch sees what the captured one saw, or it traps.
TEST_F(Replay, RoundsBeginWithRestoredMemoryAndVariables) {
  Worker worker(folder(), {"--driver", kSimulator, "--host-time"});
  EXPECT_EQ(worker.receive()["unit"], "microseconds");
  // The counter is 101 after the launch, the sum 6, a value that the launch does not have to change its own.
  const std::string check = TestCapture::onlyThread(
      0, "ld.global.u32 %v, [counter]; setp.ne.u32 %p, %v, 101; @%p trap;"
         "ld.global.u64 %at, [%head+8]; ld.global.u32 %v, [%at]; setp.ne.u32 %p, %v, 6; @%p trap;"
         "ld.global.u32 %v, [%at+8]; setp.ne.u32 %p, %v, 7; @%p trap; st.global.u32 [%at+8], 8;"
         "ld.global.u64 %at, [%head+24]; ld.global.u32 %v, [%at]; setp.ne.u32 %p, %v, 22; @%p trap;");
  const json result = worker.ask(request(module(TestCapture::kernel(check)), "", "scale", "256"));
  EXPECT_EQ(result["status"], "differs") << result;
  EXPECT_EQ(result["differing"][0]["object"], size_t(TestCapture::SumsObject));
  ASSERT_EQ(result["micros"].size(), 5u) << "rounds without the warm-up";
  for (const json &micros : result["micros"])
    EXPECT_GT(micros, 0);
  // With a flushed cache, and with time for one round at most.
  std::string line = request(module(TestCapture::kernel()));
  line.replace(line.find(" 5 1 0 10"), 9, " 5 1 1 10");
  EXPECT_EQ(worker.ask(line)["micros"].size(), 5u);
  // Any spread is small enough here, and then no spread is.
  line.replace(line.find(" 5 1 1 10"), 9, " 30 1 0 10");
  EXPECT_EQ(worker.ask(line + " steady=1e9")["micros"].size(), 7u);
  EXPECT_EQ(worker.ask(line + " steady=1e-12")["micros"].size(), 30u);
  line.replace(line.find(" 30 1 0 10"), 10, " 5 3 0 0");
  const json late = worker.ask(line);
  EXPECT_EQ(late["status"], "same") << late;
  EXPECT_EQ(late["micros"].size(), 1u);
}

// --- one module, for a person

class ReplayOnce : public Replay {
protected:
  ProcessResult run(const std::string &text, const std::vector<std::string> &more = {}) {
    std::vector<std::string> command = {kProgram,   folder().string(), "--driver",
                                        kSimulator, "--cubin",         module(text)};
    command.insert(command.end(), more.begin(), more.end());
    return runProcess(command, {}, 60);
  }
};

TEST_F(ReplayOnce, PrintsWorkAndResults) {
  const ProcessResult same = run(TestCapture::kernel());
  EXPECT_EQ(same.exitCode, 0) << same.standardError;
  EXPECT_THAT(same.standardOutput,
              AllOf(HasSubstr("kernel   scale(Head *)\n"), HasSubstr("block 256,1,1"),
                    HasSubstr("5 regions and 2 variables"), HasSubstr("warp instructions"),
                    HasSubstr("results  as captured, bit by bit\n")));
  const ProcessResult differs =
      run(TestCapture::kernel(TestCapture::onlyThread(9, "st.global.u32 [%at], 1;")));
  EXPECT_EQ(differs.exitCode, 1);
  EXPECT_THAT(differs.standardOutput, HasSubstr("results  differ: region 0x120000400000"));
}

TEST_F(ReplayOnce, ExitCodesDistinguishFailures) {
  EXPECT_EQ(run(TestCapture::kernel("trap;")).exitCode, 4);
  const ProcessResult missing = run(TestCapture::kernel(), {"--kernel", "none"});
  EXPECT_EQ(missing.exitCode, 3);
  EXPECT_THAT(missing.standardError, HasSubstr("has no kernel 'none'"));
  EXPECT_EQ(run(TestCapture::kernel(), {"--block", "4096,1,1"}).exitCode, 3);
  EXPECT_EQ(run(TestCapture::kernel(), {"--rounds", "-1"}).exitCode, 2);
  EXPECT_EQ(run(TestCapture::kernel(), {"--serve"}).exitCode, 2);
  EXPECT_EQ(runProcess({kProgram}, {}, 60).exitCode, 2);
  EXPECT_EQ(runProcess({kProgram, "--help"}, {}, 60).exitCode, 0);
}

} // namespace
} // namespace heddle::replay::test
