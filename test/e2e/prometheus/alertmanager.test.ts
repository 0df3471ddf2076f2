import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { runCommand } from "../../../cli/main";
import { alertmanagerConfig, alertRouting } from "../../../components/observability/alert-routing";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { requirePart } from "../../../rehearsal/parts/find";
import { ALL_RECEIVERS, RECEIVER_VALUES } from "../../components/observability/receivers";
import { type LocalReceivers, localReceivers } from "./local-receivers";
import { tool } from "./tool";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "alertmanager-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("Alertmanager's configuration in amtool", () => {
  let all = "";
  let without = "";
  beforeAll(() => {
    all = join(folder, "all.yaml");
    without = join(folder, "nobody.yaml");
    writeFileSync(all, alertmanagerConfig(ALL_RECEIVERS, RECEIVER_VALUES));
    writeFileSync(without, stringify(alertRouting()));
  });

  it("is accepted with every kind of receiver, and without any", () => {
    const { status, output } = tool("amtool", "check-config", all, without);
    expect(status, output).toBe(0);
  });

  const EVERYONE = "webhook,slack,email";
  it.each([
    { labels: ["alertname=ModelUnavailable", "severity=critical"], receivers: "webhook,slack,pagerduty,email" },
    { labels: ["alertname=GpuTemperature", "severity=warning"], receivers: EVERYONE },
    { labels: ["alertname=OfAnotherTeam"], receivers: EVERYONE },
    { labels: ["alertname=GpuIdle", "severity=info"], receivers: "nobody" },
    { labels: ["alertname=Watchdog", "severity=none"], receivers: "heartbeat" },
  ])("routes $labels to $receivers", ({ labels, receivers }) => {
    const config = ["--config.file", all, "--verify.receivers", receivers];
    const { status, output } = tool("amtool", "config", "routes", "test", ...config, ...labels);
    expect(status, output).toBe(0);
  });
});

