// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memory.cu WAY: launches `kernel` on memory that it reaches in one way or another, and checks the results: a program
// must compute the same while it is captured. Each way says what a capture has to hold.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#define CHECK(call)                                                                                          \
  if (cudaError_t error = call) {                                                                            \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));                                               \
    std::exit(1);                                                                                            \
  }

constexpr int kCount = 1000;

__device__ int total;
__device__ int *viaVariable;
__device__ const char *text = "first";
__constant__ int table[4] = {1, 2, 3, 4};

struct Node {
  int value;
  Node *next;
};

struct Arrays {
  int count;
  const int *in;
  int *out;
};

__global__ void add(int *out, const int *in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i] + table[i % 4];
}

__global__ void addStruct(Arrays arrays) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < arrays.count)
    arrays.out[i] = arrays.in[i] + 1;
}

__global__ void sumList(const Node *first) {
  int sum = 0;
  for (const Node *node = first; node; node = node->next)
    sum += node->value;
  total = sum;
}

__global__ void addVariable(int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    viaVariable[i] += 1;
}

__global__ void leavePointer() { viaVariable = &total; }

__global__ void readText(int *out, bool changesIt) {
  *out = text[1];
  if (changesIt)
    text = "second";
}

__global__ void readTexture(unsigned long long texture, int *out) { *out = int(texture != 0); }

__global__ void scale(float *values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= factor;
}

template <class T> T *onDevice(const std::vector<T> &values) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

std::vector<int> numbers(int count = kCount) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = 3 * i;
  return values;
}

int checked(bool isRight) {
  std::printf(isRight ? "ok\n" : "wrong\n");
  return isRight ? 0 : 1;
}

int checkedSum(const int *out, const int *in) {
  for (int i = 0; i < kCount; ++i)
    if (out[i] != in[i] + i % 4 + 1)
      return checked(false);
  return checked(true);
}

/// Two arrays that are reached, and one, all of fives, that is not.
int device() {
  const std::vector<int> in = numbers();
  int *unreached = onDevice(std::vector<int>(kCount, 5)), *from = onDevice(in);
  int *freed = onDevice(in), *to = onDevice(std::vector<int>(kCount));
  CHECK(cudaFree(freed));
  add<<<4, 256>>>(to, from, kCount);
  std::vector<int> out(kCount);
  CHECK(cudaMemcpy(out.data(), to, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(unreached));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return checkedSum(out.data(), in.data());
}

/// 5 MB in and out: several chunks.
int large() {
  const int count = 1300000;
  const std::vector<int> in = numbers(count);
  int *from = onDevice(in), *to = onDevice(std::vector<int>(count));
  add<<<(count + 255) / 256, 256>>>(to, from, count);
  std::vector<int> out(count);
  CHECK(cudaMemcpy(out.data(), to, count * sizeof(int), cudaMemcpyDeviceToHost));
  return checked(out[count - 1] == in[count - 1] + (count - 1) % 4 + 1);
}

int byStruct() {
  const std::vector<int> in = numbers();
  Arrays arrays = {kCount, onDevice(in), onDevice(std::vector<int>(kCount))};
  addStruct<<<4, 256>>>(arrays);
  std::vector<int> out(kCount);
  CHECK(cudaMemcpy(out.data(), arrays.out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  return checked(out[999] == in[999] + 1);
}

/// Ten nodes, each in an allocation of its own.
int list() {
  Node *first = nullptr;
  for (int i = 0; i < 10; ++i)
    first = onDevice(std::vector<Node>{{i, first}});
  sumList<<<1, 1>>>(first);
  int sum = 0;
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  return checked(sum == 45);
}

/// The array is known to a variable alone.
int variable() {
  int *values = onDevice(numbers());
  CHECK(cudaMemcpyToSymbol(viaVariable, &values, sizeof values));
  addVariable<<<4, 256>>>(kCount);
  std::vector<int> out(kCount);
  CHECK(cudaMemcpy(out.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  return checked(out[999] == 2998);
}

/// A node that points at the variable `total`.
int pointer() {
  int *address = nullptr;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), total));
  Node *node = onDevice(std::vector<Node>{{7, nullptr}});
  int **holder = onDevice(std::vector<int *>{address});
  CHECK(cudaMemcpyToSymbol(viaVariable, &holder, sizeof holder));
  sumList<<<1, 1>>>(node);
  int sum = 0;
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  return checked(sum == 7);
}

int managed() {
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&out, kCount * sizeof(int)));
  const std::vector<int> values = numbers();
  std::memcpy(in, values.data(), kCount * sizeof(int));
  add<<<4, 256>>>(out, in, kCount);
  CHECK(cudaDeviceSynchronize());
  const int code = checkedSum(out, in);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return code;
}

int pinned() {
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMallocHost(&in, kCount * sizeof(int)));
  CHECK(cudaHostAlloc(&out, kCount * sizeof(int), cudaHostAllocMapped));
  const std::vector<int> values = numbers();
  std::memcpy(in, values.data(), kCount * sizeof(int));
  int *deviceOut = nullptr;
  CHECK(cudaHostGetDevicePointer(&deviceOut, out, 0));
  add<<<4, 256>>>(deviceOut, in, kCount);
  CHECK(cudaDeviceSynchronize());
  const int code = checkedSum(out, in);
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return code;
}

