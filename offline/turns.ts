/** Registrations per event loop turn: balances overhead and memory. */
const PER_TURN = 64;

/**
 * Throttles registrations, as a program declares all resources at once, whose messages would fill
 * memory. Order is that of construction. A turn never waits for the previous one's answers, as
 * dependencies are constructed first.
 */
export class Turns {
  private given = 0;
  private current: Promise<void> = Promise.resolve();

  /** Resolves at the next registration's turn. */
  next(): Promise<void> {
    if (this.given++ % PER_TURN === 0) {
      this.current = this.current.then(() => new Promise((turn) => setImmediate(turn)));
    }
    return this.current;
  }
}
