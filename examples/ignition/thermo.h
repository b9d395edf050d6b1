// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thermodynamic data of species from a CHEMKIN file: NASA polynomials of seven coefficients in two temperature ranges, and how many
// atoms of each element a molecule has.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

constexpr double gasConstant = 8314.46261815324; // J/kmol/K

/// cp/R = a0 + a1 T + a2 T^2 + a3 T^3 + a4 T^4; h/(R T) has these divided by 1, 2, 3, 4, 5, and a5/T. a6 is for the entropy.
struct Nasa7 {
  double middle; // K: where the two ranges meet
  double low[7], high[7];

  HOST_DEVICE const double *range(double t) const { return t <= middle ? low : high; }

  /// J/kmol/K
  HOST_DEVICE double heatCapacity(double t) const {
    const double *a = range(t);
    return gasConstant * (a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4]))));
  }

  /// J/kmol, with the heat of formation
  HOST_DEVICE double enthalpy(double t) const {
    const double *a = range(t);
    return gasConstant *
           (a[5] + t * (a[0] + t * (a[1] / 2 + t * (a[2] / 3 + t * (a[3] / 4 + t * a[4] / 5)))));
  }

  HOST_DEVICE double internalEnergy(double t) const { return enthalpy(t) - gasConstant * t; }
};

struct SpeciesData {
  Nasa7 thermo;
  std::map<std::string, int> atoms;
};

/// The columns of a CHEMKIN thermodynamic file: name 1-18, four elements with counts 25-44, the middle temperature 66-73, and, on the
/// next three lines, 14 numbers of 15 columns, the upper range first.
inline std::vector<SpeciesData> readThermo(const std::string &path, const std::vector<std::string> &names) {
  std::map<std::string, SpeciesData> all;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.size() < 80 || line[79] != '1')
      continue;
    const std::string name = line.substr(0, line.find(' '));
    SpeciesData species = {};
    for (int column = 24; column < 44; column += 5) {
      std::string element = line.substr(column, 2);
      element.erase(element.find_last_not_of(' ') + 1);
      if (!element.empty())
        species.atoms[element] = std::atoi(line.substr(column + 2, 3).c_str());
    }
    species.thermo.middle = std::atof(line.substr(65, 8).c_str());
    double numbers[15] = {};
    for (int row = 0; row < 3 && std::getline(file, line); ++row)
      for (int i = 0; i < 5; ++i)
        numbers[5 * row + i] = std::atof(line.substr(15 * i, 15).c_str());
    for (int i = 0; i < 7; ++i) {
      species.thermo.high[i] = numbers[i];
      species.thermo.low[i] = numbers[7 + i];
    }
    all[name] = species;
  }
  std::vector<SpeciesData> result;
  for (const std::string &name : names) {
    if (!all.count(name)) {
      std::printf("%s: no data for the species %s\n", path.c_str(), name.c_str());
      std::exit(2);
    }
    result.push_back(all[name]);
  }
  return result;
}
