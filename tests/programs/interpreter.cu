// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small stack machine in each thread: a switch in a loop, lanes at different instructions, local arrays.
#include "Check.h"

enum Code : unsigned char { Push, Add, Multiply, Subtract, Duplicate, Swap, JumpIfNotZero, Drop, Load, Halt };

struct Instruction {
  Code code;
  int operand;
};

__host__ __device__ int interpret(const Instruction *program, int input) {
  int stack[16], top = 0;
  for (int at = 0, steps = 0; steps < 500; ++steps) {
    Instruction in = program[at++];
    switch (in.code) {
    case Push: stack[top++] = in.operand; break;
    case Load: stack[top++] = input; break;
    case Add:
      --top;
      stack[top - 1] += stack[top];
      break;
    case Subtract:
      --top;
      stack[top - 1] -= stack[top];
      break;
    case Multiply:
      --top;
      stack[top - 1] *= stack[top];
      break;
    case Duplicate:
      stack[top] = stack[top - 1];
      ++top;
      break;
    case Swap: {
      int t = stack[top - 1];
      stack[top - 1] = stack[top - 2];
      stack[top - 2] = t;
      break;
    }
    case JumpIfNotZero:
      if (stack[--top])
        at = in.operand;
      break;
    case Drop: --top; break;
    case Halt: return stack[top - 1];
    }
  }
  return -1;
}

// The input, counted down and up again: the duplicate is dropped or kept by a jump.
__constant__ Instruction fixedProgram[] = {{Push, 100},   {Load, 0}, {Duplicate, 0}, {JumpIfNotZero, 6},
                                           {Drop, 0},     {Halt, 0}, {Add, 0},       {Duplicate, 0},
                                           {Multiply, 0}, {Push, 1}, {Subtract, 0},  {Halt, 0}};

__global__ void run(const Instruction *program, int *out) {
  out[threadIdx.x] = interpret(program, int(threadIdx.x) % 7);
}
__global__ void runConstant(int *out) { out[threadIdx.x] = interpret(fixedProgram, int(threadIdx.x) % 3); }

const Instruction shuffle[] = {{Push, 0}, {Load, 0},      {Duplicate, 0}, {JumpIfNotZero, 6}, {Drop, 0},
                               {Halt, 0}, {Duplicate, 0}, {Push, 0},      {Add, 0},           {Push, -1},
                               {Add, 0},  {Swap, 0},      {Drop, 0},      {Halt, 0}};
const Instruction countdown[] = {{Load, 0},  {Push, 10}, {Multiply, 0}, {Duplicate, 0}, {JumpIfNotZero, 6},
                                 {Halt, 0},  {Push, 1},  {Subtract, 0}, {Duplicate, 0}, {JumpIfNotZero, 6},
                                 {Push, 77}, {Add, 0},   {Halt, 0}};

void test(const Instruction *program, int length) {
  std::vector<Instruction> code(program, program + length);
  DeviceArray<Instruction> device(code);
  DeviceArray<int> out(96);
  run<<<1, 96>>>(device, out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int i = 0; i < 96; ++i)
    CHECK(got[i] == interpret(program, i % 7));
}

int main() {
  test(shuffle, sizeof shuffle / sizeof *shuffle);
  test(countdown, sizeof countdown / sizeof *countdown);
  DeviceArray<int> out(32);
  runConstant<<<1, 32>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int i = 0; i < 32; ++i)
    CHECK(got[i] == (i % 3 ? (100 + i % 3) * (100 + i % 3) - 1 : 100));
  return pass();
}
