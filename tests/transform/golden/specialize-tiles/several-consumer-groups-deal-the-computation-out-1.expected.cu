// heddle opt --assume whole-program --remarks -d "specialize copy=ld consumers=2 producers=1"

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(160) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 2, 1>; // 64 threads in each consumer group, 1 producer warp
  using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;
  __shared__ float tile[Pipe::stages][256];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int s = 0; s < n; s += 256) {
      const unsigned stage = producer.acquire();
      for (int i = Roles::rank(); i < 256; i += Roles::producers)
        tile[stage][i] = s + i < n ? in[s + i] : 0.0f;
      producer.commit();
    }
    producer.finish();
    return;
  }

  Pipe::Consumer consumer(barriers);
  const unsigned threadX = Roles::rank();
  float sum[4] = {};
  for (int s = 0; s < n; s += 256) {
    const unsigned stage = consumer.wait();
    for (int j = Roles::group(); j < 4; j += Roles::groups)
      sum[(j - Roles::group()) / Roles::groups] += tile[stage][j * 64 + threadX];
    consumer.release();
  }
  for (int j = Roles::group(); j < 4; j += Roles::groups)
    out[j * 64 + threadX] = sum[(j - Roles::group()) / Roles::groups];
}
int main() { k<<<1, 160>>>(nullptr, nullptr, 0); }
