// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Fatbin.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

using namespace heddle::ptx;

namespace {

using Bytes = std::vector<uint8_t>;

template <class T> void put(Bytes &bytes, T value) {
  auto *raw = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

/// An entry as fatbinary writes it.
Bytes entry(uint16_t kind, uint32_t sm, std::string payload, uint64_t flags = 0, uint32_t stored = 0,
            uint64_t plain = 0) {
  Bytes bytes;
  put<uint16_t>(bytes, kind);
  put<uint16_t>(bytes, 0x101);
  put<uint32_t>(bytes, 64);
  payload.resize((payload.size() + 7) / 8 * 8);
  put<uint64_t>(bytes, payload.size());
  put<uint32_t>(bytes, stored);
  put<uint32_t>(bytes, 0);
  put<uint32_t>(bytes, 0x90000);
  put<uint32_t>(bytes, sm);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, flags);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, plain);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Bytes image(const std::vector<Bytes> &entries) {
  Bytes payload;
  for (const Bytes &e : entries)
    payload.insert(payload.end(), e.begin(), e.end());
  Bytes bytes;
  put<uint32_t>(bytes, 0xba55ed50);
  put<uint16_t>(bytes, 1);
  put<uint16_t>(bytes, 16);
  put<uint64_t>(bytes, payload.size());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::string ptxOf(const Bytes &bytes, unsigned sm = 90) {
  std::string why;
  std::optional<DeviceImage> found = ptxFromImage(bytes.data(), sm, why);
  return found ? found->ptx : "none: " + why;
}

TEST(Fatbin, PlainTextOfClangIsTakenAsItIs) {
  std::string why;
  std::optional<DeviceImage> found = ptxFromImage("//\n// Generated\n.version 8.0", 90, why);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isPlainText);
  EXPECT_EQ(found->ptx, "//\n// Generated\n.version 8.0");
}

TEST(Fatbin, NewestPtxThatTheDeviceCanRunWins) {
  Bytes several = image({entry(2, 90, "cubin"), entry(1, 80, ".version 80"), entry(1, 90, ".version 90"),
                         entry(1, 100, ".version 100")});
  EXPECT_EQ(ptxOf(several, 90), ".version 90");
  EXPECT_EQ(ptxOf(several, 89), ".version 80");
  EXPECT_EQ(ptxOf(several, 120), ".version 100");
}

TEST(Fatbin, MissingPtxIsExplainedWithTheFlagThatHelps) {
  EXPECT_NE(ptxOf(image({entry(2, 90, "cubin")})).find("arch=compute_90,code=compute_90"), std::string::npos);
}

TEST(Fatbin, Lz4EntryIsUnpacked) {
  // "abcabcabcabc!": three letters, a match of 9 at distance 3 that overlaps itself, then a last literal.
  std::string packed("\x35"
                     "abc"
                     "\x03\x00"
                     "\x10"
                     "!",
                     8);
  EXPECT_EQ(ptxOf(image({entry(1, 80, packed, 0x2000, 8, 13)})), "abcabcabcabc!");
}

TEST(Fatbin, DamagedLz4IsRefusedNotFollowed) {
  auto unpack = [](std::string_view packed, size_t plain) {
    return unpackLz4(reinterpret_cast<const uint8_t *>(packed.data()), packed.size(), plain);
  };
  EXPECT_FALSE(unpack(std::string_view("\x35"
                                       "abc"
                                       "\x07\x00",
                                       6),
                      13));                                        // distance before the beginning
  EXPECT_FALSE(unpack(std::string_view("\xf0\xff\xff", 3), 1000)); // length without an end
  EXPECT_FALSE(unpack(std::string_view("\x50"
                                       "ab",
                                       3),
                      5)); // literals cut off
  EXPECT_FALSE(unpack(std::string_view("\x20"
                                       "ab",
                                       3),
                      5)); // too short
  EXPECT_FALSE(unpack(std::string_view("\x50"
                                       "abcde",
                                       6),
                      3)); // too long
}

TEST(Fatbin, LyingSizesEndTheSearch) {
  Bytes bytes = image({entry(1, 80, ".version 80")});
  uint64_t huge = uint64_t(1) << 60;
  std::memcpy(bytes.data() + 16 + 8, &huge, sizeof huge);
  EXPECT_TRUE(ptxOf(bytes).starts_with("none"));
}

TEST(Fatbin, UnknownWrapperIsRefused) {
  char wrapper[24] = "not a wrapper at all";
  std::string why;
  EXPECT_FALSE(ptxFromWrapper(wrapper, 90, why));
  EXPECT_FALSE(why.empty());
}

} // namespace
