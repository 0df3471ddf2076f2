import table from "./mig-profiles.json";

/** A profile of MIG slices that a whole card can be cut into. */
export interface MigProfile {
  /** "1g.10gb": sevenths (or quarters) of the multiprocessors, and memory, rounded. */
  readonly name: string;
  /** Slices of one card, nothing else being on it. */
  readonly perGpu: number;
  /** As the vendor counts, in its "GB". */
  readonly memoryGB: number;
  /** Memory of a slice by driver and processes, GiB. */
  readonly memoryGiB: number;
  /** Share of the card's multiprocessors, as NVIDIA counts them. */
  readonly compute: { readonly slices: number; readonly of: number };
}

interface MigCards {
  readonly gpus: readonly string[];
  readonly profiles: readonly MigProfile[];
  readonly source: string;
  readonly memorySource: string;
}

/** The rows of mig-profiles.json. */
export interface MigTable {
  readonly about: string;
  readonly asOf: string;
  readonly cards: readonly MigCards[];
  /** Cards that have MIG, and why nothing can be planned with it. */
  readonly unread: readonly { readonly gpu: string; readonly why: string }[];
}

// Checked against catalog/schema by test/catalog, not at start-up.
const { cards, unread } = table as MigTable;

/** Smallest first; none without MIG or records. */
export function migProfilesOf(gpuModel: string): readonly MigProfile[] {
  return cards.find(({ gpus }) => gpus.includes(gpuModel))?.profiles ?? [];
}

/** Undefined unless missing records are the reason. */
export function unreadMig(gpuModel: string): string | undefined {
  return unread.find(({ gpu }) => gpu === gpuModel)?.why;
}

/** GPU models of which slices can be planned. */
export const migGpuModels: readonly string[] = cards.flatMap(({ gpus }) => gpus);

/** The MIG manager's layout of equal slices on all cards. */
export function migLayout({ name }: Pick<MigProfile, "name">): string {
  return `all-${name}`;
}

/** Undefined without such a layout. */
export function migProfile(gpuModel: string, layout: string): MigProfile | undefined {
  return migProfilesOf(gpuModel).find((profile) => migLayout(profile) === layout);
}
