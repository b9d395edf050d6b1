// heddle opt --assume whole-program -d "specialize copy=ld"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(128) k(int *out, const int *in, int n) {
  using Roles = heddle::Roles<64, 1, 2>; // 64 threads in a consumer group, 2 producer warps
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ int tile[Pipe::stages][64];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    const unsigned threadX = Roles::rank();
    const int t = threadX + 64u * 0u;
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      tile[stage][t] = in[s + t];
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  const int t = threadIdx.x + 64u * 0u;
  int sum = 0;
  for (int s = 0; s < n; s += 64) {
    const unsigned stage = consumer.wait();
    sum += tile[stage][63 - t];
    consumer.release();
  }
  out[t] = sum;
}
int main() {
  const int block = 64;
  k<<<1, block + 64>>>(nullptr, nullptr, 0);
}
