/** Seconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return since(started);
}

/** Seconds since a reading of `performance.now()`. */
export function since(started: number): number {
  return (performance.now() - started) / 1000;
}
