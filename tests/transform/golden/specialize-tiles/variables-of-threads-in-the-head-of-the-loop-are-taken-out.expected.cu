// heddle opt --assume whole-program --remarks -d "specialize copy=ld producers=2"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(128) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 2>; // 64 threads in a consumer group, 2 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    int t = threadX;
    int j = t;
    for (int i = 0; i < n; i += 64) {
      const unsigned stage = producer.acquire();
      tile[stage][t] = in[j];
      producer.commit();
      j += 64;
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; i += 64) {
    const unsigned stage = consumer.wait();
    sum += tile[stage][63 - t];
    consumer.release();
  }
  out[t] = sum;
}
int main() { k<<<1, 128>>>(nullptr, nullptr, 0); }
