// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that captures launches, on programs that run on the simulator in the place of a GPU.
#include "TestPaths.h"
#include "build/Build.h"
#include "capture/CaptureFolder.h"
#include "support/Paths.h"
#include "support/Preload.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

namespace heddle::capture {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr size_t kCount = 1000; // elements of the arrays of memory.cu

/// tests/capture/programs/NAME.cu, compiled once for this process.
fs::path programNamed(const std::string &name) {
  static TemporaryFolder folder;
  fs::path output = folder.path() / name;
  if (fs::exists(output))
    return output;
  build::Request request;
  request.sources.files = {fs::path(HEDDLE_SOURCE_DIR) / "tests/capture/programs" / (name + ".cu")};
  request.compiler = build::Compiler::Clang;
  request.output = output;
  Diagnostics diagnostics;
  const build::Result result = build::build(request, diagnostics);
  EXPECT_TRUE(result.ok) << result.messages;
  return output;
}

/// One run of a program under the library.
struct Capturing {
  TemporaryFolder folder;
  ProcessResult end;
  nlohmann::json result;

  Capturing(const std::string &program, const std::string &way, std::vector<std::string> settings = {}) {
    ProcessRequest command = unattended({programNamed(program).string(), way}, {}, 100);
    command.environment = std::move(settings);
    command.environment.push_back("HEDDLE_CAPTURE=" + (folder.path() / "out").string());
    command.environment.push_back("HEDDLE_CAPTURE_RESULT=" + (folder.path() / "result").string());
    for (const std::string &variable : preloading(HEDDLE_BUILD_DIR "/lib/libheddle_capture.so"))
      command.environment.push_back(variable);
    end = runToEnd(command);
    EXPECT_TRUE(end.succeeded()) << end.standardOutput << end.standardError;
    result = nlohmann::json::parse(std::ifstream(folder.path() / "result"), nullptr, false);
    EXPECT_TRUE(result.is_object()) << "no result";
  }

