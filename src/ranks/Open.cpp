// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/Ranks.h"

#include <cstdlib>
#include <dlfcn.h>
#include <sstream>

namespace heddle::ranks {

bool isUnderMpirun() {
  const char *size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size && std::atoi(size) > 1;
}

std::unique_ptr<Ranks> openRanks(const std::string &folder, std::string &error) {
  // MPI's own plugins look for its symbols, so they must be visible to everybody.
  const std::string file = folder + "/libheddle_ranks.so";
  void *plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  auto *open =
      plugin ? reinterpret_cast<decltype(heddleOpenRanks) *>(dlsym(plugin, "heddleOpenRanks")) : nullptr;
  if (open)
    return std::unique_ptr<Ranks>(open());
  const char *why = dlerror();
  error = "mpirun started this, but '" + file +
          "' cannot be loaded: " + (why ? why : "it is something else") +
          "; Heddle has it where it was built with Open MPI (libopenmpi-dev)";
  return nullptr;
}

std::string deviceOf(unsigned number, unsigned devices, const std::string &now) {
  std::vector<std::string> names;
  std::istringstream list(now);
  for (std::string name; std::getline(list, name, ',');)
    names.push_back(name);
  if (names.empty())
    return std::to_string(devices ? number % devices : number);
  return names[number % names.size()];
}

} // namespace heddle::ranks