describe("Alertmanager and receivers of this machine", () => {
  let local: LocalReceivers;
  let alertmanager: Program;
  let base = "";

  beforeAll(async () => {
    local = await localReceivers();
    const text = alertmanagerConfig(
      {
        ...ALL_RECEIVERS,
        email: { ...ALL_RECEIVERS.email, smarthost: local.smarthost, username: undefined, requireTls: false },
      },
      {
        ...RECEIVER_VALUES,
        alertWebhookUrl: `${local.url}/hook`,
        alertSlackUrl: `${local.url}/slack`,
        alertHeartbeatUrl: `${local.url}/heartbeat`,
      },
    );
    const config = join(folder, "local.yaml");
    // Seconds where the platform waits for minutes, and PagerDuty's API on this machine.
    const quick = text
      .replaceAll(/group_(wait|interval): \S+/g, "group_$1: 1s")
      .replace("repeat_interval: 30s", "repeat_interval: 500ms")
      .replace("https://events.eu.pagerduty.com", local.url);
    writeFileSync(config, quick);
    const port = 20_000 + (process.pid % 10_000);
    base = `http://127.0.0.1:${port}`;
    alertmanager = new Program(
      requirePart("prometheus-alertmanager"),
      [
        `--config.file=${config}`,
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
  }, 40_000);
  afterAll(async () => {
    await alertmanager.terminate();
    local.close();
  });

  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  async function send(labels: Readonly<Record<string, string>>, endsAt: string) {
    const annotations = {
      summary: "It is down",
      description: "Look",
      runbook_url: "https://git.example/operations.md#down",
    };
    const body = JSON.stringify([{ labels, annotations, endsAt }]);
    const answer = await fetch(`${base}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(200);
  }
  const bodies = (path: string) => local.arrived.filter((each) => each.path === path).map(({ body }) => body);

  it("delivers an alert to each of them with its environment and its runbook entry, and later that it is resolved", {
    timeout: 60_000,
  }, async () => {
    const labels = {
      alertname: "ModelUnavailable",
      severity: "critical",
      environment: "edge-7",
      namespace: "model-chat",
    };
    await send(labels, inSeconds(60));
    const all = () =>
      [bodies("/hook"), bodies("/slack"), bodies("/v2/enqueue"), local.mails].map((each) => each.join("\n"));
    await expect.poll(() => all().every((text) => text.includes("edge-7")), { timeout: 20_000 }).toBe(true);
    const [hook = "", slack, pagerduty, mail] = all();
    expect(JSON.parse(hook)).toMatchObject({ status: "firing", commonLabels: labels });
    for (const text of [slack, pagerduty, mail]) {
      expect(text).toContain("git.example/operations.md");
    }
    await send(labels, inSeconds(-1));
    await expect
      .poll(() => bodies("/hook").some((body) => JSON.parse(body).status === "resolved"), { timeout: 20_000 })
      .toBe(true);
    await expect
      .poll(() => bodies("/v2/enqueue").some((body) => body.includes('"resolve"')), { timeout: 20_000 })
      .toBe(true);
  });

  it("opens an incident for each machine, and mutes no warning of another one", { timeout: 60_000 }, async () => {
    const xid = { alertname: "GpuXidErrors", severity: "critical", namespace: "model-chat", job: "gpu" };
    const disk = { alertname: "NodeFilesystemAlmostOutOfSpace", namespace: "node-metrics", job: "node-exporter" };
    for (const node of ["gpu-1", "gpu-2"]) {
      await send({ ...xid, node, instance: `${node}:9400` }, inSeconds(60));
    }
    await send({ ...disk, severity: "critical", instance: "gpu-1:9100" }, inSeconds(60));
    await send({ ...disk, severity: "warning", instance: "gpu-1:9100" }, inSeconds(60));
    await send({ ...disk, severity: "warning", instance: "gpu-2:9100" }, inSeconds(60));
    const incidents = () => {
      const events = bodies("/v2/enqueue").filter((body) => body.includes("GpuXidErrors"));
      return new Set(events.map((body): string => JSON.parse(body).dedup_key));
    };
    await expect.poll(() => incidents().size, { timeout: 20_000 }).toBe(2);
    const alerts = async () => {
      const answer: { labels: typeof disk & Record<string, string>; status: { state: string } }[] = JSON.parse(
        await (await fetch(`${base}/api/v2/alerts`)).text(),
      );
      const warnings = answer.filter(
        ({ labels }) => labels.alertname === disk.alertname && labels.severity === "warning",
      );
      return Object.fromEntries(warnings.map(({ labels, status }) => [labels.instance, status.state]));
    };
    await expect.poll(alerts, { timeout: 20_000 }).toEqual({ "gpu-1:9100": "suppressed", "gpu-2:9100": "active" });
  });

  it("repeats the heartbeat while Watchdog comes, and ends it when Prometheus stops sending", {
    timeout: 60_000,
  }, async () => {
    await send({ alertname: "Watchdog", severity: "none" }, inSeconds(8));
    await expect.poll(() => bodies("/heartbeat").length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    const beats = local.arrived.filter(({ path }) => path === "/heartbeat").map(({ at }) => at);
    // Each interval has one: none is left out for having been sent just now.
    expect(Math.max(...beats.slice(1).map((at, i) => at - (beats[i] ?? 0)))).toBeLessThan(1_800);
    // A service that waits for three intervals.
    const missing = () => Date.now() - (local.arrived.findLast(({ path }) => path === "/heartbeat")?.at ?? 0) > 3000;
    expect(missing()).toBe(false);
    await expect.poll(missing, { timeout: 30_000, interval: 250 }).toBe(true);
    expect(bodies("/heartbeat").every((body) => JSON.parse(body).status === "firing")).toBe(true);
    expect(bodies("/hook").join("")).not.toContain("Watchdog");
  });

  it("is tested by one command, which says who took an alert", { timeout: 120_000 }, async () => {
    const parts: string[] = [];
    const write = (text: string) => void parts.push(text);
    const status = await runCommand(["alert-test", "--url", base, "--timeout", "60"], {
      out: write,
      err: write,
      color: false,
    });
    expect(parts.join("")).toMatch(/✓ webhook: accepted[\s\S]*✓ slack: accepted/);
    expect(status, parts.join("")).toBe(0);
    expect(bodies("/slack").join("")).toContain("AlertTestCritical");
    local.close();
    parts.length = 0;
    const failing = await runCommand(["alert-test", "--url", base, "--timeout", "5"], {
      out: write,
      err: write,
      color: false,
    });
    expect(failing).toBe(1);
    expect(parts.join("")).toMatch(/✗ webhook: (refused|nothing)/);
  });
});