  CaptureFolder open(const std::string &part = "") const {
    std::string error;
    std::optional<CaptureFolder> opened = CaptureFolder::open(folder.path() / "out" / part, error);
    if (!opened)
      throw std::runtime_error(error + "; " + result.dump());
    return std::move(*opened);
  }
  std::string refused() const { return result.value("refused", "?"); }
};

template <class T> std::vector<T> contentOf(const CaptureFolder &capture, size_t object, When when) {
  std::vector<T> values(capture.manifest.objectBytes(object) / sizeof(T));
  std::string error;
  EXPECT_TRUE(capture.read(object, when, values.data(), error)) << error;
  return values;
}

std::vector<int> triples() {
  std::vector<int> values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    values[i] = int(3 * i);
  return values;
}

std::vector<int> sums() {
  std::vector<int> values = triples();
  for (size_t i = 0; i < kCount; ++i)
    values[i] += int(i % 4) + 1;
  return values;
}

std::vector<std::string> variableNames(const Manifest &manifest) {
  std::vector<std::string> names;
  for (const Variable &variable : manifest.variables)
    names.push_back(variable.name);
  return names;
}

uint64_t pointerIn(const Parameter &parameter, size_t at = 0) {
  uint64_t value = 0;
  std::memcpy(&value, parameter.bytes.data() + at, sizeof value);
  return value;
}

/// Regions by the address that a parameter has.
size_t regionAt(const Manifest &manifest, uint64_t address) {
  for (size_t i = 0; i < manifest.regions.size(); ++i)
    if (manifest.regions[i].address == address)
      return i;
  ADD_FAILURE() << "no region at " << std::hex << address;
  return 0;
}

/// A launch of `add`, whatever kind of memory it is given.
void expectSums(const CaptureFolder &capture, RegionKind kind) {
  const Manifest &manifest = capture.manifest;
  ASSERT_EQ(manifest.parameters.size(), 3u);
  const size_t to = regionAt(manifest, pointerIn(manifest.parameters[0])),
               from = regionAt(manifest, pointerIn(manifest.parameters[1]));
  EXPECT_EQ(manifest.regions[from].kind, kind);
  EXPECT_EQ(contentOf<int>(capture, from, When::Before), triples());
  EXPECT_EQ(contentOf<int>(capture, from, When::After), triples());
  std::vector<int> after = contentOf<int>(capture, to, When::After);
  after.resize(kCount); // rows may be longer
  EXPECT_EQ(after, sums());
}

TEST(Capture, TheLaunchIsDescribed) {
  const CaptureFolder capture =
      Capturing("memory", "device", {"HEDDLE_CAPTURE_PROGRAM=./memory device"}).open();
  const Manifest &manifest = capture.manifest;
  EXPECT_EQ(manifest.kernel, "_Z3addPiPKii");
  EXPECT_EQ(manifest.name, "add(int*, int const*, int)");
  EXPECT_EQ(manifest.device, "simulator");
  EXPECT_EQ(manifest.arch, "sm_90");
  EXPECT_EQ(manifest.program, "./memory device");
  EXPECT_EQ(manifest.launch, 1u);
  EXPECT_EQ(manifest.grid.x, 4u);
  EXPECT_EQ(manifest.block.x, 256u);
  EXPECT_FALSE(manifest.cooperative);
  EXPECT_EQ(manifest.parameters[1].offset, 8u);
  EXPECT_EQ(manifest.parameters[2].offset, 16u);
  EXPECT_THAT(manifest.parameters[2].bytes, ElementsAre(0xe8, 3, 0, 0));
}

TEST(Capture, DeviceMemoryThatIsReachedIsSavedAndOtherIsNot) {
  const Capturing run("memory", "device");
  const CaptureFolder capture = run.open();
  expectSums(capture, RegionKind::Device);
  EXPECT_EQ(capture.manifest.regions.size(), 2u);
  for (size_t i = 0; i < capture.manifest.regions.size(); ++i) {
    EXPECT_EQ(capture.manifest.regions[i].address >> 40, 0x12u);
    EXPECT_EQ(capture.manifest.regions[i].bytes, kCount * sizeof(int));
  }
  EXPECT_EQ(run.end.standardOutput, "ok\n");
}

TEST(Capture, AllMemoryIsSavedWhereThatIsWanted) {
  const CaptureFolder capture = Capturing("memory", "device", {"HEDDLE_CAPTURE_ALL_MEMORY=1"}).open();
  EXPECT_EQ(capture.manifest.regions.size(), 3u); // and not what was freed
  bool hasFives = false;
  for (size_t i = 0; i < 3; ++i)
    hasFives |= contentOf<int>(capture, i, When::Before) == std::vector<int>(kCount, 5);
  EXPECT_TRUE(hasFives);
}

TEST(Capture, AddressesAreTheSameInEveryRun) {
  const CaptureFolder a = Capturing("memory", "list").open(), b = Capturing("memory", "list").open();
  EXPECT_EQ(textOf(a.manifest), textOf(b.manifest));
}

TEST(Capture, LargeMemoryOfSeveralChunks) {
  const CaptureFolder capture = Capturing("memory", "large").open();
  ASSERT_EQ(capture.manifest.regions.size(), 2u);
  const size_t to = regionAt(capture.manifest, pointerIn(capture.manifest.parameters[0]));
  const std::vector<int> after = contentOf<int>(capture, to, When::After);
  ASSERT_EQ(after.size(), 1300000u);
  EXPECT_EQ(after[1299999], 3 * 1299999 + 1299999 % 4 + 1);
  EXPECT_EQ(capture.store.changedChunks(to).size(), 5u);
  EXPECT_THAT(capture.store.changedChunks(1 - to), IsEmpty());
}

TEST(Capture, PointersInAStructThatIsPassedByValue) {
  const CaptureFolder capture = Capturing("memory", "struct").open();
  ASSERT_EQ(capture.manifest.parameters.size(), 1u);
  EXPECT_EQ(capture.manifest.parameters[0].bytes.size(), 24u);
  EXPECT_EQ(capture.manifest.regions.size(), 2u);
  const size_t from = regionAt(capture.manifest, pointerIn(capture.manifest.parameters[0], 8));
  EXPECT_EQ(contentOf<int>(capture, from, When::Before), triples());
}

TEST(Capture, AListIsFollowedToItsEnd) {
  const CaptureFolder capture = Capturing("memory", "list").open();
  EXPECT_EQ(capture.manifest.regions.size(), 10u);
  const std::vector<std::string> names = variableNames(capture.manifest);
  ASSERT_THAT(names, Contains("total"));
  const size_t total = capture.manifest.regions.size() +
                       size_t(std::find(names.begin(), names.end(), "total") - names.begin());
  EXPECT_THAT(contentOf<int>(capture, total, When::Before), ElementsAre(0));
  EXPECT_THAT(contentOf<int>(capture, total, When::After), ElementsAre(45));
}

TEST(Capture, MemoryThatAVariablePointsToIsReached) {
  const CaptureFolder capture = Capturing("memory", "variable").open();
  ASSERT_EQ(capture.manifest.regions.size(), 1u);
  EXPECT_EQ(contentOf<int>(capture, 0, When::Before), triples());
  EXPECT_EQ(contentOf<int>(capture, 0, When::After)[999], 2998);
  EXPECT_THAT(variableNames(capture.manifest), Contains("viaVariable"));
}

TEST(Capture, ConstantVariablesAreSavedAsSuch) {
  const CaptureFolder capture = Capturing("memory", "device").open();
  const Manifest &manifest = capture.manifest;
  for (size_t i = 0; i < manifest.variables.size(); ++i) {
    EXPECT_EQ(manifest.variables[i].kind == VariableKind::Constant, manifest.variables[i].name == "table");
    if (manifest.variables[i].name == "table")
      EXPECT_THAT(contentOf<int>(capture, manifest.regions.size() + i, When::Before),
                  ElementsAre(1, 2, 3, 4));
  }
  EXPECT_THAT(manifest.pointsIntoVariables, IsEmpty());
}

TEST(Capture, APointerIntoAVariableIsNoted) {
  EXPECT_THAT(Capturing("memory", "pointer").open().manifest.pointsIntoVariables, Contains("total"));
}

TEST(Capture, APointerIntoAVariableThatTheLaunchLeavesIsNoted) {
  EXPECT_THAT(Capturing("memory", "link").open().manifest.pointsIntoVariables, Contains("total"));
}

TEST(Capture, APointerToALiteralIsThatOfTheModule) {
  EXPECT_THAT(Capturing("memory", "literal").open().manifest.modulePointers,
              ElementsAre(Manifest::ModulePointer{"text", 0}));
}

TEST(Capture, ALaunchThatChangesAPointerToALiteralIsRefused) {
  EXPECT_THAT(Capturing("memory", "other literal").refused(), HasSubstr("such as a string literal"));
}

TEST(Capture, ManagedMemory) {
  const CaptureFolder capture = Capturing("memory", "managed").open();
  expectSums(capture, RegionKind::Managed);
  EXPECT_EQ(capture.manifest.regions[0].address >> 40, 0x18u);
}

TEST(Capture, PinnedMemory) { expectSums(Capturing("memory", "pinned").open(), RegionKind::Pinned); }

TEST(Capture, MemoryOfStreamsAndRowsWithAPitch) {
  const CaptureFolder capture = Capturing("memory", "stream").open();
  expectSums(capture, RegionKind::Device);
  const size_t rows = regionAt(capture.manifest, pointerIn(capture.manifest.parameters[0]));
  EXPECT_EQ(capture.manifest.regions[rows].bytes, 3 * 4096u);
}

TEST(Capture, AnErrorThatTheProgramHasNotAskedForStaysTheProgramsOwn) {
  const Capturing run("memory", "asking late", {"HEDDLE_CAPTURE_KERNEL=add"});
  expectSums(run.open(), RegionKind::Device);
}

TEST(Capture, TheFirstLaunchIsCapturedAndAllAreMeasured) {
  const Capturing run("memory", "shapes", {"HEDDLE_CAPTURE_KERNEL=scale"});
  EXPECT_EQ(run.open().manifest.grid.x, 1u);
  EXPECT_EQ(run.result["unit"], "instructions");
  const nlohmann::json &shapes = run.result["shapes"];
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0]["launches"], 1);
  EXPECT_EQ(shapes[1]["launches"], 3);
  EXPECT_EQ(shapes[1]["first"], 2);
  EXPECT_EQ(shapes[1]["grid"], nlohmann::json({4, 1, 1}));
  EXPECT_EQ(shapes[2]["block"], nlohmann::json({128, 1, 1}));
  EXPECT_EQ(shapes[0]["cost"], shapes[2]["cost"]); // both do 256 elements
  EXPECT_GT(shapes[1]["cost"], 10 * shapes[0]["cost"].get<double>());
  EXPECT_EQ(run.result["others"], nlohmann::json({{"_Z3addPiPKii", 1}}));
}

