// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner/Observation.h"

#include "runner/LaunchJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace heddle::runner {
namespace {

using PlainJson = nlohmann::json;

KernelTime kernelFrom(const PlainJson &json) {
  KernelTime time = configurationFrom(json);
  time.registers = json.value("registers", 0u);
  time.localBytes = json.value("local_bytes", uint64_t(0));
  time.sharedBytes = json.value("shared_bytes", uint64_t(0));
  time.occupancy = json.value("occupancy", 0.0);
  auto samples = json.at("micros").get<std::vector<double>>();
  time.samples = unsigned(samples.size());
  if (samples.empty())
    return time;
  time.q1 = quantile(samples, 0.25);
  time.micros = quantile(samples, 0.5);
  time.q3 = quantile(samples, 0.75);
  return time;
}

std::vector<Copy> copiesFrom(const PlainJson &json) {
  std::vector<Copy> copies;
  for (const PlainJson &copy : json)
    copies.push_back({copy.at(0), copy.at(1)});
  return copies;
}

std::string bytesInWords(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string copiesInWords(size_t count) { return std::to_string(count) + (count == 1 ? " copy" : " copies"); }

} // namespace

std::optional<Observation> readObservation(const std::filesystem::path &file) {
  std::ifstream in(file);
  try {
    PlainJson json = PlainJson::parse(in);
    Observation seen;
    seen.device = json.at("device");
    seen.error = json.value("error", "");
    seen.copies = copiesFrom(json.at("copies"));
    for (const PlainJson &kernel : json.at("kernels"))
      seen.kernels.push_back(kernelFrom(kernel));
    seen.replayed = json.value("replayed", false);
    return seen;
  } catch (const PlainJson::exception &) {
    return std::nullopt;
  }
}

double quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  double place = share * double(samples.size() - 1);
  size_t below = size_t(place), above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (place - double(below)) * (samples[above] - samples[below]);
}

Reference referenceOf(const std::string &id, int exitCode, const Observation &first,
                      const Observation &second) {
  Reference reference = {id, first.device, exitCode, first.copies, std::nullopt};
  for (size_t i = 0; i < reference.copies.size(); ++i)
    if (i >= second.copies.size() || !(second.copies[i] == first.copies[i]))
      reference.copies[i].bits.clear();
  if (first.copies.empty() && first.output == second.output)
    reference.output = first.output;
  return reference;
}

std::string differenceFrom(const Reference &reference, const std::vector<Copy> &copies) {
  for (size_t i = 0; i < std::min(copies.size(), reference.copies.size()); ++i) {
    const Copy &wanted = reference.copies[i];
    std::string which =
        "device-to-host copy " + std::to_string(i + 1) + " of " + std::to_string(copies.size());
    if (copies[i].bytes != wanted.bytes)
      return which + " copies " + bytesInWords(copies[i].bytes) + " to the host, the baseline " +
             bytesInWords(wanted.bytes);
    if (!wanted.bits.empty() && copies[i].bits != wanted.bits)
      return which + " (" + bytesInWords(wanted.bytes) + ") differs from the baseline's";
  }
  if (copies.size() != reference.copies.size())
    return "it makes " + copiesInWords(copies.size()) + " from the device, the baseline " +
           copiesInWords(reference.copies.size());
  return "";
}

std::string differenceOfOutput(const Reference &reference, const Observation &seen,
                               const verify::Tolerance &tolerance) {
  if (!reference.output)
    return "";
  auto line = verify::compareText(*reference.output, seen.output, tolerance);
  return line ? verify::textOf(*line) : "";
}

size_t varyingCopies(const Reference &reference) {
  return size_t(std::count_if(reference.copies.begin(), reference.copies.end(),
                              [](const Copy &copy) { return copy.bits.empty(); }));
}

std::string toJson(const Reference &reference) {
  PlainJson copies = PlainJson::array();
  for (const Copy &copy : reference.copies)
    copies.push_back({copy.bytes, copy.bits});
  PlainJson json = {{"id", reference.id},
                    {"device", reference.device},
                    {"exit_code", reference.exitCode},
                    {"copies", copies}};
  if (reference.output)
    json["output"] = *reference.output;
  return json.dump(-1, ' ', false, PlainJson::error_handler_t::replace);
}

std::optional<Reference> referenceFromJson(const std::string &text) {
  try {
    PlainJson json = PlainJson::parse(text);
    Reference reference{json.at("id"), json.at("device"), json.at("exit_code"), copiesFrom(json.at("copies")),
                        std::nullopt};
    if (json.contains("output"))
      reference.output = json["output"].get<std::string>();
    return reference;
  } catch (const PlainJson::exception &) {
    return std::nullopt;
  }
}

} // namespace heddle::runner
