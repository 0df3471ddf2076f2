import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePorts } from "../../../rehearsal/cluster/ports";

let held: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (held === undefined ? resolve(undefined) : held.close(resolve)));
});

describe("free ports", () => {
  it("are all different, also those of later calls, and none that a kernel gives to connections", async () => {
    const ports = [...(await freePorts(20)), ...(await freePorts(20))];
    expect(new Set(ports).size).toBe(40);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });

  it("are those that nobody listens on", async () => {
    const [port = 0] = await freePorts(1);
    held = createServer();
    // The next one that would be given.
    await new Promise<void>((resolve) => held?.listen(port + 1, "127.0.0.1", resolve));
    expect(await freePorts(2)).not.toContain(port + 1);
  });
});
