/** The container that registers a node, from its start to its end: in this process, with the process's own events held back, and in one of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterEach, describe, expect, it, vi } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { serve } from "../storage/fakes";

const SCRIPT = "components/node/scripts/registration.ts";

/** Plain JavaScript, which every Node runs. */
function bundled(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(repositoryRoot(), SCRIPT)],
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

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
    expect(() => process.stdout.emit("error", new Error("EPIPE"))).not.toThrow();
    expect(process.exit).not.toHaveBeenCalled();
    handlers.get("SIGTERM")?.();
    expect(await ended).toBe(0);
    await Promise.all([registrar.close(), new Promise((resolve) => taken.close(resolve))]);
  });

  it("leaves and ends at SIGTERM when its log has no reader and its registrar fails once", async () => {
    const calls: string[] = [];
    const registrar = await serve(({ method = "" }, response) => {
      calls.push(method);
      response.writeHead(calls.length === 1 ? 503 : 204).end();
    });
    const node = await serve((_, response) => {
      response.writeHead(503).end();
      child.kill("SIGTERM");
    });
    const settings = { registrar: registrar.url, group: "g", port: Number(new URL(node.url).port), health: "/health" };
    const child = spawn(process.execPath, ["-e", bundled()], {
      env: {
        ...process.env,
        RUN: "registration",
        REGISTRATION: JSON.stringify({ ...settings, renewSeconds: 30, metricsPort: 0 }),
        POD_NAME: "chat-0",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.destroy();
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    expect(await once(child, "exit")).toEqual([0, null]);
    clearTimeout(late);
    expect(calls).toEqual(["DELETE", "DELETE"]);
    await Promise.all([registrar.close(), node.close()]);
  }, 15_000);
});
