// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksums (CRC-32) of many short messages, one per thread, by a table that the block makes in shared memory
// first.
//
// For consolidation: all threads synchronize at the barrier after the table; from there on threads without a
// message, or with an empty one, leave for good, which must not take the other seven threads of a lane with
// them. The table has as many elements as the block has threads, but is read where the data says: it stays in
// shared memory.
#include "Harness.h"

constexpr int Threads = 256; // the table has a row for each byte

__global__ void checksums(unsigned *sums, const unsigned char *text, const int *starts, int messages) {
  __shared__ unsigned table[Threads];
  unsigned row = threadIdx.x;
  for (int bit = 0; bit < 8; ++bit)
    row = row & 1 ? (row >> 1) ^ 0xedb88320u : row >> 1;
  table[threadIdx.x] = row;
  __syncthreads();

  const int message = blockIdx.x * blockDim.x + threadIdx.x;
  if (message >= messages)
    return;
  const int begin = starts[message], end = starts[message + 1];
  if (begin == end)
    return;

  unsigned sum = ~0u;
  for (int i = begin; i < end; ++i)
    sum = table[(sum ^ text[i]) & 0xff] ^ (sum >> 8);
  sums[message] = ~sum;
}

/// Bit by bit, with no table.
static unsigned checksum(const unsigned char *begin, const unsigned char *end) {
  unsigned sum = ~0u;
  for (; begin != end; ++begin) {
    sum ^= *begin;
    for (int bit = 0; bit < 8; ++bit)
      sum = sum & 1 ? (sum >> 1) ^ 0xedb88320u : sum >> 1;
  }
  return ~sum;
}

int main(int argc, char **argv) {
  const int messages = argument(argc, argv, 1, 700);
  Numbers numbers(33);
  std::vector<int> starts = {0};
  for (int i = 0; i < messages; ++i)
    starts.push_back(starts.back() + (numbers.below(4) ? numbers.below(30) : 0));
  const std::vector<unsigned char> text = integers<unsigned char>(starts.back() + 1, 34, 256);

  unsigned *sums = zeros<unsigned>(messages);
  checksums<<<blocksFor(messages, Threads), Threads>>>(sums, toDevice(text), toDevice(starts), messages);
  const std::vector<unsigned> got = toHost(sums, messages);

  const auto wanted = [&](size_t i) { return checksum(&text[starts[i]], &text[starts[i + 1]]); };
  return verdict("early_exit", got, agree(got, wanted, 0));
}
