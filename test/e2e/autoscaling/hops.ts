/** When each step between a spike and its answer was first seen. */
export class Hops {
  private readonly since = Date.now();
  private readonly seen: { readonly what: string; readonly seconds: number }[] = [];

  /** @param what of whom, for the table. */
  constructor(private readonly whose: string) {}

  /**
   * Waits for all of them at once, each asked for ten times a second.
   *
   * @param steps in their order; undefined means: not yet.
   * @throws Error that names the steps that were not seen in time.
   */
  async follow(steps: Readonly<Record<string, () => Promise<true | undefined>>>, seconds = 60): Promise<void> {
    const until = Date.now() + seconds * 1000;
    const names = Object.keys(steps);
    const at = new Map<string, number>();
    while (at.size < names.length) {
      const now = (Date.now() - this.since) / 1000;
      // The last one first: what comes before it can only have been seen by then.
      for (const name of names.toReversed()) {
        if (!at.has(name) && (await steps[name]?.()) === true) {
          at.set(name, now);
        }
      }
      if (at.size < names.length && Date.now() >= until) {
        const missing = names.filter((name) => !at.has(name));
        throw new Error(`waited ${seconds} s for: ${missing.join(", ")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    this.seen.push(...names.map((what) => ({ what, seconds: at.get(what) ?? Number.NaN })));
  }

  /** One line for each step, with seconds since the spike. */
  table(): string {
    const lines = this.seen.map(({ what, seconds }) => `  ${seconds.toFixed(1).padStart(5)} s  ${what}`);
    return [`${this.whose}:`, ...lines].join("\n");
  }
}
