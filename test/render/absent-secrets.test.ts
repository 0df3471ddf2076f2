import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { laptop, useFolder } from "../cli/run";
import { contentOf, renderOf } from "./run";

const folder = useFolder();

it("receivers of alerts without their secret are rendered, and the folder says which values it needs", async () => {
  const out = mkdtempSync(join(tmpdir(), "absent-secrets-"));
  const alerts = { slack: { channel: "#alerts" }, pagerduty: {}, heartbeat: {} };
  const { status, err } = await renderOf(folder, { ...laptop, observability: { alerts } }, "--out", out);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  const files = contentOf(out);
  const alertmanager = [...files].find(([, text]) => text.includes("alertmanager.yaml: |"))?.[1] ?? "";
  expect(alertmanager).toContain("kind: ExternalSecret");
  for (const text of [
    "name: slack",
    "name: pagerduty",
    "name: heartbeat",
    "api_url: {{ .alertSlackUrl | quote }}",
    "routing_key: {{ .alertPagerdutyKey | quote }}",
    "url: {{ .alertHeartbeatUrl | quote }}",
  ]) {
    expect(alertmanager, text).toContain(text);
  }
  const page = files.get("SECRETS.md");
  for (const key of ["alertSlackUrl", "alertPagerdutyKey", "alertHeartbeatUrl"]) {
    expect(page).toContain(`**not set in the environment's file** (${key}): `);
    expect(files.get("secrets.yaml")).toContain(`(${key})`);
  }
  expect(page).toContain("Incoming webhook of Slack (observability.alerts.slack).");
  expect(page).not.toContain("pulumi config get alertSlackUrl");
});
