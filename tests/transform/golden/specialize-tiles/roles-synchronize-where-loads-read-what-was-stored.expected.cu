// heddle opt --assume whole-program --remarks -d "specialize copy=ld"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(128) k(float *a, int n, int steps) {
  using Roles = heddle::Roles<64, 1, 2>; // 64 threads in a consumer group, 2 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    for (int t = 0; t < steps; ++t) {
      for (int s = 0; s < n; ++s) {
        const unsigned stage = producer.acquire();
        tile[stage][threadX] = a[s * 64 + threadX];
        producer.commit();
      }
      producer.meet();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  for (int t = 0; t < steps; ++t) {
    float sum = 0;
    for (int s = 0; s < n; ++s) {
      const unsigned stage = consumer.wait();
      sum += tile[stage][63 - threadIdx.x];
      consumer.release();
    }
    a[threadIdx.x] = sum;
    consumer.meet();
  }
}
int main() { k<<<1, 128>>>(nullptr, 0, 0); }
