// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device-side printf: its text is read back through a file that replace stdout meanwhile.
#include "Check.h"

#include <string>
#include <unistd.h>

__global__ void speak(float f) {
  if (threadIdx.x == 2)
    printf("thread %d of %u: %s %c %5.2f|%-6d|%06x|%lld|%%\n", int(threadIdx.x), blockDim.x, "word", 'x', f,
           -42, 0xbeefu, 1ll << 40);
}

__global__ void values(const double *p) {
  printf("%g %e %i %5s|%-5s| %hd %lu\n", *p, *p, 17, "ab", "cd", (short)-3, 123456789012ul);
}

__global__ void everyLane() { printf("<%d>", int(threadIdx.x)); }
__global__ void noArguments(int *count) { *count = printf("plain\n"); }

std::string captured(void (*body)()) {
  std::fflush(stdout);
  int saved = dup(1);
  std::FILE *file = std::tmpfile();
  dup2(fileno(file), 1);
  body();
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;)
    text += char(c);
  std::fclose(file);
  return text;
}

static int *counted;

int main() {
  DeviceArray<double> number(std::vector<double>{1234.5});
  static double *p;
  p = number;
  DeviceArray<int> count(1);
  counted = count;
  std::string text = captured([] {
    speak<<<1, 4>>>(3.14159f);
    CHECK_LAUNCH();
  });
  CHECK(text == "thread 2 of 4: word x  3.14|-42   |00beef|1099511627776|%\n");
  text = captured([] {
    values<<<1, 1>>>(p);
    CHECK_LAUNCH();
  });
  CHECK(text == "1234.5 1.234500e+03 17    ab|cd   | -3 123456789012\n");

  text = captured([] {
    everyLane<<<1, 40>>>();
    CHECK_LAUNCH();
  });
  for (int i = 0; i < 40; ++i)
    CHECK(text.find("<" + std::to_string(i) + ">") != std::string::npos);
  CHECK(text.size() == 10 * 3 + 30 * 4);

  // Host and device text keep their order once the host has waited.
  text = captured([] {
    std::printf("before\n");
    std::fflush(stdout);
    noArguments<<<1, 1>>>(counted);
    CHECK_LAUNCH();
    std::printf("after\n");
  });
  CHECK(text == "before\nplain\nafter\n");
  CHECK(count.host()[0] == 0);
  return pass();
}
