// heddle opt --assume whole-program --remarks -d "specialize barrier=named buffers=8"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(96) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 1>; // 64 threads in a consumer group, 1 producer warp
  using Pipe = heddle::Pipeline<Roles, 8, heddle::Copy::CpAsync, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      for (unsigned thread = Roles::rank(); thread < 64; thread += Roles::producers) {
        heddle::copyAsync(&tile[stage][thread], &in[s + thread]);
      }
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  float sum = 0;
  for (int s = 0; s < n; s += 64) {
    const unsigned stage = consumer.wait();
    sum += tile[stage][63 - threadIdx.x];
    consumer.release();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 96>>>(nullptr, nullptr, 0); }
