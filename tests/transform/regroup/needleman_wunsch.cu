// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needleman-Wunsch: a thread scores two reads of DNA against each other from end to end, with affine gaps
// (Gotoh). Both lengths differ, so the work differs by their product.
//
// For regrouping: by=(firstA[pair+1]-firstA[pair])*(firstB[pair+1]-firstB[pair]).
#include "Harness.h"

#include <algorithm>

constexpr int Threads = 64, MostLetters = 96, Match = 3, Mismatch = -2, Open = 5, Extend = 1, Never = -10000;

__global__ void score(int *scores, const char *lettersA, const int *firstA, const char *lettersB,
                      const int *firstB, int pairs) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs)
    return;
  const char *const a = lettersA + firstA[pair], *const b = lettersB + firstB[pair];
  const int lengthA = firstA[pair + 1] - firstA[pair], lengthB = firstB[pair + 1] - firstB[pair];
  int best[MostLetters + 1], gapInA[MostLetters + 1]; // of the row above, column by column of b
  best[0] = 0;
  for (int j = 1; j <= lengthB; ++j) {
    best[j] = -Open - Extend * j;
    gapInA[j] = Never;
  }
  for (int i = 1; i <= lengthA; ++i) {
    int diagonal = best[0], gapInB = Never;
    best[0] = -Open - Extend * i;
    for (int j = 1; j <= lengthB; ++j) {
      gapInA[j] = max(gapInA[j], best[j] - Open) - Extend;
      gapInB = max(gapInB, best[j - 1] - Open) - Extend;
      const int pairing = diagonal + (a[i - 1] == b[j - 1] ? Match : Mismatch);
      diagonal = best[j];
      best[j] = max(pairing, max(gapInA[j], gapInB));
    }
  }
  scores[pair] = best[lengthB];
}

struct Reads {
  std::vector<char> letters;
  std::vector<int> first;
};

static Reads makeReads(int count, int longest, unsigned seed) {
  Numbers numbers(seed);
  std::vector<int> lengths(count);
  for (int &length : lengths)
    length = unevenLength(numbers, 1, longest);
  Reads reads{{}, beginnings(lengths)};
  reads.letters = integers<char>(reads.first.back(), seed + 1, 4);
  return reads;
}

/// By three whole matrices, as they are defined.
static int scoreOnHost(const Reads &a, const Reads &b, int pair) {
  const int n = a.first[pair + 1] - a.first[pair], m = b.first[pair + 1] - b.first[pair];
  using Matrix = std::vector<std::vector<int>>;
  Matrix best(n + 1, std::vector<int>(m + 1, Never)), inA = best, inB = best;
  best[0][0] = 0;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= m; ++j) {
      if (i > 0)
        inA[i][j] = std::max(inA[i - 1][j], best[i - 1][j] - Open) - Extend;
      if (j > 0)
        inB[i][j] = std::max(inB[i][j - 1], best[i][j - 1] - Open) - Extend;
      if (i > 0 && j > 0) {
        const bool same = a.letters[a.first[pair] + i - 1] == b.letters[b.first[pair] + j - 1];
        best[i][j] = best[i - 1][j - 1] + (same ? Match : Mismatch);
      }
      if (i + j > 0)
        best[i][j] = std::max({best[i][j], inA[i][j], inB[i][j]});
    }
  return best[n][m];
}

int main(int argc, char **argv) {
  const int pairs = argument(argc, argv, 1, 500), longest = argument(argc, argv, 2, 48);
  const int launches = argument(argc, argv, 3, 2);
  if (longest > MostLetters) {
    std::fprintf(stderr, "reads have at most %d letters\n", MostLetters);
    return 2;
  }
  const Reads a = makeReads(pairs, longest, 51), b = makeReads(pairs, longest, 61);
  int *scores = zeros<int>(pairs), *firstA = toDevice(a.first), *firstB = toDevice(b.first);
  char *lettersA = toDevice(a.letters), *lettersB = toDevice(b.letters);
  for (int i = 0; i < launches; ++i)
    score<<<blocksFor(pairs, Threads), Threads>>>(scores, lettersA, firstA, lettersB, firstB, pairs);
  const std::vector<int> got = toHost(scores, pairs);
  const bool passed = agree(got, [&](size_t i) { return scoreOnHost(a, b, int(i)); }, 0, 1000);
  return verdict("needleman_wunsch", got, passed);
}
