// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/TransportedList.h"

#include "chem/YamlNodes.h"

namespace heddle::chem {

std::optional<std::vector<unsigned>> readQuasiSteadyFromTransported(const SourceText &source,
                                                                    const Mechanism &mechanism,
                                                                    Diagnostics &diagnostics) {
  YamlDocument document(source);
  std::vector<YamlNode> names = document.parse(diagnostics)["species"].items();
  if (names.empty()) {
    diagnostics.error(document.wholeFile(), "the file lists no species")
        .withHint("it is 'species: [A, B]', with those that are not quasi-steady");
    return std::nullopt;
  }
  std::vector<bool> isTransported(mechanism.species.size());
  for (const YamlNode &name : names)
    if (std::optional<unsigned> found = mechanism.find(name.text()))
      isTransported[*found] = true;
    else
      diagnostics.warning(name.location(), fmt::format("the mechanism has no species '{}'", name.text()));
  std::vector<unsigned> others;
  for (unsigned i = 0; i < isTransported.size(); ++i)
    if (!isTransported[i])
      others.push_back(i);
  return others;
}

} // namespace heddle::chem
