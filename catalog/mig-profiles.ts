import table from "./mig-profiles.json";

/** A profile of MIG slices that a whole card can be cut into. */
export interface MigProfile {
  /** "1g.10gb": sevenths (or quarters) of the multiprocessors, and memory, rounded. */
  readonly name: string;
  /** Slices of one card, nothing else being on it. */
  readonly perGpu: number;
  /** As the vendor counts, in its "GB". */
  readonly memoryGB: number;
  /** Total of one slice as the driver reports it, GiB; a process on it sees the same. */
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

/** Profiles that cards of a GPU model can be cut into, smallest first; none where it has no MIG, or they are not recorded. */
export function migProfilesOf(gpuModel: string): readonly MigProfile[] {
  return cards.find(({ gpus }) => gpus.includes(gpuModel))?.profiles ?? [];
}

/** Why slices of a GPU model cannot be planned although it has MIG; undefined where that is not the reason. */
export function unreadMig(gpuModel: string): string | undefined {
  return unread.find(({ gpu }) => gpu === gpuModel)?.why;
}

/** GPU models of which slices can be planned. */
export const migGpuModels: readonly string[] = cards.flatMap(({ gpus }) => gpus);

/** How the MIG manager names the layout in which all cards of a node have slices of one profile. */
export function migLayout({ name }: Pick<MigProfile, "name">): string {
  return `all-${name}`;
}

/** The profile of such a layout on a GPU model; undefined where its cards have no such layout. */
export function migProfile(gpuModel: string, layout: string): MigProfile | undefined {
  return migProfilesOf(gpuModel).find((profile) => migLayout(profile) === layout);
}
