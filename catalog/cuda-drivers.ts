import table from "./cuda-drivers.json";

/** Oldest major version of NVIDIA's driver for a major version of CUDA. Undefined: nobody read it. */
export function leastDriver(cuda: number): number | undefined {
  return table.drivers.find((row) => row.cuda === cuda)?.leastDriver;
}
