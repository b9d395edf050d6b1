// heddle opt --assume whole-program -d "specialize copy=ld buffers=2"

#include <heddle/pipeline.cuh>

struct Matrix {
  int stride;
  const float *elements;
};
__device__ Matrix part(Matrix m, int row) {
  Matrix below;
  below.stride = m.stride;
  below.elements = m.elements + row * m.stride;
  return below;
}
__device__ float get(const Matrix &m, int i) { return m.elements[i]; }

__global__ void __launch_bounds__(128) k(float *__restrict__ out, Matrix m, int rows) {
  using Roles = heddle::Roles<64, 1, 2>; // 64 threads in a consumer group, 2 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    for (int row = 0; row < rows; ++row) {
      Matrix here = part(m, row);
      const unsigned stage = producer.acquire();
      tile[stage][threadX] = get(here, threadX);
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    const unsigned stage = consumer.wait();
    for (int j = 0; j < 64; ++j)
      sum += tile[stage][j] * j;
    consumer.release();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void f(float *a, Matrix m, int n) { k<<<n / 64, 128>>>(a, m, n); }
