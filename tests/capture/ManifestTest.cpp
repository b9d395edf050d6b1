// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/Manifest.h"

#include <gmock/gmock.h>

namespace heddle::capture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Manifest sample() {
  Manifest manifest;
  manifest.program = "./a.out \"two words\" \\ \n\x01";
  manifest.device = "simulator";
  manifest.arch = "sm_90a";
  manifest.kernel = "_Z5saxpyifPKfPf";
  manifest.name = "saxpy(int, float, const float*, float*)";
  manifest.launch = 3;
  manifest.micros = 12.5;
  manifest.grid = {4096, 2, 1};
  manifest.block = {256, 1, 1};
  manifest.sharedBytes = 1024;
  manifest.cooperative = true;
  manifest.parameters = {{0, {0, 0x10, 0, 0}}, {8, {0, 0, 0, 0, 0, 0x10, 0xff, 0}}, {16, {}}};
  manifest.regions = {{0x100000000000, 4194304, RegionKind::Device},
                      {0x180000000000, 3, RegionKind::Pinned},
                      {0x180000001000, 4, RegionKind::Managed}};
  manifest.variables = {{"_ZL5table", 1024, VariableKind::Constant},
                        {"count", 4, VariableKind::Managed, 0x7f0000001000}};
  manifest.pointsIntoVariables = {"_ZL5table"};
  manifest.modulePointers = {{"_ZL5table", 16}};
  return manifest;
}

/// Why the text is no manifest; "" where it is one.
std::string whyNot(const std::string &text) {
  std::string error;
  return manifestOf(text, error) ? "" : error;
}

TEST(Manifest, ReadsBackWhatItWrote) {
  std::string error;
  const std::optional<Manifest> read = manifestOf(textOf(sample()), error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(textOf(*read), textOf(sample()));
  EXPECT_EQ(read->program, sample().program);
  EXPECT_EQ(read->micros, 12.5);
  EXPECT_EQ(read->grid.x, 4096u);
  EXPECT_EQ(read->regions[1].kind, RegionKind::Pinned);
  EXPECT_THAT(read->parameters[1].bytes, ElementsAre(0, 0, 0, 0, 0, 0x10, 0xff, 0));
  EXPECT_TRUE(read->parameters[2].bytes.empty());
  EXPECT_EQ(read->modulePointers, sample().modulePointers);
}

TEST(Manifest, HasTheDocumentedLines) {
  const std::string text = textOf(sample());
  for (const char *line :
       {"heddle-capture 1\n", "\nkernel _Z5saxpyifPKfPf\n", "\ngrid 4096 2 1\n", "\nparameter 0 4 00100000\n",
        "\nregion 0x100000000000 4194304 device\n", "\nvariable _ZL5table 1024 constant\n",
        "\npoints-into-variable _ZL5table\n", "\nmodule-pointer _ZL5table 16\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Manifest, WithoutATimeHasNone) {
  Manifest manifest = sample();
  manifest.micros.reset();
  std::string error;
  const std::optional<Manifest> read = manifestOf(textOf(manifest), error);
  ASSERT_TRUE(read) << error;
  EXPECT_FALSE(read->micros);
}

TEST(Manifest, ObjectsAreRegionsThenVariables) {
  const Manifest manifest = sample();
  EXPECT_EQ(manifest.objects(), 5u);
  EXPECT_EQ(manifest.objectBytes(0), 4194304u);
  EXPECT_EQ(manifest.objectBytes(3), 1024u);
  EXPECT_EQ(manifest.objectName(0), "region 0x100000000000 (4194304 bytes)");
  EXPECT_EQ(manifest.objectName(4), "variable 'count'");
}

TEST(Manifest, ArraysTexturesAndSurfacesAreReadBack) {
  Manifest manifest = sample();
  manifest.arrays.push_back({64, 32, 0, {{8, 8, 8, 8}, 1}, 2});
  manifest.arrays.push_back({100, 0, 0, {{32, 0, 0, 0}, 2}, 0});
  TextureObject texture, linear, pitch, surface;
  texture.handle = 3, texture.array = 1, texture.filter = 1, texture.readMode = 1, texture.isNormalized = 1;
  texture.addressModes[2] = 3, texture.border[3] = 0x3f800000;
  linear.handle = 4, linear.memory = TextureObject::Memory::Linear, linear.address = 0x120000000000;
  linear.width = 400, linear.format = {{32, 32, 0, 0}, 0};
  pitch.handle = 5, pitch.memory = TextureObject::Memory::Pitch, pitch.address = 0x120000001000;
  pitch.width = 50, pitch.height = 7, pitch.pitch = 512, pitch.format = {{16, 0, 0, 0}, 2};
  surface.kind = TextureObject::Kind::Surface, surface.handle = 6;
  manifest.textures = {texture, linear, pitch, surface};
  const std::string text = textOf(manifest);
  for (const char *line :
       {"\narray 64 32 0 8 8 8 8 1 2\n", "\ntexture 3 array 1 0 0 3 1 1 0 1 0 0 0 0 1065353216\n",
        "\ntexture 4 linear 0x120000000000 400 32 32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        "\ntexture 5 pitch 0x120000001000 50 7 512 16 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0\n",
        "\nsurface 6 array 0\n"})
    EXPECT_THAT(text, HasSubstr(line));
  std::string error;
  const std::optional<Manifest> read = manifestOf(text, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(textOf(*read), text);
  EXPECT_EQ(read->objects(), 7u);
  EXPECT_EQ(read->objectBytes(5), 64u * 32 * 4);
  EXPECT_EQ(read->objectName(6), "array of 100 x 1 x 1 texels");
  EXPECT_FALSE(read->isVariable(5));
}

TEST(Manifest, ATextureNeedsItsArray) {
  const std::string begin = "heddle-capture 1\nkernel k\narch sm_90\n";
  EXPECT_THAT(whyNot(begin + "surface 6 array 0\n"), HasSubstr("surface 6 has an array that is not there"));
  EXPECT_THAT(whyNot(begin + "surface 6 memory 0\n"), HasSubstr("launch.txt:4: "));
}

TEST(Manifest, OfAnotherVersionIsRefused) {
  EXPECT_THAT(whyNot("heddle-capture 2\nkernel k\narch sm_90\n"), HasSubstr("another version"));
  EXPECT_THAT(whyNot("heddle-capture one\n"), HasSubstr("another version"));
  EXPECT_THAT(whyNot("something 1\n"), HasSubstr("no capture"));
  EXPECT_THAT(whyNot(""), HasSubstr("no capture"));
}

TEST(Manifest, EveryWrongLineIsNamed) {
  const std::string begin = "heddle-capture 1\nkernel k\narch sm_90\n";
  EXPECT_EQ(whyNot(begin), "");
  for (const char *line : {"grid 1 2", "grid 1 2 3 4", "grid 1 2 x", "grid 1 1 99999999999",
                           "parameter 0 4 00", "parameter 0 1 0g", "region 0x1 2", "region 0x1 2 texture",
                           "region 0xx1 2 device", "variable v 1 register", "device \"open", "micros fast",
                           "launch -1", "shared 99999999999999999999", "unknown 1", ""})
    EXPECT_THAT(whyNot(begin + line + "\n"), HasSubstr("launch.txt:4: ")) << line;
}

TEST(Manifest, NeedsAKernelAndAnArchitecture) {
  EXPECT_THAT(whyNot("heddle-capture 1\narch sm_90\n"), HasSubstr("'kernel'"));
  EXPECT_THAT(whyNot("heddle-capture 1\nkernel k\n"), HasSubstr("'arch'"));
}

} // namespace
} // namespace heddle::capture
