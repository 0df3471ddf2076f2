/** The container that registers a node, from its start to its end: run in this process, with the process's own events held back. */
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serve } from "../storage/fakes";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("the container that registers a node", () => {
  it("goes on when its metrics port is taken, or after an error that nothing expected, and logs both", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, resolve));
    const handlers = new Map<unknown, (error?: Error) => void>();
    const hold = (event: unknown, handler: (error?: Error) => void) => {
      handlers.set(event, handler);
      return process;
    };
    vi.spyOn(process, "on").mockImplementation(hold as typeof process.on);
    vi.spyOn(process, "once").mockImplementation(hold as typeof process.once);
    const ended = new Promise((resolve) => {
      vi.spyOn(process, "exit").mockImplementation(resolve as typeof process.exit);
    });
    const log = vi.spyOn(console, "log").mockReturnValue(undefined);
    const logged = () => log.mock.calls.map(([line]) => JSON.parse(String(line)).error).filter(Boolean);
    const { port: metricsPort } = taken.address() as AddressInfo;
    const registrar = await serve((_, response) => response.writeHead(204).end());
    const settings = { registrar: registrar.url, group: "g", port: 1, health: "/health", renewSeconds: 30 };
    vi.stubEnv("RUN", "registration");
    vi.stubEnv("REGISTRATION", JSON.stringify({ ...settings, metricsPort }));
    vi.stubEnv("POD_NAME", "chat-0");
    // It starts when it is loaded; another file may have loaded it in this process, so this is a copy of its own.
    const started = "../../../components/node/scripts/registration.ts?started";
    await import(started);
    await vi.waitFor(() => expect(logged()).toEqual(["metrics: EADDRINUSE"]), { interval: 5 });
    handlers.get("uncaughtException")?.(Object.assign(new Error("x"), { code: "EMFILE" }));
    expect(logged().slice(1)).toEqual(["unexpected: EMFILE"]);
    expect(process.exit).not.toHaveBeenCalled();
    handlers.get("SIGTERM")?.();
    expect(await ended).toBe(0);
    await Promise.all([registrar.close(), new Promise((resolve) => taken.close(resolve))]);
  });
});
