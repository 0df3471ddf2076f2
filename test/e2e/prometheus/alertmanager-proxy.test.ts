/** A real Alertmanager and receivers that it reaches by a forward proxy, or whose certificates a private authority signed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { alertmanagerConfig } from "../../../components/observability/alert-routing";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { requirePart } from "../../../rehearsal/parts/find";
import { RECEIVER_VALUES, REMOTE_RECEIVERS } from "../../components/observability/receivers";
import { ConnectProxy } from "../../harness/connect-proxy";
import { type PrivateAuthority, privateAuthority, type RemoteReceiver, tlsReceiver } from "./remote-receivers";
import { tool } from "./tool";

let folder = "";
let authority: PrivateAuthority;
let receiver: RemoteReceiver;
let proxy: ConnectProxy;
let alertmanager: Program;
let base = "";

/** The configuration, with the authority where this machine has it, and seconds in place of minutes. */
function localConfig(name: string, text: string): string {
  const file = join(folder, name);
  const local = text
    .replaceAll(/ca_file: \S+/g, `ca_file: ${authority.caFile}`)
    .replaceAll(/group_(wait|interval): \S+/g, "group_$1: 1s")
    .replace("repeat_interval: 30s", "repeat_interval: 500ms");
  writeFileSync(file, local);
  return file;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "alertmanager-proxy-"));
  authority = privateAuthority(folder);
  [receiver, proxy] = await Promise.all([tlsReceiver(authority), ConnectProxy.start()]);
  const url = `https://localhost:${receiver.port}`;
  const { heartbeat, slack, webhook } = REMOTE_RECEIVERS;
  const proxyUrl = proxy.url;
  const text = alertmanagerConfig(
    {
      webhook: { ...webhook, proxyUrl },
      // Directly, with the authority alone; and by the proxy, without it.
      slack: { ...slack, proxyUrl: undefined },
      heartbeat: { ...heartbeat, proxyUrl, caFile: undefined },
    },
    {
      alertWebhookUrl: `${url}/hook`,
      alertSlackUrl: `${url}/slack`,
      alertHeartbeatUrl: `${url}/heartbeat`,
    },
  );
  const port = 30_000 + (process.pid % 10_000);
  base = `http://127.0.0.1:${port}`;
  alertmanager = new Program(
    requirePart("prometheus-alertmanager"),
    [
      `--config.file=${localConfig("local.yaml", text)}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    join(folder, "log"),
  );
  await vi.waitFor(async () => expect((await fetch(`${base}/-/ready`)).ok).toBe(true), {
    timeout: 20_000,
    interval: 200,
  });
}, 60_000);
afterAll(async () => {
  await alertmanager?.terminate();
  receiver?.close();
  proxy?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function send(labels: Readonly<Record<string, string>>): Promise<void> {
  const body = JSON.stringify([{ labels, endsAt: new Date(Date.now() + 60_000).toISOString() }]);
  const headers = { "content-type": "application/json" };
  expect((await fetch(`${base}/api/v2/alerts`, { method: "POST", headers, body })).status).toBe(200);
}

const paths = () => receiver.arrived.map(({ path }) => path);

describe("receivers behind a proxy, and with an authority of their own", () => {
  it("have a configuration that amtool accepts, of every kind", () => {
    const file = localConfig("all.yaml", alertmanagerConfig(REMOTE_RECEIVERS, RECEIVER_VALUES));
    const { status, output } = tool("amtool", "check-config", file);
    expect(status, output).toBe(0);
  });

  it("get alerts by the proxy that the receiver names, and directly where it names none", {
    timeout: 60_000,
  }, async () => {
    await send({ alertname: "ModelUnavailable", severity: "critical", namespace: "model-chat" });
    await expect.poll(paths, { timeout: 20_000 }).toEqual(expect.arrayContaining(["/hook", "/slack"]));
    expect(receiver.arrived.find(({ path }) => path === "/hook")?.body).toContain("ModelUnavailable");
    expect(proxy.asked).toEqual(proxy.asked.map(() => `localhost:${receiver.port}`));
    expect(proxy.asked.length).toBeGreaterThan(0);
  });

  it("get nothing where the authority is not named", { timeout: 60_000 }, async () => {
    const before = proxy.asked.length;
    await send({ alertname: "Watchdog", severity: "none" });
    await expect.poll(() => proxy.asked.length, { timeout: 20_000 }).toBeGreaterThan(before);
    await expect
      .poll(async () => (await (await fetch(`${base}/metrics`)).text()).match(FAILED)?.[1], { timeout: 20_000 })
      .toMatch(/^[1-9]/);
    expect(paths()).not.toContain("/heartbeat");
  });
});

/** Requests of webhooks that failed. */
const FAILED = /^alertmanager_notification_requests_failed_total\{[^}]*integration="webhook"[^}]*\} (\d+)/m;
