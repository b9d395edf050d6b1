// heddle opt --assume whole-program --remarks -d "specialize buffers=2"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(256) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<128, 1, 4>; // 128 threads in a consumer group, 4 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::CpAsync, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][128];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    const float *p = in + threadX;
    for (int s = 0; s < n; ++s) {
      const unsigned stage = producer.acquire();
      heddle::copyAsync(&tile[stage][threadX], &*p);
      producer.commit();
      p += 128;
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  float sum = 0;
  for (int s = 0; s < n; ++s) {
    const unsigned stage = consumer.wait();
    sum += tile[stage][127 - threadIdx.x];
    consumer.release();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 256>>>(nullptr, nullptr, 0); }
