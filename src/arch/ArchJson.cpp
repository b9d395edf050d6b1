// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/ArchJson.h"

#include "arch/Fields.h"

#include <nlohmann/json.hpp>

namespace heddle::arch {

using Json = nlohmann::ordered_json;

Json toJson(const Arch &arch) {
  Json json = {{"name", arch.name},
               {"generation", arch.generation},
               {"computeCapability", arch.computeCapability()},
               {"aliases", arch.aliases},
               {"source", arch.source}};
  // Groups come in the order in which the tables have them; features precede the device.
  for (const char *group :
       {"threads", "registers", "sharedMemory", "caches", "barriers", "features", "device"})
    json[group] = Json::object();
  json["device"]["name"] = arch.deviceName;
  for (const NumberField &field : numberFields())
    json[std::string(field.group)][std::string(field.key)] = arch.*field.member;
  json["threads"]["maxBlockDim"] = arch.maxBlockDim;
  json["threads"]["maxGridDim"] = arch.maxGridDim;
  json["registers"]["allocationGranularity"] = "warp";
  json["sharedMemory"]["carveoutBytes"] = arch.sharedCarveouts;
  json["features"] = Json::array();
  for (Feature feature : arch.features)
    json["features"].push_back(nameOf(feature));
  if (arch.latencies)
    json["latency"] = {{"source", arch.latencies->source},
                       {"cycles", arch.latencies->cycles},
                       {"perCycle", arch.latencies->perCycle}};
  return json;
}

} // namespace heddle::arch
