// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the kernels of a program against those of its variants, all in one process, with no change to any of
// them. Each was compiled as a shared library (its `main` is called program_main); its calls of the CUDA
// runtime come here first, because the definitions of an executable go before those of libcudart. That is
// used to
//
//   1. let the program check itself, at its usual size: main must return 0;
//   2. run it at the size that is measured, keep each kernel's first launch with its arguments, and stop at
//   the
//      last device-to-host copy that is compared: what the host would check then takes minutes. The copies' bits
//      must be those that the original copied to the host;
//   3. launch the original and the variant in turn, from what was kept, and time each launch by events. Both
//   see the
//      same clocks and temperatures; the ratio is taken pair by pair.
//
// Memory of step 2 is never freed: a process measures one program, and its variants fit into a GPU many times
// over.
//
// Usage: driver RESULTS SIZE COPIES ORIGINAL.so VARIANT.so...    (RESULTS is appended to: a JSON object a
// line)
//        driver - SIZE COPIES ORIGINAL.so VARIANT.so...          launches each kernel once more, for a
//        profiler
#include <climits>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

constexpr int warmUps = 3;
constexpr int rounds = 41;

void must(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(status));
  std::_Exit(3);
}

/// The runtime's own function that one defined here replaces.
template <class Function> Function *real(const char *name) {
  static_assert(sizeof(Function *) == sizeof(void *));
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// A launch that can be made again: nvcc's stubs keep the arguments on their stack.
struct Launch {
  cudaKernel_t kernel;
  dim3 grid, block;
  size_t sharedBytes;
  std::vector<std::vector<char>> values;

  Launch(cudaKernel_t kernel, dim3 grid, dim3 block, size_t sharedBytes, void **arguments)
      : kernel(kernel), grid(grid), block(block), sharedBytes(sharedBytes) {
    size_t offset = 0, bytes = 0;
    for (size_t i = 0; cudaFuncGetParamInfo(kernel, i, &offset, &bytes) == cudaSuccess; ++i) {
      const char *value = static_cast<const char *>(arguments[i]);
      values.emplace_back(value, value + bytes);
    }
    cudaGetLastError(); // asking for one parameter too many is how their number is found
  }
  void again();
};

/// What is kept of one program.
struct Program {
  std::string file;
  int (*main)(int, char **) = nullptr;
  std::vector<Launch> launches;
  uint64_t bits = 14695981039346656037u; // of everything that it copied back

  bool knows(cudaKernel_t kernel) const {
    return std::any_of(launches.begin(), launches.end(), [&](const Launch &l) { return l.kernel == kernel; });
  }
  void mix(const void *memory, size_t bytes) {
    const char *at = static_cast<const char *>(memory);
    for (uint64_t word; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      bits = (bits ^ word) * 1099511628211u;
    }
    for (; bytes > 0; --bytes, ++at)
      bits = (bits ^ uint64_t(*at)) * 1099511628211u;
  }
};

Program *capturing = nullptr;
int copiesLeft = 0;
struct Finished {};

/// Another copy was made; leaves the program with the last one.
void copiedBack() {
  if (--copiesLeft <= 0)
    throw Finished();
}

using LaunchFunction = cudaError_t(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
LaunchFunction *realLaunch() {
  static LaunchFunction *function = real<LaunchFunction>("__cudaLaunchKernel");
  return function;
}

void Launch::again() {
  std::vector<void *> arguments;
  for (std::vector<char> &value : values)
    arguments.push_back(value.data());
  must(realLaunch()(kernel, grid, block, arguments.data(), sharedBytes, nullptr), "launch");
}

} // namespace

// What the programs call. nvcc turns `kernel<<<...>>>` into a call of the first one;
// runtime/heddle/delegate.cuh calls the second.
extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream) {
  if (capturing && !capturing->knows(kernel))
    capturing->launches.emplace_back(kernel, grid, block, sharedBytes, arguments);
  return realLaunch()(kernel, grid, block, arguments, sharedBytes, stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream) {
  cudaKernel_t kernel;
  must(cudaGetKernel(&kernel, function), "cudaGetKernel");
  return __cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  static auto *function = real<decltype(cudaMemcpy)>("cudaMemcpy");
  const cudaError_t status = function(to, from, bytes, kind);
  if (capturing && kind == cudaMemcpyDeviceToHost) {
    must(status, "cudaMemcpy");
    capturing->mix(to, bytes);
    copiedBack();
  }
  return status;
}

cudaError_t cudaFree(void *memory) {
  static auto *function = real<decltype(cudaFree)>("cudaFree");
  return capturing ? cudaSuccess : function(memory); // a kept launch still needs it
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  static auto *function = real<decltype(cudaMemcpy2D)>("cudaMemcpy2D");
  const cudaError_t status = function(to, toPitch, from, fromPitch, width, height, kind);
  if (capturing && kind == cudaMemcpyDeviceToHost) {
    must(status, "cudaMemcpy2D");
    for (size_t y = 0; y < height; ++y)
      capturing->mix(static_cast<char *>(to) + y * toPitch, width);
    copiedBack();
  }
  return status;
}
}

