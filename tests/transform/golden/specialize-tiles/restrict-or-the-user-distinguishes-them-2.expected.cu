// heddle opt --assume whole-program --assume no-overlap --remarks -d "specialize copy=ld barrier=named buffers=2 producers=1"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(96) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 1>; // 64 threads in a consumer group, 1 producer warp
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Named>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      for (unsigned thread = Roles::rank(); thread < 64; thread += Roles::producers) {
        tile[stage][thread] = in[s + thread];
      }
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  for (int s = 0; s < n; s += 64) {
    const unsigned stage = consumer.wait();
    out[s + threadIdx.x] = tile[stage][63 - threadIdx.x];
    consumer.release();
  }
}
int main(int argc, char **) {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  k<<<1, 96>>>(a + 64, a, 1024);
}
