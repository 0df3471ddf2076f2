import { afterAll, beforeAll } from "vitest";

/**
 * Something that the tests of a suite share: started before the first of them, stopped after the last.
 *
 * @returns how tests get it; throws where it did not start.
 */
export function sharedBySuite<T extends { stop(): Promise<void> }>(start: () => Promise<T>): () => T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.stop());
  return () => {
    if (started === undefined) {
      throw new Error("what the suite shares did not start");
    }
    return started;
  };
}