TEST(Capture, ALaunchByItsNumberSeesWhatEarlierOnesLeft) {
  const Capturing run("memory", "shapes", {"HEDDLE_CAPTURE_KERNEL=scale", "HEDDLE_CAPTURE_LAUNCH=3"});
  const CaptureFolder capture = run.open();
  EXPECT_EQ(capture.manifest.launch, 3u);
  ASSERT_EQ(capture.manifest.regions.size(), 1u);
  EXPECT_EQ(contentOf<float>(capture, 0, When::Before)[0], 6.0f);
  EXPECT_EQ(contentOf<float>(capture, 0, When::Before)[999], 3.0f);
  EXPECT_EQ(contentOf<float>(capture, 0, When::After)[0], 18.0f);
  EXPECT_EQ(run.end.standardOutput, "ok\n");
}

TEST(Capture, TheProgramIsStoppedWhereThatIsWanted) {
  const Capturing run("memory", "shapes",
                      {"HEDDLE_CAPTURE_KERNEL=scale", "HEDDLE_CAPTURE_LAUNCH=3", "HEDDLE_CAPTURE_STOP=1"});
  EXPECT_EQ(run.open().manifest.launch, 3u);
  EXPECT_EQ(run.end.standardOutput, "");
}

TEST(Capture, EachShapeHasAFolder) {
  const Capturing run("memory", "shapes", {"HEDDLE_CAPTURE_KERNEL=scale", "HEDDLE_CAPTURE_LAUNCH=all"});
  EXPECT_EQ(run.open("1").manifest.launch, 1u);
  EXPECT_EQ(run.open("2").manifest.launch, 2u);
  EXPECT_EQ(run.open("3").manifest.launch, 5u);
  EXPECT_EQ(run.result["captured"].size(), 3u);
}

