/** Registrations of one turn of the event loop: enough that turns cost nothing, few enough that what they hold is small. */
const PER_TURN = 64;

/**
 * Lets registrations go on some at a time. A program declares all its resources before the first one is answered; let loose
 * together, all of them would have their messages in memory at once. They go in the order of their construction, and a
 * turn never waits for answers of the one before: what a resource needs was constructed before it.
 */
export class Turns {
  private given = 0;
  private current: Promise<void> = Promise.resolve();

  /** Settles when it is the next registration's turn. */
  next(): Promise<void> {
    if (this.given++ % PER_TURN === 0) {
      this.current = this.current.then(() => new Promise((turn) => setImmediate(turn)));
    }
    return this.current;
  }
}
