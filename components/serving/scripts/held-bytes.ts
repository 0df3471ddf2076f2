/** Memory that requests under way may have together: without a bound, large ones at the same time end the process, and all answers. */
export interface HeldShare {
  /** @returns false where all together have too many; none of these are counted then. */
  take(bytes: number): boolean;
  /** Gives all back. */
  end(): void;
}

export class HeldBytes {
  private held = 0;

  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** What one request holds. */
  share(): HeldShare {
    let own = 0;
    return {
      take: (bytes) => {
        if (this.held + bytes > this.most) {
          return false;
        }
        own += bytes;
        this.held += bytes;
        return true;
      },
      end: () => {
        this.held -= own;
        own = 0;
      },
    };
  }
}