TEST(Capture, ALaunchThatFailsIsReportedOrIsNone) {
  EXPECT_THAT(Capturing("memory", "failing").refused(), HasSubstr("the launch fails: "));
  const Capturing all("memory", "failing", {"HEDDLE_CAPTURE_LAUNCH=all"});
  EXPECT_EQ(all.refused(), "");
  EXPECT_EQ(all.open("1").manifest.launch, 2u);
}

/// `heddle capture` with an executable in place of sources: it is linked with the simulator's runtime.
TEST(Capture, AProgramThatIsBuiltAlready) {
  TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  const ProcessResult end =
      runProcess({HEDDLE_BUILD_DIR "/heddle", "capture", programNamed("memory").string(), "-k", "sumList",
                  "-o", out.string(), "--", "list"});
  ASSERT_EQ(end.exitCode, 0) << end.standardError;
  EXPECT_THAT(end.standardOutput, HasSubstr("launch 1 of sumList(Node const*)"));
  std::string error;
  const std::optional<CaptureFolder> capture = CaptureFolder::open(out, error);
  ASSERT_TRUE(capture) << error;
  EXPECT_EQ(capture->manifest.regions.size(), 10u);
  EXPECT_FALSE(fs::exists(out / "Makefile")) << "its sources are not known";
}

TEST(Capture, AKernelThatIsNotLaunchedLeavesTheNamesOfOthers) {
  const Capturing run("memory", "shapes", {"HEDDLE_CAPTURE_KERNEL=none"});
  EXPECT_THAT(run.result["captured"], IsEmpty());
  EXPECT_EQ(run.refused(), "");
  EXPECT_EQ(run.result["others"], nlohmann::json({{"_Z3addPiPKii", 1}, {"_Z5scalePffi", 5}}));
  EXPECT_FALSE(fs::exists(run.folder.path() / "out/launch.txt"));
}

TEST(Capture, ALaunchInAGraphIsReported) {
  const Capturing run("memory", "graph", {"HEDDLE_CAPTURE_KERNEL=scale"});
  EXPECT_THAT(run.result["captured"], IsEmpty());
  EXPECT_EQ(run.result["graphs"], nlohmann::json({{"_Z5scalePffi", 1}}));
  EXPECT_EQ(run.end.standardOutput, "ok\n");
}

TEST(Capture, ATextureIsCapturedWithTheMemoryThatItReads) {
  const Capturing run("memory", "texture", {"HEDDLE_CAPTURE_KERNEL=readTexture"});
  EXPECT_EQ(run.refused(), "");
  EXPECT_EQ(run.end.standardOutput, "ok\n");
  std::string error;
  const std::optional<CaptureFolder> capture = CaptureFolder::open(run.folder.path() / "out", error);
  ASSERT_TRUE(capture) << error;
  ASSERT_EQ(capture->manifest.textures.size(), 1u);
  const TextureObject &texture = capture->manifest.textures[0];
  EXPECT_EQ(texture.memory, TextureObject::Memory::Linear);
  EXPECT_EQ(texture.format.bits[0], 32u);
  ASSERT_EQ(capture->manifest.regions.size(), 2u) << "what is written, and what only the texture points to";
  EXPECT_EQ(capture->manifest.regions[0].address, texture.address);
  EXPECT_EQ(capture->manifest.regions[0].bytes, texture.width);
}

TEST(Capture, RegisteredHostMemoryIsRefused) {
  const Capturing run("memory", "registered");
  EXPECT_THAT(run.refused(), HasSubstr("host memory that the program registered"));
  EXPECT_THAT(run.result["captured"], IsEmpty());
  EXPECT_FALSE(fs::exists(run.folder.path() / "out")) << "half of a capture is left";
}

} // namespace
} // namespace heddle::capture
