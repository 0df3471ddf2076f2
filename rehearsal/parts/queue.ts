/** Sequential work. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs after all earlier work has settled. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => {});
    return result;
  }
}
