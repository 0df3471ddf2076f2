import table from "./rocm-drivers.json";

/** Oldest release of AMD's kernel driver package for a release of ROCm, "6.4". Undefined: not recorded. */
export function leastRocmDriver(rocm: string): string | undefined {
  return table.drivers.find((row) => row.rocm === rocm)?.leastDriver;
}
