// heddle opt --assume whole-program --remarks -d "specialize copy=ld"

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
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      tile[stage][threadX] = in[s + threadX];
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  Roles::syncConsumers();
  Roles::syncConsumers();
  for (int s = 0; s < n; s += 64) {
    const unsigned stage = consumer.wait();
    atomicAdd(&bins[tile[stage][threadIdx.x] & 63], 1);
    consumer.release();
  }
  Roles::syncConsumers();
  out[threadIdx.x] = bins[63 - threadIdx.x];
}
int main() { k<<<1, 128>>>(nullptr, nullptr, 0); }
