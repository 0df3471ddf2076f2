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
    // The next one that no other process has taken.
    const [port = 0] = await freePorts(1);
    const taken = await listenAfter(port);
    const given = await freePorts(taken - port + 1);
    // Those behind it, or from the first port on where it was the last one.
    expect(given.some((each) => each > taken || each < port)).toBe(true);
    expect(given).not.toContain(taken);
  });
});

/** Listens on the first free port behind this one. */
async function listenAfter(port: number): Promise<number> {
  const server = createServer();
  const isHeld = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port + 1, "127.0.0.1", () => resolve(true));
  });
  held = isHeld ? server : undefined;
  return isHeld ? port + 1 : listenAfter(port + 1);
}
