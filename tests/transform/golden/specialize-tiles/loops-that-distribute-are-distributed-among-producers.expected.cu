// heddle opt --assume whole-program --remarks -d "specialize copy=ld producers=1"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(96) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 1>; // 64 threads in a consumer group, 1 producer warp
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][256];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      for (int i = Roles::rank(); i < 256; i += Roles::producers)
        tile[stage][i] = s + i < n ? in[s + i] : 0.0f;
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  float sum = 0;
  for (int s = 0; s < n; s += 64) {
    const unsigned stage = consumer.wait();
    sum += tile[stage][threadIdx.x];
    consumer.release();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 96>>>(nullptr, nullptr, 0); }
