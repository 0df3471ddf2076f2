import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QueueRoom } from "../../../../services/model-control/src/tasks/queue-room";

const LIMIT = 1000;
/** 85 % of it. */
const SHARE = 850;

describe("memory for prompts", () => {
  it("is never given twice, whoever asks at the same time and however old its figures are", async () => {
    const step = fc.record({ bytes: fc.integer({ min: 1, max: 200 }), milliseconds: fc.integer({ min: 0, max: 900 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let now = 0;
        let used = 0;
        const memory = new QueueRoom({ memory: async () => ({ usedBytes: used, limitBytes: LIMIT }) }, () => now);
        for (const { bytes, milliseconds } of steps) {
          const written = await Promise.all([memory.take(bytes, "usual"), memory.take(bytes, "usual")]);
          for (const one of written) {
            used += one === undefined ? 0 : bytes;
            one?.();
          }
          expect(used).toBeLessThanOrEqual(SHARE);
          now += milliseconds;
        }
      }),
    );
  });

  it("counts what is being written threefold, and is there again when the server has some", async () => {
    let now = 0;
    let usedBytes = 0;
    const memory = new QueueRoom({ memory: async () => ({ usedBytes, limitBytes: LIMIT }) }, () => now);
    const written = await memory.take(200, "usual");
    expect(written).toBeDefined();
    expect(await memory.take(100, "usual")).toBeUndefined();
    written?.();
    expect(await memory.take(100, "usual")).toBeDefined();
    usedBytes = 840;
    now += 1_001;
    expect(await memory.take(10, "usual")).toBeUndefined();
    usedBytes = 0;
    now += 1_001;
    expect(await memory.take(10, "usual")).toBeDefined();
  });

  it("is given to the last byte", async () => {
    const memory = new QueueRoom({ memory: async () => ({ usedBytes: 0, limitBytes: 1200 }) });
    // 85 % of 1,200, of which a prompt takes three times its bytes.
    expect(await memory.take(341, "usual")).toBeUndefined();
    expect(await memory.take(340, "usual")).toBeDefined();
  });

  it("keeps a part for the others, whatever a busy caller fills", async () => {
    let now = 0;
    let usedBytes = 0;
    const memory = new QueueRoom({ memory: async () => ({ usedBytes, limitBytes: LIMIT }) }, () => now);
    for (;;) {
      const written = await memory.take(10, "busy");
      if (written === undefined) {
        break;
      }
      usedBytes += 10;
      written();
      now += 1_001;
    }
    expect(usedBytes).toBeGreaterThan(600);
    expect(usedBytes).toBeLessThanOrEqual(700);
    expect(await memory.take(10, "usual")).toBeDefined();
    expect(await memory.take(10, "busy")).toBeUndefined();
  });

  it("has no end where the server has no limit, and is asked for again after a failure", async () => {
    const endless = new QueueRoom({ memory: async () => ({ usedBytes: 1e12, limitBytes: 0 }) });
    expect(await endless.take(1e12, "usual")).toBeDefined();
    let isAway = true;
    const back = new QueueRoom({
      memory: async () => {
        if (isAway) {
          throw new Error("away");
        }
        return { usedBytes: 0, limitBytes: LIMIT };
      },
    });
    await expect(back.take(1, "usual")).rejects.toThrow("away");
    isAway = false;
    expect(await back.take(1, "usual")).toBeDefined();
  });
});
