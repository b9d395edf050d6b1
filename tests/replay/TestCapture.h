// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A capture as `heddle capture` writes it, made by hand: four regions that point to each other, three variables, and
// what a kernel leaves behind in them. The kernel is PTX, with places for what candidates do wrong.
#pragma once

#include "capture/CaptureFolder.h"
#include "capture/StoreWriter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::replay::test {

namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;

/// A folder that is gone with the test.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-replay-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  fs::path path;
};

inline void writeText(const fs::path &file, const std::string &text) { std::ofstream(file) << text; }

class TestCapture {
public:
  // Free in a program without and with a sanitizer's shadow.
  static constexpr uint64_t Base = 0x120000000000;
  static constexpr uint64_t Head = Base, Sums = Base + 4096, Values = Base + (4 << 20),
                            Managed = 0x180000000000, Pinned = 0x188000000000;
  static constexpr uint32_t Count = 600000; ///< values; more than two chunks of a megabyte
  enum Object : size_t {
    HeadObject,
    SumsObject,
    ValuesObject,
    ManagedObject,
    PinnedObject,
    FactorObject,
    CounterObject
  };

  struct Content {
    Bytes before, after;
  };
  capture::Manifest manifest;
  std::vector<Content> objects;

  TestCapture() {
    manifest.program = "test", manifest.device = "simulator", manifest.arch = "sm_90";
    manifest.kernel = "scale", manifest.name = "scale(Head *)";
    manifest.grid = {(Count + 255) / 256, 1, 1}, manifest.block = {256, 1, 1};
    manifest.parameters.push_back({0, bytesOf<uint64_t>({Head})});
    // A struct of pointers, through which the kernel finds everything else.
    addRegion(Head, bytesOf<uint64_t>({Values, Sums, Managed, Pinned, Count}), capture::RegionKind::Device);
    addRegion(Sums, bytesOf<uint32_t>({5, 6, 7}), capture::RegionKind::Device);
    addRegion(Values, bytesOf(values([](uint32_t i) { return i; })), capture::RegionKind::Device);
    addRegion(Managed, bytesOf<uint32_t>({11, 12, 13}), capture::RegionKind::Managed);
    addRegion(Pinned, bytesOf<uint32_t>({21, 22, 23}), capture::RegionKind::Pinned);
    addVariable("factor", bytesOf<uint32_t>({3}), capture::VariableKind::Constant);
    addVariable("counter", bytesOf<uint32_t>({100}), capture::VariableKind::Device);
    objects[SumsObject].after = bytesOf<uint32_t>({6, 6, 7});
    objects[ValuesObject].after = bytesOf(values([](uint32_t i) { return i * 3; }));
    objects[ManagedObject].after = bytesOf<uint32_t>({12, 12, 13});
    objects[PinnedObject].after = bytesOf<uint32_t>({22, 22, 23});
    objects[CounterObject].after = bytesOf<uint32_t>({101});
  }

  template <class T> static Bytes bytesOf(const std::vector<T> &numbers) {
    Bytes bytes(numbers.size() * sizeof(T));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
  }
  template <class Function> static std::vector<uint32_t> values(Function function) {
    std::vector<uint32_t> all(Count);
    for (uint32_t i = 0; i < Count; ++i)
      all[i] = function(i);
    return all;
  }

  void addRegion(uint64_t address, Bytes content, capture::RegionKind kind) {
    manifest.regions.push_back({address, content.size(), kind});
    objects.push_back({content, content});
  }
  void addVariable(const std::string &name, Bytes content, capture::VariableKind kind) {
    manifest.variables.push_back({name, content.size(), kind});
    objects.push_back({content, content});
  }

  void write(const fs::path &folder) const {
    fs::create_directories(folder);
    capture::StoreWriter writer(folder, 1);
    std::vector<capture::StoredObject> stored;
    for (const Content &content : objects) {
      const std::vector<uint64_t> before = writer.add(content.before.data(), content.before.size());
      stored.push_back({before, writer.add(content.after.data(), content.after.size())});
    }
    ASSERT_TRUE(writer.finish(stored)) << writer.error();
    std::string error;
    ASSERT_TRUE(capture::writeManifest(folder, manifest, error)) << error;
  }

  /// The kernel: values[i] *= factor; the first thread increments what the other pointers lead to, and the counter.
  /// `wrong` is what a candidate does before it ends; there, %i is the thread's number, %head the parameter.
  static std::string kernel(const std::string &wrong = "", const std::string &globals = "",
                            const std::string &name = "scale") {
    return R"(
.version 8.0
.target sm_70
.address_size 64
.visible .const .align 4 .u32 factor = 1000;
.visible .global .align 4 .u32 counter = 2000;
)" + globals +
           ".visible .entry " + name + R"((.param .u64 head) {
  .reg .pred %p, %q; .reg .b32 %i, %n, %v, %f, %t; .reg .b64 %head, %at, %d;
  ld.param.u64 %head, [head];
  mov.u32 %i, %ctaid.x; mov.u32 %t, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %t, %v;
  ld.global.u32 %n, [%head+32]; setp.ge.u32 %p, %i, %n; @%p ret;
  ld.global.u64 %at, [%head]; mul.wide.u32 %d, %i, 4; add.u64 %at, %at, %d;
  ld.global.u32 %v, [%at]; ld.const.u32 %f, [factor]; mul.lo.u32 %v, %v, %f; st.global.u32 [%at], %v;
  setp.ne.u32 %p, %i, 0; @%p bra END;
  ld.global.u64 %at, [%head+8]; ld.global.u32 %v, [%at]; add.u32 %v, %v, 1; st.global.u32 [%at], %v;
  ld.global.u64 %at, [%head+16]; ld.global.u32 %v, [%at]; add.u32 %v, %v, 1; st.global.u32 [%at], %v;
  ld.global.u64 %at, [%head+24]; ld.global.u32 %v, [%at]; add.u32 %v, %v, 1; st.global.u32 [%at], %v;
  ld.global.u32 %v, [counter]; add.u32 %v, %v, 1; st.global.u32 [counter], %v;
END:
)" + wrong +
           R"(
  ret;
}
)";
  }
  /// What only the thread of this number does.
  static std::string onlyThread(uint32_t thread, const std::string &text) {
    return "  setp.ne.u32 %q, %i, " + std::to_string(thread) + "; @%q ret;\n  " + text + "\n";
  }
};

} // namespace heddle::replay::test
