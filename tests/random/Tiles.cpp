// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop that `specialize` is for: load a tile, meet, compute on it, meet. What one iteration stores may be
// what the next one loads, through a parameter, of a structure's members or of an array of the file: then
// loads must not run ahead.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

void Writer::tileLoop(Scope &scope, std::vector<Node> &to) {
  uses("tile loop");
  const unsigned T = threads();
  const bool isInStructure = chance(isAliased ? 33 : 15),
             isCopied = std::string(meant->text).find("bulk") != std::string::npos;
  // Where nothing says that pointers are apart, a store keeps the loads of later iterations where they are.
  const bool stores = chance(isAliased || (isRestrict && !isInStructure) ? 60 : 15);
  std::string source = "src", target = "dst";
  tileParameters = isRestrict ? "const unsigned *__restrict__ src, unsigned *__restrict__ dst"
                              : "const unsigned *src, unsigned *dst";
  // 1024 words for each block, behind what the threads store to.
  tileArguments = isAliased ? "out + 8192, out + 8192" : "in, out + 8192";
  if (isInStructure) {
    uses("pointers in a structure");
    add("Arrays", node(Sort::Item, "struct Arrays {\nconst unsigned *src;\nunsigned *dst;\n};\n"));
    source = "arrays.src";
    target = "arrays.dst";
    tileParameters = "Arrays arrays";
    tileArguments = isAliased ? "Arrays{out + 8192, out + 8192}" : "Arrays{in, out + 8192}";
  } else if (isAliased && chance(50)) {
    uses("array of the file and parameter");
    add("buffer", node(Sort::Item, "static __device__ unsigned buffer[4096];\n"));
    target = "buffer";
    tileParameters = "const unsigned *src";
    tilesBeforeLaunch = "void *buffer0 = nullptr;\ncudaGetSymbolAddress(&buffer0, "
                        "buffer);\ncudaMemcpy(buffer0, out + 8192, 4096 * 4, "
                        "cudaMemcpyDeviceToDevice);\n";
    tileArguments = "static_cast<const unsigned *>(buffer0)";
  }
  // What is loaded from `in` stays below its end; what is stored lies in the block's own part.
  const std::string base = "blockIdx.x * 1024u", from = isAliased ? base : "blockIdx.x * 64u";
  const std::string mask = isAliased || isCopied || chance(80) ? "" : " & 1023u";
  const std::string sum = fresh("sum"), s = fresh("s"), j = fresh("j");
  Scope inner = scope;
  inner.nesting += 2;
  Node start = value(scope, 1);
  Node bound = uniform(scope, 1);
  declare(inner, sum);
  inner.readable = "tile";
  std::vector<Node> work;
  work.push_back(
      node(Sort::Fixed, fmt::format("{0} = {0} * 5u + tile[(t + {1}u) % {2}u];\n", sum, pick(T), T)));
  if (chance(50))
    work.push_back(node(
        Sort::Statement,
        fmt::format(
            "for (unsigned {1} = 0; {1} < {3}u; ++{1})\n{0} += tile[(t * 3u + {1}) % {2}u] * ({1} + 1u);\n",
            sum, j, T, 2 + pick(8))));
  if (chance(50))
    statements(inner, 2, work);
  inner.readable.clear();
  if (stores)
    work.push_back(node(Sort::Statement, fmt::format("{}[{} + {} + {}u + (t + {}u) % {}u] = {};\n", target,
                                                     base, s, T, pick(T), T, sum)));
  std::string load = fmt::format("tile[t] = {}[({} + {} + t){}];\n", source, from, s, mask);
  if (isCopied && shape[1] * shape[2] == 1)
    load = fmt::format("tile[threadIdx.x] = {}[{} + {} + threadIdx.x];\n", source, from, s);
  else if (chance(40))
    load = fmt::format("for (unsigned k = t; k < {3}u; k += {3}u)\ntile[k] = {0}[({1} + {2} + k){4}]{5};\n",
                       source, from, s, T, mask, chance(40) ? " * 3u" : "");
  const bool opens = chance(30);
  const std::string meet = "__syncthreads();\n";
  to.push_back(node(Sort::Fixed,
                    fmt::format("__shared__ unsigned tile[{0}];\nunsigned {1} = @0;\nfor (unsigned {2} = 0; "
                                "{2} < (@1 % 4u + 1u) * {0}u; {2} += "
                                "{0}u) {{\n{3}{4}{5}@2{6}}}\n",
                                T, sum, s, opens ? meet : "", load, meet, opens ? "" : meet),
                    {std::move(start), std::move(bound), list(std::move(work))}));
  declare(scope, sum);
}

} // namespace heddle::generator
