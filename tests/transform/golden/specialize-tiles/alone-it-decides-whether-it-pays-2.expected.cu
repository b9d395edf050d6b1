// heddle opt --assume whole-program --remarks -d specialize

#include <heddle/pipeline.cuh>

__global__ void __launch_bounds__(96) k(float *out, const float *in, int n) {
  using Roles = heddle::Roles<64, 1, 1>; // 64 threads in a consumer group, 1 producer warp
  using Pipe = heddle::Pipeline<Roles, 3, heddle::Copy::Bulk, heddle::Barrier::Mbarrier>;
  alignas(16) __shared__ float tile[Pipe::stages][256];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    Pipe::Producer producer(barriers);
    for (int s = 0; s < n; s += 64) {
      const unsigned stage = producer.acquire();
      const auto fromTile = [&](int i) { return &in[s + i]; };
      const auto isInTile = [&](int i) { return s + i < n; };
      if (isInTile(0) && isInTile(255) &&
          heddle::suitsBulk(fromTile(0), 0)) {
        if (Roles::rank() / 32 == 0) // one warp is enough
          producer.copyRow(&tile[stage][0], fromTile(0), 256);
      } else {
        for (int i = Roles::rank(); i < 256; i += Roles::producers)
          tile[stage][i] = s + i < n ? in[s + i] : 0.0f;
      }
      producer.commitStored();
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
