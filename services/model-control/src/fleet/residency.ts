/** A model that takes room on a worker: in memory, or on disk. */
export interface Resident {
  readonly model: string;
  readonly bytes: number;
  /** Undefined: not used since anyone looked. */
  readonly lastUsed?: Date;
  /** Stays, whatever happens: pinned, or in use by an operation. */
  readonly stays: boolean;
  /** Those with a smaller rank leave first, however recently they were used. Default: 0. */
  readonly rank?: number;
}

/**
 * Which models leave so that `bytes` become free: the least recently used first, and none of them in vain.
 *
 * @returns in the order in which they leave; undefined when all that may leave is not enough.
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
  // A large model at the end may make smaller ones before it superfluous: the most recently used of them stay.
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

/** Bytes of all that may leave. */
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
