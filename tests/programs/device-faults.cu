// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that faults leaves an error that every later call returns; assert and trap have codes of their
// own. Each case runs in a process of its own, since the error cannot be cleared.
#include "Check.h"

#include <cassert>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void writeFar(int *p) { p[size_t(1) << 34] = 1; }
__global__ void misaligned(char *p) { *reinterpret_cast<int *>(p + 1) = 5; }
__global__ void failAssert(int n) { assert(n == 3); }
__global__ void stop() { asm volatile("trap;"); }

cudaError_t faultOf(const std::string &which) {
  static DeviceArray<int> data(16);
  if (which == "address")
    writeFar<<<1, 1>>>(data);
  else if (which == "misaligned")
    misaligned<<<1, 1>>>(reinterpret_cast<char *>(static_cast<int *>(data)));
  else if (which == "assert")
    failAssert<<<1, 1>>>(4);
  else
    stop<<<1, 1>>>();
  return cudaDeviceSynchronize();
}

int childMain(const std::string &which) {
  cudaError_t error = faultOf(which);
  // The thread's copy of the error is handed out once; the device keeps its own, and nothing works any more.
  if (cudaGetLastError() != error || cudaGetLastError() != cudaSuccess)
    return 255;
  void *p = nullptr;
  if (cudaMalloc(&p, 16) != error)
    return 254;
  std::_Exit(error == cudaErrorIllegalAddress      ? 1
             : error == cudaErrorMisalignedAddress ? 2
             : error == cudaErrorAssert            ? 3
             : error == cudaErrorLaunchFailure     ? 4
                                                   : 253);
}

int statusOf(const char *self, const char *which) {
  pid_t child = fork();
  if (child == 0) {
    freopen("/dev/null", "w", stderr);
    execl(self, self, which, static_cast<char *>(nullptr));
    std::_Exit(252);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 251;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return childMain(argv[1]);
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  CHECK(length > 0);
  self[length] = 0;
  CHECK(statusOf(self, "address") == 1);
  CHECK(statusOf(self, "misaligned") == 2);
  CHECK(statusOf(self, "assert") == 3);
  CHECK(statusOf(self, "trap") == 4);
  return pass();
}
