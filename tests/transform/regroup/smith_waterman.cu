// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smith-Waterman: a thread scores one read of a protein database against a query, the best local alignment
// with a linear gap. Reads differ in length by a factor of ten and more, so a warp takes as long as its
// longest one.
//
// For regrouping: by=first[read+1]-first[read]. A row of scores is in local memory, which lies by lane
// whatever the read is; only the residues themselves are read elsewhere.
#include "Harness.h"

#include <algorithm>

constexpr int Threads = 128, QueryLength = 24, Letters = 20, Gap = 4;

__global__ void align(int *best, const unsigned char *residues, const int *first, const unsigned char *query,
                      const signed char *similarity, int reads) {
  const int read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= reads)
    return;
  short row[QueryLength + 1];
  for (int j = 0; j <= QueryLength; ++j)
    row[j] = 0;
  int highest = 0;
  for (int at = first[read]; at < first[read + 1]; ++at) {
    const signed char *scores = similarity + residues[at] * Letters;
    int diagonal = 0, left = 0;
    for (int j = 1; j <= QueryLength; ++j) {
      const int up = row[j];
      int score = max(0, diagonal + scores[query[j - 1]]);
      score = max(score, max(up, left) - Gap);
      diagonal = up;
      left = score;
      row[j] = short(score);
      highest = max(highest, score);
    }
  }
  best[read] = highest;
}

struct Database {
  std::vector<unsigned char> residues, query;
  std::vector<signed char> similarity;
  std::vector<int> first;
};

static Database makeDatabase(int reads, int longest) {
  Numbers numbers(41);
  Database database;
  std::vector<int> lengths(reads);
  for (int &length : lengths)
    length = unevenLength(numbers, 4, longest);
  database.first = beginnings(lengths);
  database.residues = integers<unsigned char>(database.first.back(), 42, Letters);
  database.query = integers<unsigned char>(QueryLength, 43, Letters);
  for (int a = 0; a < Letters; ++a)
    for (int b = 0; b < Letters; ++b)
      database.similarity.push_back(
          static_cast<signed char>(a == b ? 5 + a % 4 : (a * 7 + b * 7 + a * b) % 6 - 4));
  return database;
}

/// By the whole matrix, as it is defined.
static int alignOnHost(const Database &database, int read) {
  const int begin = database.first[read], length = database.first[read + 1] - begin;
  std::vector<std::vector<int>> matrix(length + 1, std::vector<int>(QueryLength + 1));
  int highest = 0;
  for (int i = 1; i <= length; ++i)
    for (int j = 1; j <= QueryLength; ++j) {
      const int same =
          database.similarity[database.residues[begin + i - 1] * Letters + database.query[j - 1]];
      matrix[i][j] =
          std::max({0, matrix[i - 1][j - 1] + same, matrix[i - 1][j] - Gap, matrix[i][j - 1] - Gap});
      highest = std::max(highest, matrix[i][j]);
    }
  return highest;
}

int main(int argc, char **argv) {
  const int reads = argument(argc, argv, 1, 700), longest = argument(argc, argv, 2, 120);
  const int launches = argument(argc, argv, 3, 2);
  const Database database = makeDatabase(reads, longest);
  int *best = zeros<int>(reads), *first = toDevice(database.first);
  unsigned char *residues = toDevice(database.residues), *query = toDevice(database.query);
  signed char *similarity = toDevice(database.similarity);
  for (int i = 0; i < launches; ++i)
    align<<<blocksFor(reads, Threads), Threads>>>(best, residues, first, query, similarity, reads);
  const std::vector<int> got = toHost(best, reads);
  const bool passed = agree(got, [&](size_t i) { return alignOnHost(database, int(i)); }, 0, 2000);
  return verdict("smith_waterman", got, passed);
}
