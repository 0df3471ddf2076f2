/** Work that is done one after the other. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** Does this when all that was added before has ended, well or not. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => {});
    return result;
  }
}
