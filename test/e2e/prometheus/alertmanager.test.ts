import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { alertmanagerConfig, alertRouting } from "../../../components/observability/alert-routing";
import { tool } from "./tool";

describe("Alertmanager's configuration in amtool", () => {
  let folder = "";
  let withWebhook = "";
  let without = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "alertmanager-"));
    withWebhook = join(folder, "webhook.yaml");
    without = join(folder, "nobody.yaml");
    writeFileSync(withWebhook, alertmanagerConfig("https://alerts.example/hook"));
    writeFileSync(without, stringify(alertRouting("nobody")));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is accepted with and without a webhook", () => {
    const { status, output } = tool("amtool", "check-config", withWebhook, without);
    expect(status, output).toBe(0);
  });

  it.each([
    { labels: ["alertname=ModelUnavailable", "severity=critical"], receiver: "webhook" },
    { labels: ["alertname=GpuTemperature", "severity=warning"], receiver: "webhook" },
    { labels: ["alertname=GpuIdle", "severity=info"], receiver: "nobody" },
    { labels: ["alertname=Watchdog", "severity=none"], receiver: "nobody" },
  ])("routes $labels to $receiver", ({ labels, receiver }) => {
    const config = ["--config.file", withWebhook, "--verify.receivers", receiver];
    const { status, output } = tool("amtool", "config", "routes", "test", ...config, ...labels);
    expect(status, output).toBe(0);
  });
});
