// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Votes, matches, warp-wide reductions and the active mask, in full and in diverged warps.
#include "Check.h"

constexpr unsigned everyone = 0xffffffffu;

__global__ void votes(unsigned *out) {
  int lane = threadIdx.x;
  unsigned *row = out + lane * 8;
  row[0] = __ballot_sync(everyone, lane % 3 == 0);
  row[1] = __any_sync(everyone, lane == 40);
  row[2] = __any_sync(everyone, lane == 30);
  row[3] = __all_sync(everyone, lane < 32);
  row[4] = __all_sync(everyone, lane != 12);
  row[5] = __match_any_sync(everyone, lane / 5);
  int same = 0;
  row[6] = __match_all_sync(everyone, lane >> 6, &same) + (same ? 0 : 1);
  int differ = 1;
  row[7] = __match_all_sync(everyone, lane, &differ) + (differ ? 1 : 0);
}

__global__ void reductions(int *out) {
  int lane = threadIdx.x;
  unsigned bits = 0xf0f0f0f0u ^ (1u << lane);
  out[0 * 32 + lane] = __reduce_add_sync(everyone, lane);
  out[1 * 32 + lane] = __reduce_min_sync(everyone, lane - 16);
  out[2 * 32 + lane] = int(__reduce_max_sync(everyone, unsigned(lane - 16)));
  out[3 * 32 + lane] = int(__reduce_and_sync(everyone, bits));
  out[4 * 32 + lane] = int(__reduce_or_sync(everyone, 1u << lane));
  out[5 * 32 + lane] = int(__reduce_xor_sync(everyone, unsigned(lane)));
}

__global__ void diverged(unsigned *out) {
  int lane = threadIdx.x;
  unsigned result;
  if (lane & 1)
    result = __ballot_sync(0xaaaaaaaau, lane > 20);
  else
    result = __ballot_sync(0x55555555u, lane < 11);
  __syncwarp();
  out[lane] = result;
}

// Every lane must find itself in the mask that it sees.
__global__ void activeMasks(unsigned *out) {
  int lane = threadIdx.x;
  unsigned mask = 0;
  for (int i = 0; i <= lane % 4; ++i)
    mask = __activemask();
  out[lane] = (mask >> lane) & 1;
}

int main() {
  DeviceArray<unsigned> out(256);
  votes<<<1, 32>>>(out);
  CHECK_LAUNCH();
  std::vector<unsigned> got = out.host();
  for (int lane = 0; lane < 32; ++lane) {
    const unsigned *row = &got[lane * 8];
    CHECK(row[0] == 0x49249249u);
    CHECK(!row[1] && row[2] && row[3] && !row[4]);
    unsigned group = 0;
    for (int i = 0; i < 32; ++i)
      group |= unsigned(i / 5 == lane / 5) << i;
    CHECK(row[5] == group);
    CHECK(row[6] == everyone && row[7] == 0);
  }

  DeviceArray<int> sums(192);
  reductions<<<1, 32>>>(sums);
  CHECK_LAUNCH();
  std::vector<int> totals = sums.host();
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(totals[lane] == 496 && totals[32 + lane] == -16 && totals[64 + lane] == -1);
    CHECK(totals[96 + lane] == 0 && totals[128 + lane] == -1 && totals[160 + lane] == 0);
  }

  diverged<<<1, 32>>>(out);
  CHECK_LAUNCH();
  got = out.host();
  for (int lane = 0; lane < 32; ++lane)
    CHECK(got[lane] == (lane & 1 ? 0xaaa00000u : 0x00000555u));

  activeMasks<<<1, 32>>>(out);
  CHECK_LAUNCH();
  got = out.host();
  for (int lane = 0; lane < 32; ++lane)
    CHECK(got[lane] == 1);
  return pass();
}
