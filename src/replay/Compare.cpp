// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block compares one pair, 16 bytes per thread at a time where both sides are aligned to that, the rest byte by
// byte. Pairs are pieces of about a megabyte, so that a large object keeps all multiprocessors busy. The kernel is PTX,
// which the driver compiles for any GPU since Volta. Where a driver cannot compile PTX (it was installed without that
// part), and on the simulator, which would execute the kernel instruction by instruction, memory is compared on the host.
#include "replay/Compare.h"

#include "capture/Parallel.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace heddle::replay {
namespace {

constexpr unsigned kThreads = 512;
constexpr size_t kPairBytes = 24; ///< a, b, bytes

const char *const kKernel = R"(
.version 6.0
.target sm_70
.address_size 64
// pairs: a, b, bytes of each; counts and firsts: one of each pair, 0 and the greatest number at first
.visible .entry heddle_compare(.param .u64 pairs, .param .u64 counts, .param .u64 firsts) {
  .reg .pred %p;
  .reg .b16 %x, %y;
  .reg .b32 %thread, %threads, %block, %k;
  .reg .b64 %pair, %a, %b, %bytes, %units, %i, %at, %step, %p1, %p2, %count, %first, %v0, %v1, %w0, %w1, %t;
  mov.u32 %thread, %tid.x; mov.u32 %threads, %ntid.x; mov.u32 %block, %ctaid.x;
  ld.param.u64 %pair, [pairs];
  mul.wide.u32 %t, %block, 24; add.u64 %pair, %pair, %t;
  ld.global.u64 %a, [%pair]; ld.global.u64 %b, [%pair+8]; ld.global.u64 %bytes, [%pair+16];
  mov.u64 %count, 0; mov.u64 %first, -1;
  // Units of 16 bytes, if both sides are aligned.
  shr.u64 %units, %bytes, 4;
  or.b64 %t, %a, %b; and.b64 %t, %t, 15; setp.ne.u64 %p, %t, 0;
  @%p mov.u64 %units, 0;
  cvt.u64.u32 %i, %thread; cvt.u64.u32 %step, %threads;
UNITS:
  setp.ge.u64 %p, %i, %units; @%p bra UNITS_END;
  shl.b64 %at, %i, 4; add.u64 %p1, %a, %at; add.u64 %p2, %b, %at;
  ld.global.v2.u64 {%v0, %v1}, [%p1]; ld.global.v2.u64 {%w0, %w1}, [%p2];
  xor.b64 %v0, %v0, %w0; xor.b64 %v1, %v1, %w1; or.b64 %t, %v0, %v1;
  setp.eq.u64 %p, %t, 0; @%p bra UNIT_SAME;
  mov.u32 %k, 0;
UNIT_BYTE:
  ld.global.u8 %x, [%p1]; ld.global.u8 %y, [%p2];
  setp.eq.u16 %p, %x, %y; @%p bra UNIT_NEXT;
  add.u64 %count, %count, 1; min.u64 %first, %first, %at;
UNIT_NEXT:
  add.u64 %p1, %p1, 1; add.u64 %p2, %p2, 1; add.u64 %at, %at, 1; add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 16; @%p bra UNIT_BYTE;
UNIT_SAME:
  add.u64 %i, %i, %step; bra UNITS;
UNITS_END:
  // The bytes after them.
  shl.b64 %at, %units, 4; cvt.u64.u32 %t, %thread; add.u64 %at, %at, %t;
BYTES:
  setp.ge.u64 %p, %at, %bytes; @%p bra BYTES_END;
  add.u64 %p1, %a, %at; add.u64 %p2, %b, %at;
  ld.global.u8 %x, [%p1]; ld.global.u8 %y, [%p2];
  setp.eq.u16 %p, %x, %y; @%p bra BYTE_SAME;
  add.u64 %count, %count, 1; min.u64 %first, %first, %at;
BYTE_SAME:
  add.u64 %at, %at, %step; bra BYTES;
BYTES_END:
  setp.eq.u64 %p, %count, 0; @%p ret;
  mul.wide.u32 %t, %block, 8;
  ld.param.u64 %p1, [counts]; add.u64 %p1, %p1, %t; atom.global.add.u64 %v0, [%p1], %count;
  ld.param.u64 %p2, [firsts]; add.u64 %p2, %p2, %t; atom.global.min.u64 %v1, [%p2], %first;
  ret;
}
)";

