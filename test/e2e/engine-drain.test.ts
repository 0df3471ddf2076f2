/** What a pod runs before its engine is told to stop, against real sockets of this machine's kernel. */
import { execFile, spawnSync } from "node:child_process";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { type BusyTest, both, leaving, whileConnected, whileCounted } from "../../components/serving/drain";
import { engineOf } from "../../engines";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) {
    end();
  }
});

async function serve(answer: RequestListener, host = "::"): Promise<number> {
  const server = createServer(answer);
  ended.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

async function connected(port: number, host: string): Promise<Socket> {
  const socket = connect(port, host);
  ended.push(() => socket.destroy());
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

/** Exit status in a shell, while this process goes on answering. */
function isBusy({ shell, test }: BusyTest): Promise<boolean> {
  return new Promise((resolve) =>
    execFile(shell, ["-c", `busy() { ${test}; }\nbusy`], (error) => resolve(error === null)),
  );
}

/** An address of this machine that is not loopback: to the kernel, somebody else. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.find(({ internal, family }) => !internal && family === "IPv4");
  if (own === undefined) {
    throw new Error("this machine has no address but loopback: run the test where it has a network interface");
  }
  return own.address;
}

describe("a replica is busy", () => {
  it.each(["0.0.0.0", "::"])("while somebody outside of its pod is connected (listening on %s)", async (listen) => {
    const port = await serve((_, response) => response.end(), listen);
    expect(await isBusy(whileConnected([port]))).toBe(false);
    const beside = await connected(port, "127.0.0.1");
    expect(await isBusy(whileConnected([port]))).toBe(false);
    const client = await connected(port, ownAddress());
    expect(await isBusy(whileConnected([port]))).toBe(true);
    // Another port of the same pod.
    expect(await isBusy(whileConnected([port - 1]))).toBe(false);
    client.destroy();
    beside.destroy();
    await expect.poll(() => isBusy(whileConnected([port]))).toBe(false);
  });

  it("while somebody is connected to a proxy beside it, which the engine sees as beside it", async () => {
    const engine = await serve((_, response) => response.end());
    const proxy = await serve((_, response) => response.end());
    await connected(engine, "127.0.0.1");
    const client = await connected(proxy, ownAddress());
    expect(await isBusy(whileConnected([engine]))).toBe(false);
    expect(await isBusy(whileConnected([engine, proxy]))).toBe(true);
    client.destroy();
    await expect.poll(() => isBusy(whileConnected([engine, proxy]))).toBe(false);
  });

  it("while somebody is connected by IPv6's own loopback, which is beside it", async () => {
    const port = await serve((_, response) => response.end());
    await connected(port, "::1");
    expect(await isBusy(whileConnected([port]))).toBe(false);
  });

  it("while its engine counts requests that run or wait", async () => {
    const { metrics } = engineOf("tgi");
    const { requestsRunning = "", requestsWaiting = "" } = metrics?.series ?? {};
    const values = { running: "0", waiting: "0" };
    const port = await serve((request, response) => {
      const gauges = `# TYPE ${requestsRunning} gauge\n${requestsRunning} ${values.running}\n${requestsWaiting}{engine="0"} ${values.waiting}\nother 7\n`;
      response.end(request.url === metrics?.path ? gauges : "");
    });
    const { shell, test } = whileCounted({ engine: "tgi" });
    const here = { shell, test: test.replace(`/127.0.0.1/${metrics?.port}`, `/127.0.0.1/${port}`) };
    expect(here.test).not.toBe(test);
    expect(await isBusy(here)).toBe(false);
    Object.assign(values, { running: "2" });
    expect(await isBusy(here)).toBe(true);
    Object.assign(values, { running: "0.0", waiting: "1.0" });
    expect(await isBusy(here)).toBe(true);
    Object.assign(values, { waiting: "0.0" });
    expect(await isBusy(here)).toBe(false);
    for (const end of ended.splice(0)) {
      end();
    }
    await expect.poll(() => isBusy(here)).toBe(false);
  });

  it("while both of two tests hold", async () => {
    const holds = (test: string): BusyTest => ({ shell: "/bin/sh", test });
    const all = [true, false].flatMap((one) => [true, false].map((other) => [one, other] as const));
    for (const [one, other] of all) {
      const isBoth = await isBusy(both(holds(`${one}`), { shell: "/bin/bash", test: `: || return 1\n${other}` }));
      expect(isBoth, `${one} and ${other}`).toBe(one && other);
    }
  });

  it("for no longer than the drain", () => {
    const lifecycle = leaving({ drainSeconds: 2 }, { shell: "/bin/sh", test: "true" });
    const [shell = "", ...words] = (lifecycle as { preStop: { exec: { command: string[] } } }).preStop.exec.command;
    const script = words.map((word) => word.replace("sleep 10\n", ""));
    expect(script).not.toEqual(words);
    const began = Date.now();
    expect(spawnSync(shell, script).status).toBe(0);
    expect(Date.now() - began).toBeGreaterThan(900);
    expect(Date.now() - began).toBeLessThan(10_000);
  });
});
