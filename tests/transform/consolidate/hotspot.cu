// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hotspot: temperatures of a chip, several time steps a launch. A block of 16x16 loads a tile with a halo as
// wide as there are steps; every step the part that is still right shrinks by one on each side.
//
// For consolidation: neighbours at distance 1 and 16 in a tile of two rows a register, except at the edge of
// the chip, where a cell is its own neighbour: the distance is one of two constants, chosen by a condition at
// run time.
#include "Harness.h"

#define TILE 16
#define IN_TILE(i, low, high) ((i) >= (low) && (i) <= (high))

struct Chip {
  int columns, rows;
  float gain, acrossX, acrossY, toAir, air;
};

__global__ void hotspot(float *after, const float *before, const float *power, Chip chip, int steps) {
  __shared__ float heat[TILE][TILE];
  __shared__ float next[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int useful = TILE - 2 * steps;
  const int x = int(blockIdx.x) * useful + tx - steps;
  const int y = int(blockIdx.y) * useful + ty - steps;
  const bool onChip = IN_TILE(x, 0, chip.columns - 1) && IN_TILE(y, 0, chip.rows - 1);
  const size_t at = size_t(y) * chip.columns + x;

  float watts = 0;
  heat[ty][tx] = onChip ? before[at] : 0;
  if (onChip)
    watts = power[at];
  __syncthreads();

  const int west = x > 0 ? tx - 1 : tx, east = x < chip.columns - 1 ? tx + 1 : tx;
  const int north = y > 0 ? ty - 1 : ty, south = y < chip.rows - 1 ? ty + 1 : ty;
  for (int step = 1; step <= steps; ++step) {
    const bool right = IN_TILE(tx, step, TILE - 1 - step) && IN_TILE(ty, step, TILE - 1 - step) && onChip;
    if (right) {
      const float own = heat[ty][tx];
      next[ty][tx] = own + chip.gain * (watts + (heat[ty][east] + heat[ty][west] - 2 * own) * chip.acrossX +
                                        (heat[south][tx] + heat[north][tx] - 2 * own) * chip.acrossY +
                                        (chip.air - own) * chip.toAir);
    }
    __syncthreads();
    if (right)
      heat[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (IN_TILE(tx, steps, TILE - 1 - steps) && IN_TILE(ty, steps, TILE - 1 - steps) && onChip)
    after[at] = heat[ty][tx];
}

static std::vector<double> stepOnHost(const std::vector<double> &heat, const std::vector<float> &power,
                                      Chip chip) {
  std::vector<double> next(heat.size());
  for (int y = 0; y < chip.rows; ++y)
    for (int x = 0; x < chip.columns; ++x) {
      const auto cell = [&](int dx, int dy) {
        const int cx = x + dx, cy = y + dy;
        const bool outside = cx < 0 || cy < 0 || cx >= chip.columns || cy >= chip.rows;
        return outside ? heat[size_t(y) * chip.columns + x] : heat[size_t(cy) * chip.columns + cx];
      };
      const double own = cell(0, 0);
      next[size_t(y) * chip.columns + x] =
          own +
          chip.gain *
              (power[size_t(y) * chip.columns + x] + (cell(1, 0) + cell(-1, 0) - 2 * own) * chip.acrossX +
               (cell(0, 1) + cell(0, -1) - 2 * own) * chip.acrossY + (chip.air - own) * chip.toAir);
    }
  return next;
}

int main(int argc, char **argv) {
  const int side = argument(argc, argv, 1, 61), steps = argument(argc, argv, 2, 2),
            launches = argument(argc, argv, 3, 2);
  if (steps > 7)
    return std::fprintf(stderr, "a tile of %d leaves nothing after %d steps\n", TILE, steps), 2;
  const Chip chip = {side, side - side / 4, 0.1f, 1.5f, 1.0f, 0.05f, 80.0f};
  const size_t cells = size_t(chip.columns) * chip.rows;
  const std::vector<float> start = floats(cells, 5, 300, 340), power = floats(cells, 6, 0, 2);

  float *before = toDevice(start), *after = zeros<float>(cells), *devicePower = toDevice(power);
  const int useful = TILE - 2 * steps;
  dim3 grid(blocksFor(chip.columns, useful), blocksFor(chip.rows, useful)), block(TILE, TILE);
  for (int launch = 0; launch < launches; ++launch) {
    hotspot<<<grid, block>>>(after, before, devicePower, chip, steps);
    std::swap(before, after);
  }
  const std::vector<float> got = toHost(before, cells);

  std::vector<double> heat(start.begin(), start.end());
  for (int step = 0; step < steps * launches; ++step)
    heat = stepOnHost(heat, power, chip);
  return verdict("hotspot", got, agree(got, [&](size_t i) { return heat[i]; }, 1e-5));
}
