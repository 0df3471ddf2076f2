/** Bounds memory of all requests: large ones in parallel would end the process. */
export interface HeldShare {
  /** @returns false, without counting, above the client's or total limit. */
  take(bytes: number): boolean;
  /** Gives all back. */
  end(): void;
}

/**
 * A client may hold as many bytes as remain free, so there is always room for another (Choudhury,
 * Hahne: "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998, with a factor
 * of 1).
 */
export class HeldBytes {
  private held = 0;
  private readonly byClient = new Map<string, number>();

  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** @param client owner; anonymous requests share one. */
  share(client = ""): HeldShare {
    let own = 0;
    return {
      take: (bytes) => {
        const ofClient = (this.byClient.get(client) ?? 0) + bytes;
        if (ofClient > this.most - (this.held + bytes)) {
          return false;
        }
        own += bytes;
        this.held += bytes;
        this.byClient.set(client, ofClient);
        return true;
      },
      end: () => {
        const left = (this.byClient.get(client) ?? 0) - own;
        if (left > 0) {
          this.byClient.set(client, left);
        } else {
          this.byClient.delete(client);
        }
        this.held -= own;
        own = 0;
      },
    };
  }
}
