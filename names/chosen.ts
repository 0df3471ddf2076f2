/** Parts that a repository chooses in its `definePlatform`, before the program that reads them loads. */
export class Chosen<Parts> {
  private parts: Parts | undefined;

  constructor(private readonly kind: string) {}

  /** @throws Error when chosen before: one process runs one platform. */
  choose(parts: Parts): void {
    if (this.parts !== undefined) {
      throw new Error(`${this.kind} are chosen twice: call definePlatform once`);
    }
    this.parts = parts;
  }

  orNone(): Parts | undefined {
    return this.parts;
  }

  /** @default the parts of this repository */
  or(standard: Parts | undefined): Parts {
    const parts = this.parts ?? standard;
    if (parts === undefined) {
      throw new Error(`${this.kind} are not chosen: call definePlatform before the program loads`);
    }
    return parts;
  }
}
