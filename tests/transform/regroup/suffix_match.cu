// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// String matching: a thread looks up one query in the suffix array of a reference. For every place of the
// query it finds the longest match by binary search, and counts the letters of those that are long enough.
//
// For regrouping: by=first[query+1]-first[query]. Reads lie all over the suffix array, so memory decides: a
// program where regrouping should gain little.
#include "Harness.h"

#include <algorithm>
#include <numeric>
#include <string>

constexpr int Threads = 128, ShortestMatch = 6;

/// The letters that a query and the suffix at `suffix` have in common.
__host__ __device__ inline int common(const char *query, int length, const char *reference, int letters,
                                      int suffix) {
  int same = 0;
  while (same < length && suffix + same < letters && query[same] == reference[suffix + same])
    ++same;
  return same;
}

__global__ void match(int *matched, const char *queries, const int *first, const char *reference,
                      const int *suffixes, int letters, int count) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= count)
    return;
  int total = 0;
  for (int at = first[query]; at < first[query + 1]; ++at) {
    const char *text = queries + at;
    const int length = first[query + 1] - at;
    int low = 0, high = letters, longest = 0;
    while (low < high) {
      const int middle = (low + high) / 2, suffix = suffixes[middle];
      const int same = common(text, length, reference, letters, suffix);
      longest = max(longest, same);
      if (same == length)
        break;
      const bool isBehind = suffix + same < letters && text[same] < reference[suffix + same];
      if (isBehind)
        high = middle;
      else
        low = middle + 1;
    }
    if (longest >= ShortestMatch)
      total += longest;
  }
  matched[query] = total;
}

/// By the high bits of what is drawn: the low ones repeat after a thousand letters, and comparing suffixes of
/// a text that repeats does not end in reasonable time.
static std::vector<char> randomLetters(int count, unsigned seed) {
  Numbers numbers(seed);
  std::vector<char> letters(count);
  for (char &letter : letters)
    letter = "ACGT"[numbers.next() >> 22];
  return letters;
}

static std::vector<int> suffixArray(const std::vector<char> &text) {
  std::vector<int> suffixes(text.size());
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) {
    return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b, text.end());
  });
  return suffixes;
}

struct Queries {
  std::vector<char> letters;
  std::vector<int> first;
};

/// Pieces of the reference, with a letter changed here and there.
static Queries makeQueries(const std::vector<char> &reference, int count, int longest) {
  Numbers numbers(71);
  std::vector<int> lengths(count);
  for (int &length : lengths)
    length = std::min(int(reference.size()), unevenLength(numbers, 2, longest));
  Queries queries{{}, beginnings(lengths)};
  for (int length : lengths) {
    const int begin = numbers.below(int(reference.size()) - length + 1);
    for (int i = 0; i < length; ++i)
      queries.letters.push_back(numbers.below(16) ? reference[begin + i] : "ACGT"[numbers.below(4)]);
  }
  return queries;
}

/// A binary search goes by the neighbours of the place where the query belongs: so does the longest match.
static int matchOnHost(const Queries &queries, const std::vector<char> &reference,
                       const std::vector<int> &suffixes, int query) {
  int total = 0;
  const auto end = queries.letters.begin() + queries.first[query + 1];
  for (auto at = queries.letters.begin() + queries.first[query]; at != end; ++at) {
    const auto behind = std::lower_bound(suffixes.begin(), suffixes.end(), 0, [&](int suffix, int) {
      return std::lexicographical_compare(reference.begin() + suffix, reference.end(), at, end);
    });
    int longest = 0;
    for (auto near : {behind, behind == suffixes.begin() ? behind : behind - 1})
      if (near != suffixes.end())
        longest = std::max(
            longest, int(std::mismatch(at, end, reference.begin() + *near, reference.end()).first - at));
    total += longest >= ShortestMatch ? longest : 0;
  }
  return total;
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 400), longest = argument(argc, argv, 2, 60);
  const int letters = argument(argc, argv, 3, 5000), launches = argument(argc, argv, 4, 2);
  const std::vector<char> reference = randomLetters(letters, 72);
  const std::vector<int> suffixes = suffixArray(reference);
  const Queries queries = makeQueries(reference, count, longest);
  int *matched = zeros<int>(count), *first = toDevice(queries.first), *deviceSuffixes = toDevice(suffixes);
  char *deviceQueries = toDevice(queries.letters), *deviceReference = toDevice(reference);
  for (int i = 0; i < launches; ++i)
    match<<<blocksFor(count, Threads), Threads>>>(matched, deviceQueries, first, deviceReference,
                                                  deviceSuffixes, letters, count);
  const std::vector<int> got = toHost(matched, count);
  const bool passed =
      agree(got, [&](size_t i) { return matchOnHost(queries, reference, suffixes, int(i)); }, 0, 2000);
  return verdict("suffix_match", got, passed);
}
