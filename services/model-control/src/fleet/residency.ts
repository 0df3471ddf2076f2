/** Model in a worker's memory or on its disk. */
export interface Resident {
  readonly model: string;
  readonly bytes: number;
  /** Undefined: no use recorded. */
  readonly lastUsed?: Date;
  /** Cannot be evicted: pinned, or in use by an operation. */
  readonly stays: boolean;
  /** Lower ranks are evicted first, regardless of use. @default 0 */
  readonly rank?: number;
}

/**
 * Models to evict so that `bytes` become free: least recently used first, none needlessly.
 *
 * @returns in order of eviction; undefined if not enough.
 */
export function chooseLeavers(residents: readonly Resident[], bytes: number): readonly Resident[] | undefined {
  const leavers: Resident[] = [];
  let missing = bytes;
  for (const resident of residents.filter(({ stays }) => !stays).sort(byUse)) {
    if (missing <= 0) {
      break;
    }
    leavers.push(resident);
    missing -= resident.bytes;
  }
  if (missing > 0) {
    return undefined;
  }
  // A large last model may make smaller ones redundant: keeps the most recently used of these.
  let spare = -missing;
  return leavers
    .reverse()
    .filter(({ bytes: freed }) => {
      if (freed > spare) {
        return true;
      }
      spare -= freed;
      return false;
    })
    .reverse();
}

export function evictableBytes(residents: readonly Resident[]): number {
  return sumBytes(residents.filter(({ stays }) => !stays));
}

export function sumBytes(parts: readonly { readonly bytes: number }[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

function byUse(a: Resident, b: Resident): number {
  return (a.rank ?? 0) - (b.rank ?? 0) || timeOf(a) - timeOf(b) || a.model.localeCompare(b.model);
}

function timeOf({ lastUsed }: Resident): number {
  return lastUsed?.getTime() ?? 0;
}
