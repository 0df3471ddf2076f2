import table from "./cuda-drivers.json";
import type { ImageEntry } from "./images";

/** Oldest major version of NVIDIA's driver for a major version of CUDA. Undefined: not recorded. */
export function leastDriver(cuda: number): number | undefined {
  return table.drivers.find((row) => row.cuda === cuda)?.leastDriver;
}

/** What an image needs of NVIDIA's driver. */
export interface ImageDriver {
  /** Oldest major version. */
  readonly least: number;
  /** Of the image, what needs it: "CUDA 13". */
  readonly because: string;
}

/**
 * By its maintainers, else by its CUDA version. Undefined: unknown.
 * @param computeCapability of the card.
 * @default a recent one
 */
export function nvidiaDriverOf(
  { cuda, nvidiaDriver }: Pick<ImageEntry, "cuda" | "nvidiaDriver">,
  computeCapability = Number.POSITIVE_INFINITY,
): ImageDriver | undefined {
  if (nvidiaDriver !== undefined) {
    const { least, oldCards } = nvidiaDriver;
    const isOld = oldCards !== undefined && computeCapability <= oldCards.computeCapability;
    return { least: isOld ? oldCards.least : least, because: "the CUDA libraries" };
  }
  const least = cuda === undefined ? undefined : leastDriver(cuda);
  return least === undefined ? undefined : { least, because: `CUDA ${cuda}` };
}
