// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The containers in which device code travels inside a host program.
//
//   wrapper    magic 0x466243b1, version, pointer to the image, pointer to linked objects
//   image      magic 0xba55ed50, version, header bytes (16), bytes of all entries that follow
//   entry      kind (1: PTX, 2: cubin), version, header bytes, payload bytes (64 bits),
//              stored bytes, ..., major and minor version, sm version, ..., flags, ..., plain bytes
//
// The layout is not documented by NVIDIA; it was read off what fatbinary of CUDA 11 to 13 writes. Everything
// is bounded by the sizes in the headers, since the pointer we get carries none.
#include "ptx/Fatbin.h"

#include <fmt/format.h>

#include <cstring>
#include <dlfcn.h>

namespace heddle::ptx {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1, kImageMagic = 0xba55ed50;

struct Wrapper {
  uint32_t magic, version;
  const void *image;
  const void *linked;
};

struct ImageHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t payloadBytes;
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t payloadBytes; ///< with padding; the next entry follows it
  uint32_t storedBytes;  ///< of a packed payload, without padding
  uint32_t optionsOffset;
  uint16_t minor, major;
  uint32_t sm;
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t plainBytes; ///< of a packed payload, once unpacked
};
static_assert(sizeof(EntryHeader) == 64);

constexpr uint16_t kKindPtx = 1;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;

/// libzstd is looked for only when an image needs it, so that nothing depends on it.
std::optional<std::string> unpackZstd(const void *packed, size_t packedBytes, size_t plainBytes) {
  using Decompress = size_t(void *, size_t, const void *, size_t);
  static auto *decompress = [] {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<Decompress *>(dlsym(library, "ZSTD_decompress")) : nullptr;
  }();
  if (!decompress)
    return std::nullopt;
  std::string plain(plainBytes, 0);
  if (decompress(plain.data(), plainBytes, packed, packedBytes) != plainBytes)
    return std::nullopt;
  return plain;
}

std::optional<std::string> payloadOf(const EntryHeader &entry, const uint8_t *payload, std::string &why) {
  if (entry.flags & kFlagZstd) {
    std::optional<std::string> plain = unpackZstd(payload, entry.storedBytes, entry.plainBytes);
    if (!plain)
      why =
          "the embedded PTX is packed with zstd and libzstd.so.1 cannot unpack it; build with --no-compress";
    return plain;
  }
  if (entry.flags & kFlagLz4) {
    std::optional<std::string> plain = unpackLz4(payload, entry.storedBytes, entry.plainBytes);
    if (!plain)
      why = "the embedded PTX is packed and damaged; build with --no-compress";
    return plain;
  }
  return std::string(reinterpret_cast<const char *>(payload), entry.payloadBytes);
}

/// Containers pad text with zeros.
void cutAtZero(std::string &text) { text.resize(std::strlen(text.c_str())); }

bool looksLikePtx(const void *image) {
  auto *text = static_cast<const char *>(image);
  return std::strncmp(text, "//", 2) == 0 || std::strncmp(text, ".version", 8) == 0 || *text == '\n';
}

} // namespace

std::optional<std::string> unpackLz4(const uint8_t *in, size_t packedBytes, size_t plainBytes) {
  const uint8_t *end = in + packedBytes;
  std::string out;
  out.reserve(plainBytes);
  // A length of 15 goes on in the following bytes, up to and including one below 255.
  auto lengthFrom = [&](size_t length) -> std::optional<size_t> {
    if (length != 15)
      return length;
    for (uint8_t more = 255; more == 255;) {
      if (in == end)
        return std::nullopt;
      length += more = *in++;
    }
    return length;
  };
  while (in < end) {
    uint8_t token = *in++;
    std::optional<size_t> literals = lengthFrom(token >> 4);
    if (!literals || *literals > size_t(end - in) || out.size() + *literals > plainBytes)
      return std::nullopt;
    out.append(reinterpret_cast<const char *>(in), *literals);
    in += *literals;
    if (in == end)
      break; // the last sequence has no match
    if (end - in < 2)
      return std::nullopt;
    size_t distance = in[0] | in[1] << 8;
    in += 2;
    std::optional<size_t> match = lengthFrom(token & 15);
    if (!match || distance == 0 || distance > out.size() || out.size() + *match + 4 > plainBytes)
      return std::nullopt;
    for (size_t i = 0; i < *match + 4; ++i)
      out.push_back(out[out.size() - distance]); // may overlap what it writes
  }
  if (out.size() != plainBytes)
    return std::nullopt;
  return out;
}

std::optional<DeviceImage> ptxFromImage(const void *image, unsigned smVersion, std::string &why) {
  if (!image) {
    why = "there is no device code in it";
    return std::nullopt;
  }
  ImageHeader header;
  std::memcpy(&header, image, 4);
  if (header.magic != kImageMagic) {
    if (looksLikePtx(image))
      return DeviceImage{static_cast<const char *>(image), true};
    why = "the embedded device code is neither PTX nor a container of images";
    return std::nullopt;
  }
  std::memcpy(&header, image, sizeof header);
  auto *at = static_cast<const uint8_t *>(image) + header.headerBytes;
  const uint8_t *end = at + header.payloadBytes;
  std::optional<DeviceImage> best;
  uint32_t bestSm = 0;
  unsigned others = 0;
  why.clear();
  while (at + sizeof(EntryHeader) <= end) {
    EntryHeader entry;
    std::memcpy(&entry, at, sizeof entry);
    const uint8_t *payload = at + entry.headerBytes;
    if (entry.headerBytes < sizeof entry || entry.payloadBytes > uint64_t(end - payload))
      break;
    at = payload + entry.payloadBytes;
    bool wanted = entry.kind == kKindPtx && entry.sm <= smVersion && (!best || entry.sm > bestSm);
    others += !wanted;
    if (!wanted)
      continue;
    if (std::optional<std::string> text = payloadOf(entry, payload, why)) {
      cutAtZero(*text);
      best = DeviceImage{std::move(*text), false};
      bestSm = entry.sm;
    }
  }
  if (!best && why.empty())
    why = fmt::format("none of its {} embedded images is PTX for sm_{} or older; build with "
                      "-gencode arch=compute_{},code=compute_{}",
                      others, smVersion, smVersion, smVersion);
  return best;
}

std::optional<DeviceImage> ptxFromWrapper(const void *wrapper, unsigned smVersion, std::string &why) {
  Wrapper header;
  std::memcpy(&header, wrapper, sizeof header);
  if (header.magic != kWrapperMagic) {
    why = "what was registered is no wrapper around device code";
    return std::nullopt;
  }
  return ptxFromImage(header.image, smVersion, why);
}

} // namespace heddle::ptx
