// heddle opt --assume whole-program --remarks -d "specialize copy=cpasync producers=2"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(128) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 2>; // 64 threads in a consumer group, 2 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::CpAsync, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      if (s + threadX < n)
        heddle::copyAsync(&tile[stage][threadX], &in[s + threadX]);
      else
        tile[stage][threadX] = 1.0f;
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
int main() { k<<<1, 128>>>(nullptr, nullptr, 0); }
