// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Producers give registers away, consumers take them: whole warp groups on both sides. What is computed stays
// the same. For targets other than sm_90a this does not compile.
#include "Combinations.h"

using Roles = heddle::Roles<128, 1, 4>;
using Pipe = heddle::Pipeline<Roles, 2, heddle::Copy::Ld, heddle::Barrier::Mbarrier>;

__global__ void __launch_bounds__(Roles::threads, 1) suffixes(int *out, const int *in, int count) {
  __shared__ int tile[Pipe::stages][128];
  __shared__ Pipe::Barriers barriers;
  Pipe::setUp(barriers);

  if (Roles::isProducer()) {
    heddle::giveRegisters<40>();
    Pipe::Producer producer(barriers);
    for (int start = 0; start < count; start += 128) {
      const unsigned stage = producer.acquire();
      const int at = start + Roles::rank();
      tile[stage][Roles::rank()] = at < count ? in[at] : 0;
      producer.commit();
    }
    producer.finish();
    return;
  }
  heddle::takeRegisters<200>();
  Pipe::Consumer consumer(barriers);
  int sum = 0;
  for (int start = 0; start < count; start += 128) {
    const unsigned stage = consumer.wait();
    for (int i = Roles::rank(); i < 128; ++i)
      sum += tile[stage][i];
    consumer.release();
  }
  out[Roles::rank()] = sum;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 1000);
  const std::vector<int> in = integers(count, 3, 1000);
  int *deviceIn = toDevice(in), *out = zeros<int>(128);
  suffixes<<<1, Roles::threads>>>(out, deviceIn, count);
  const std::vector<int> got = toHost(out, 128);
  const auto wanted = [&](size_t from) {
    int sum = 0;
    for (int i = 0; i < count; ++i)
      sum += size_t(i) % 128 >= from ? in[i] : 0;
    return sum;
  };
  return verdict("pipeline/registers", got, agree(got, wanted, 0));
}