Comparer::Result difference(const uint8_t *a, const uint8_t *b, uint64_t bytes) {
  Comparer::Result result;
  if (bytes == 0 || std::memcmp(a, b, bytes) == 0)
    return result;
  result.first = uint64_t(std::mismatch(a, a + bytes, b).first - a);
  for (uint64_t i = result.first; i < bytes; ++i)
    result.differing += a[i] != b[i];
  return result;
}

} // namespace

Comparer::Comparer(Driver &driver, bool hasKernel) : driver(driver) {
  if (!hasKernel || driver.moduleLoadDataEx(&module, kKernel, 0, nullptr, nullptr) != cu::Success)
    return;
  driver.check(driver.moduleGetFunction(&function, module, "heddle_compare"),
               "the comparison cannot be loaded");
}

Comparer::~Comparer() {
  if (table)
    driver.memFree(table);
  if (module)
    driver.moduleUnload(module);
}

void Comparer::makeSpace(size_t pairs) {
  if (pairs <= capacity)
    return;
  if (table)
    driver.memFree(table);
  table = 0, capacity = 0;
  driver.check(driver.memAlloc(&table, pairs * (kPairBytes + 16)), "memory for comparing");
  capacity = pairs;
}

std::vector<Comparer::Result> Comparer::compare(const std::vector<Pair> &pairs, cu::Stream stream) {
  std::vector<Result> results(pairs.size());
  if (pairs.empty())
    return results;
  if (!function)
    return compareOnHost(pairs, stream);
  makeSpace(pairs.size());
  cu::Pointer counts = table + pairs.size() * kPairBytes, firsts = counts + pairs.size() * 8, from = table;
  driver.check(driver.streamSynchronize(stream), "before comparing");
  static_assert(sizeof(Pair) == kPairBytes, "the kernel has this layout");
  driver.check(driver.copyToDevice(table, pairs.data(), pairs.size() * kPairBytes), "comparing");
  driver.check(driver.fillBytes(counts, 0, pairs.size() * 8, stream), "comparing");
  driver.check(driver.fillBytes(firsts, 0xff, pairs.size() * 8, stream), "comparing");
  void *parameters[] = {&from, &counts, &firsts};
  driver.check(driver.launchKernel(function, unsigned(pairs.size()), 1, 1, kThreads, 1, 1, 0, stream,
                                   parameters, nullptr),
               "comparing");
  driver.check(driver.streamSynchronize(stream), "comparing");
  std::vector<uint64_t> words(2 * pairs.size());
  driver.check(driver.copyToHost(words.data(), counts, words.size() * 8), "comparing");
  for (size_t i = 0; i < pairs.size(); ++i)
    results[i] = {words[i], words[pairs.size() + i]};
  return results;
}

std::vector<Comparer::Result> Comparer::compareOnHost(const std::vector<Pair> &pairs, cu::Stream stream) {
  driver.check(driver.streamSynchronize(stream), "before comparing");
  std::vector<Result> results(pairs.size());
  if (driver.isSimulator()) {
    // Its device addresses are addresses of this process.
    capture::forEachIndex(pairs.size(), std::thread::hardware_concurrency(), [&](size_t i) {
      results[i] = difference(reinterpret_cast<const uint8_t *>(pairs[i].a),
                              reinterpret_cast<const uint8_t *>(pairs[i].b), pairs[i].bytes);
    });
    return results;
  }
  std::vector<uint8_t> a, b;
  for (size_t i = 0; i < pairs.size(); ++i) {
    a.resize(pairs[i].bytes), b.resize(pairs[i].bytes);
    driver.check(driver.copyNow(Driver::pointerTo(a.data()), pairs[i].a, pairs[i].bytes), "comparing");
    driver.check(driver.copyNow(Driver::pointerTo(b.data()), pairs[i].b, pairs[i].bytes), "comparing");
    results[i] = difference(a.data(), b.data(), pairs[i].bytes);
  }
  return results;
}

} // namespace heddle::replay