/// Memory of a stream, and rows with a pitch.
int stream() {
  cudaStream_t own;
  CHECK(cudaStreamCreate(&own));
  int *in = nullptr;
  CHECK(cudaMallocAsync(&in, kCount * sizeof(int), own));
  const std::vector<int> values = numbers();
  CHECK(cudaMemcpyAsync(in, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, own));
  int *rows = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, kCount * sizeof(int), 3));
  if (pitch % 512 || pitch < kCount * sizeof(int))
    return checked(false);
  add<<<4, 256, 0, own>>>(rows, in, kCount);
  CHECK(cudaFreeAsync(in, own));
  std::vector<int> out(kCount);
  CHECK(cudaMemcpyAsync(out.data(), rows, kCount * sizeof(int), cudaMemcpyDeviceToHost, own));
  CHECK(cudaStreamSynchronize(own));
  return checkedSum(out.data(), values.data());
}

/// Host memory of the program's own, which a capture cannot restore at its address.
int registered() {
  int *in = static_cast<int *>(std::aligned_alloc(4096, 4096)), *device = nullptr;
  std::memset(in, 0, 4096);
  CHECK(cudaHostRegister(in, 4096, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&device, in, 0));
  int *to = onDevice(std::vector<int>(kCount));
  add<<<4, 256>>>(to, device, kCount);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(in));
  return checked(true);
}

int texture() {
  float *values = onDevice(std::vector<float>(kCount, 1.0f));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = values;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = kCount * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  int *out = onDevice(std::vector<int>(1));
  readTexture<<<1, 1>>>(object, out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDestroyTextureObject(object));
  return checked(true);
}

/// Nothing points into the variable before the launch.
int link() {
  leavePointer<<<1, 1>>>();
  void *expected = nullptr;
  int *left = nullptr;
  CHECK(cudaGetSymbolAddress(&expected, total));
  CHECK(cudaMemcpyFromSymbol(&left, viaVariable, sizeof left));
  return checked(left == expected);
}

/// A literal is memory of the module, of which the program has no symbol.
int literal(bool changesIt) {
  int *out = onDevice(std::vector<int>(1)), value = 0;
  readText<<<1, 1>>>(out, changesIt);
  CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  return checked(value == 'i');
}

int graph() {
  float *values = onDevice(std::vector<float>(kCount, 1.0f));
  cudaStream_t own;
  cudaGraph_t recorded;
  cudaGraphExec_t made;
  CHECK(cudaStreamCreate(&own));
  CHECK(cudaStreamBeginCapture(own, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, own>>>(values, 2.0f, kCount);
  CHECK(cudaStreamEndCapture(own, &recorded));
  CHECK(cudaGraphInstantiate(&made, recorded, 0));
  CHECK(cudaGraphLaunch(made, own));
  CHECK(cudaStreamSynchronize(own));
  float first = 0;
  CHECK(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
  return checked(first == 2.0f);
}

/// A launch of too many threads, which fails, and one that does not.
int failing() {
  float *values = onDevice(std::vector<float>(kCount, 1.0f));
  scale<<<1, 2048>>>(values, 2.0f, kCount);
  if (cudaGetLastError() == cudaSuccess)
    return checked(false);
  scale<<<4, 256>>>(values, 3.0f, kCount);
  return checked(cudaDeviceSynchronize() == cudaSuccess);
}

/// A call that fails, whose error the program asks for after a launch that does not.
int askingLate() {
  const std::vector<int> in = numbers();
  int *from = onDevice(in), *to = onDevice(std::vector<int>(kCount));
  cudaSetDevice(999);
  add<<<4, 256>>>(to, from, kCount);
  if (cudaGetLastError() != cudaErrorInvalidDevice)
    return checked(false);
  std::vector<int> out(kCount);
  CHECK(cudaMemcpy(out.data(), to, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  return checkedSum(out.data(), in.data());
}

/// 1 launch of 1 block, 3 of 4 blocks, 1 of 2 blocks with other threads; then another kernel.
int shapes() {
  float *values = onDevice(std::vector<float>(kCount, 1.0f));
  scale<<<1, 256>>>(values, 2.0f, kCount);
  for (int i = 0; i < 3; ++i)
    scale<<<4, 256>>>(values, 3.0f, kCount);
  scale<<<2, 128>>>(values, 5.0f, kCount);
  int *to = onDevice(std::vector<int>(kCount)), *from = onDevice(numbers());
  add<<<4, 256>>>(to, from, kCount);
  float first = 0;
  CHECK(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
  return checked(first == 270.0f);
}

int main(int count, char **words) {
  const std::string way = count > 1 ? words[1] : "device";
  struct {
    const char *name;
    int (*function)();
  } ways[] = {{"device", device},
              {"large", large},
              {"struct", byStruct},
              {"list", list},
              {"variable", variable},
              {"pointer", pointer},
              {"managed", managed},
              {"pinned", pinned},
              {"stream", stream},
              {"registered", registered},
              {"texture", texture},
              {"graph", graph},
              {"shapes", shapes},
              {"failing", failing},
              {"asking late", askingLate},
              {"link", link},
              {"literal", [] { return literal(false); }},
              {"other literal", [] { return literal(true); }}};
  for (const auto &each : ways)
    if (way == each.name)
      return each.function();
  return 2;
}
