// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels that load tiles, meet, compute and meet; in integers, so that any order of loads that
// is wrong shows in the results.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::testing {

class RandomTiles {
public:
  static constexpr int inputs = 4096, items = 2 * 128;

  RandomTiles(uint64_t seed, std::string name) : random(seed), name(std::move(name)) {
    static const std::vector<std::pair<int, int>> blocks = {{32, 1}, {64, 1}, {16, 4}, {32, 4}, {8, 8}};
    std::tie(blockX, blockY) = blocks[below(blocks.size())];
    n = int(below(5) == 0 ? below(3) * 64 : 100 + below(1200));
  }

  std::string write() {
    const bool hasOuter = chance(), opensWithBarrier = chance(), isWhile = below(4) == 0;
    arrays = 1 + below(2);
    std::string text = fmt::format("__global__ void {}(unsigned *out, const unsigned *in, int n) {{\n", name);
    for (unsigned a = 0; a < arrays; ++a)
      text += declaration(a);
    hasTable = below(3) == 0;
    hasBins = below(3) == 0;
    text += hasTable ? "  __shared__ unsigned table[128];\n" : "";
    text += hasBins ? "  __shared__ unsigned bins[16];\n" : "";
    text += fmt::format("  const int tid = {};\n", threadNumber());
    text += "  unsigned sum = 0;\n";
    if (hasTable)
      text += "  table[tid] = tid * 7u + 1u;\n";
    if (hasBins)
      text += "  if (tid < 16)\n    bins[tid] = 0;\n";
    if (hasBins || hasTable)
      text += "  __syncthreads();\n";
    if (hasOuter)
      text += "  for (int round = 0; round < 2; ++round) {\n";
    text += isWhile ? fmt::format("  int s = {0};\n  while (s < n) {{\n", start(hasOuter))
                    : fmt::format("  for (int s = {}; s < n; s += {}) {{\n", start(hasOuter), step);
    const std::string barrier = "    __syncthreads();\n";
    text += (opensWithBarrier ? barrier : "") + loads() + barrier + computation() +
            (opensWithBarrier ? "" : barrier);
    text += isWhile ? fmt::format("    s += {};\n", step) : "";
    text += "  }\n";
    if (hasOuter)
      text += afterTiles() + "  }\n";
    if (hasBins)
      text += opensWithBarrier ? "  __syncthreads();\n  sum += bins[(tid + 1) % 16];\n"
                               : "  sum += bins[(tid + 1) % 16];\n";
    return text + fmt::format("  out[blockIdx.x * {} + tid] = sum;\n}}\n", blockX * blockY);
  }

  int blockX = 32, blockY = 1, n = 0;

private:
  uint64_t below(uint64_t limit) { return random() % limit; }
  bool chance() { return below(2) == 0; }

  std::string threadNumber() const {
    return blockY == 1 ? "threadIdx.x" : fmt::format("threadIdx.y * {} + threadIdx.x", blockX);
  }
  std::string start(bool hasOuter) const {
    return hasOuter ? "round * 16 + blockIdx.x * 8" : "blockIdx.x * 8";
  }

  struct Tile {
    int size = 0, rows = 1;
    enum { Each, Distributed, Rows } how = Each;
  };

  std::string declaration(unsigned a) {
    Tile tile;
    const int threads = blockX * blockY;
    tile.how = blockY > 1 && chance() ? Tile::Rows : chance() ? Tile::Each : Tile::Distributed;
    tile.size = tile.how == Tile::Each          ? threads
                : tile.how == Tile::Distributed ? int(4 * (8 + below(40)))
                                                : 4 * blockX;
    tile.rows = tile.how == Tile::Rows ? 4 : 1;
    tiles.push_back(tile);
    return tile.rows > 1
               ? fmt::format("  __shared__ unsigned tile{}[{}][{}];\n", a, tile.rows, tile.size / tile.rows)
               : fmt::format("  __shared__ unsigned tile{}[{}];\n", a, tile.size);
  }

  std::string element(const std::string &index) {
    const std::string at = fmt::format("in[{}]", index);
    switch (below(4)) {
    case 0: return fmt::format("{} < n ? {} : 0u", index, at);
    case 1: return fmt::format("{} < n ? {} : 9u", index, at);
    case 2: return fmt::format("in[({}) % {}]", index, inputs);
    default: return fmt::format("{} < n ? {} * 3u + 1u : 5u", index, at);
    }
  }

  std::string loads() {
    std::string text;
    for (unsigned a = 0; a < arrays; ++a) {
      const Tile &tile = tiles[a];
      const int offset = int(below(3)) * 4;
      if (tile.how == Tile::Each)
        text += fmt::format("    tile{}[tid] = {};\n", a, element(fmt::format("s + {} + tid", offset)));
      else if (tile.how == Tile::Distributed)
        text += fmt::format("    for (int i = {}; i < {}; i += {})\n      tile{}[i] = {};\n", threadNumber(),
                            tile.size, blockX * blockY, a, element(fmt::format("s + {} + i", offset)));
      else
        text += fmt::format(
            "    for (int y = threadIdx.y; y < {}; y += {}) {{\n      const int x = threadIdx.x;\n"
            "      tile{}[y][x] = {};\n    }}\n",
            tile.rows, blockY, a, element(fmt::format("s + {} + y * {} + x", offset, blockX)));
    }
    return text;
  }

  std::string read(unsigned a, const std::string &index) const {
    const Tile &tile = tiles[a];
    return tile.rows > 1 ? fmt::format("tile{}[({}) % {}][({}) % {}]", a, index, tile.rows, index,
                                       tile.size / tile.rows)
                         : fmt::format("tile{}[({}) % {}]", a, index, tile.size);
  }

  std::string computation() {
    std::string text;
    for (unsigned a = 0; a < arrays; ++a)
      switch (below(3)) {
      case 0:
        text += fmt::format("    sum = sum * 5u + {};\n", read(a, fmt::format("tid + {}", 1 + below(30))));
        break;
      case 1:
        text += fmt::format("    for (int j = 0; j < {}; ++j)\n      sum += {} * (j + 1u);\n", 2 + below(5),
                            read(a, "tid * 3 + j"));
        break;
      default: text += fmt::format("    if (tid % 3 == 0)\n      sum ^= {};\n", read(a, "tid + 1")); break;
      }
    if (hasTable)
      text += "    sum += table[(tid + 5) % " + std::to_string(blockX * blockY) + "];\n";
    if (hasBins)
      text += fmt::format("    atomicAdd(&bins[{} % 16u], 1u);\n", read(0, "tid"));
    return text;
  }

  /// What the block's threads exchange between two rounds.
  std::string afterTiles() {
    if (!hasTable)
      return "  sum += 3u;\n";
    return fmt::format(
        "  __syncthreads();\n  table[tid] = sum;\n  __syncthreads();\n  sum += table[(tid + 1) % {}];\n"
        "  __syncthreads();\n",
        blockX * blockY);
  }

  std::mt19937_64 random;
  std::string name;
  unsigned arrays = 1, step = 64;
  bool hasTable = false, hasBins = false;
  std::vector<Tile> tiles;
};

} // namespace heddle::testing