namespace {

Program load(const char *file) {
  Program program;
  program.file = file;
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void *entry = library ? dlsym(library, "_Z12program_mainiPPc") : nullptr; // program_main(int, char **)
  if (!entry) {
    std::fprintf(stderr, "driver: %s\n", dlerror());
    std::_Exit(3);
  }
  program.main = reinterpret_cast<int (*)(int, char **)>(entry);
  return program;
}

bool passesItsOwnCheck(const Program &program) {
  char name[] = "program";
  char *arguments[] = {name, nullptr};
  return program.main(1, arguments) == 0;
}

/// `size`: the program's arguments, with spaces between them.
void capture(Program &program, const char *size, int copies) {
  std::string words = size;
  std::vector<char *> arguments = {words.data(), words.data()};
  for (char &letter : words)
    if (letter == ' ') {
      letter = '\0';
      arguments.push_back(&letter + 1);
    }
  const int count = int(arguments.size());
  arguments.push_back(nullptr);
  capturing = &program;
  copiesLeft = copies;
  try {
    program.main(count, arguments.data());
  } catch (const Finished &) {
  }
  capturing = nullptr;
  must(cudaDeviceSynchronize(), program.file.c_str());
}

struct Times {
  std::vector<float> micros;
  float quantile(double share) const {
    std::vector<float> sorted = micros;
    std::sort(sorted.begin(), sorted.end());
    return sorted[size_t(share * double(sorted.size() - 1) + 0.5)];
  }
};

class Clock {
public:
  Clock() {
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
  }
  float microsOf(Launch &launch) {
    must(cudaEventRecord(begin, nullptr), "cudaEventRecord");
    launch.again();
    must(cudaEventRecord(end, nullptr), "cudaEventRecord");
    must(cudaEventSynchronize(end), "cudaEventSynchronize");
    float millis = 0.0f;
    must(cudaEventElapsedTime(&millis, begin, end), "cudaEventElapsedTime");
    return 1000.0f * millis;
  }

private:
  cudaEvent_t begin, end;
};

float occupancy(const Launch &launch) {
  const int threads = int(launch.block.x * launch.block.y * launch.block.z);
  int blocks = 0;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel, threads, launch.sharedBytes),
       "occupancy");
  int most = 0;
  must(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, 0), "cudaDeviceGetAttribute");
  const int warps = (threads + 31) / 32; // a block of half a warp takes the place of a whole one
  return 100.0f * float(blocks * warps * 32) / float(most);
}

std::string shape(dim3 size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

void writeResult(FILE *out, const Program &program, bool same, Launch &original, Launch &variant,
                 Clock &clock) {
  Times before, after, ratios;
  for (int i = 0; i < warmUps; ++i)
    clock.microsOf(original), clock.microsOf(variant);
  for (int i = 0; i < rounds; ++i) {
    before.micros.push_back(clock.microsOf(original));
    after.micros.push_back(clock.microsOf(variant));
    ratios.micros.push_back(before.micros.back() / after.micros.back());
  }
  const char *name = "";
  cudaFuncAttributes attributes = {};
  must(cudaFuncGetName(&name, variant.kernel), "cudaFuncGetName");
  must(cudaFuncGetAttributes(&attributes, variant.kernel), "cudaFuncGetAttributes");
  std::fprintf(
      out,
      "{\"library\": \"%s\", \"function\": \"%s\", \"grid\": \"%s\", \"block\": \"%s\", \"registers\": %d, "
      "\"local_bytes\": %zu, \"shared_bytes\": %zu, \"occupancy\": %.1f, \"same_bits\": %s, "
      "\"micros\": %.3f, \"micros_q1\": %.3f, \"micros_q3\": %.3f, \"original_micros\": %.3f, "
      "\"original_q1\": %.3f, \"original_q3\": %.3f, \"speedup\": %.4f, \"speedup_q1\": %.4f, "
      "\"speedup_q3\": %.4f}\n",
      program.file.c_str(), name, shape(variant.grid).c_str(), shape(variant.block).c_str(),
      attributes.numRegs, attributes.localSizeBytes, attributes.sharedSizeBytes + variant.sharedBytes,
      occupancy(variant), same ? "true" : "false", after.quantile(0.5), after.quantile(0.25),
      after.quantile(0.75), before.quantile(0.5), before.quantile(0.25), before.quantile(0.75),
      ratios.quantile(0.5), ratios.quantile(0.25), ratios.quantile(0.75));
  std::fflush(out);
}

void showToProfiler(Launch &launch) {
  must(cudaProfilerStart(), "cudaProfilerStart");
  launch.again();
  must(cudaDeviceSynchronize(), "launch");
  must(cudaProfilerStop(), "cudaProfilerStop");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: driver RESULTS SIZE COPIES ORIGINAL.so VARIANT.so...\n");
    return 2;
  }
  // Host arrays of the same sizes come and go: keep their pages.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 1 << 30);
  const bool isForProfiler = std::strcmp(argv[1], "-") == 0;
  FILE *out = isForProfiler ? stdout : std::fopen(argv[1], "a");
  const char *size = argv[2];
  const int copies = std::atoi(argv[3]);
  Clock clock;
  Program original;
  for (int i = 4; i < argc; ++i) {
    std::fprintf(stderr, "begin %s\n", argv[i]); // the reader knows where the process ended
    Program program = load(argv[i]);
    if (!passesItsOwnCheck(program)) {
      std::fprintf(stderr, "driver: %s fails its own check\n", argv[i]);
      return 1;
    }
    capture(program, size, copies);
    if (i == 4)
      original = program;
    if (program.launches.size() != original.launches.size()) {
      std::fprintf(stderr, "driver: %s launches other kernels\n", argv[i]);
      return 1;
    }
    for (size_t k = 0; k < program.launches.size(); ++k)
      if (isForProfiler)
        showToProfiler(program.launches[k]);
      else
        writeResult(out, program, program.bits == original.bits, original.launches[k], program.launches[k],
                    clock);
  }
  std::fclose(out);
}
