import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { imageEntry } from "../../../catalog/images";
import { LOGS_SOURCE } from "../../../components/logging/names";
import { DASHBOARDS } from "../../../components/observability/dashboards/all";
import { dashboardModel } from "../../../components/observability/dashboards/builder";
import { dashboards } from "../../../components/observability/dashboards/dashboards";
import type { DashboardModel, PanelModel } from "../../../components/observability/dashboards/grafana-model";
import { REQUEST_ID } from "../../../components/observability/dashboards/links";
import { TRACES_SOURCE } from "../../../components/tracing/names";
import { ADDON_DASHBOARDS } from "../../../stacks/addons/watched";
import { deploy } from "../../harness/deploy";
import { ALL_SUBJECTS } from "./all-subjects";
import { exposedSeries, metricNames, recordedSeries } from "./metric-names";

const known = new Set([...(await exposedSeries()), ...recordedSeries()]);

function overlaps(a: PanelModel["gridPos"], b: PanelModel["gridPos"]): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

const all = [...DASHBOARDS, ...ADDON_DASHBOARDS];
const alerts = ALL_SUBJECTS.flatMap((subject) => subject.alerts);
const LINKS = { runbookUrl: "https://git.example/operations.md", sources: [LOGS_SOURCE, TRACES_SOURCE] };

describe.each(all)("dashboard $uid", (spec) => {
  const model = dashboardModel(spec);
  const panels = model.panels.filter((panel): panel is PanelModel => panel.type !== "row");

  it("reads only series that exist", () => {
    for (const { title, targets } of panels) {
      expect(targets?.length, `panel "${title}" has no query`).toBeGreaterThan(0);
      for (const { expr } of targets ?? []) {
        expect(
          metricNames(expr).filter((name) => !known.has(name)),
          `panel "${title}"`,
        ).toEqual([]);
        expect(metricNames(expr), `panel "${title}"`).not.toEqual([]);
      }
    }
  });

  it("has unique panel ids and query ids, and finds Prometheus through its variable", () => {
    const ids = model.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(model.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
    for (const { datasource, targets } of panels) {
      expect(datasource).toEqual({ type: "prometheus", uid: "$datasource" });
      const refs = (targets ?? []).map(({ refId }) => refId);
      expect(new Set(refs).size).toBe(refs.length);
    }
  });

  it("lays panels out inside the grid, without overlap", () => {
    for (const [i, { gridPos }] of model.panels.entries()) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(model.panels.slice(i + 1).some((other) => overlaps(gridPos, other.gridPos))).toBe(false);
    }
  });

  it("explains every panel", () => {
    expect(panels.filter(({ description }) => typeof description !== "string" || description.length < 10)).toEqual([]);
  });

  it("links each alert that a panel names to its entry, and names no other", () => {
    const names = new Set(alerts.map(({ alert }) => alert));
    for (const { title, description, alerts: linked = [] } of spec.rows.flatMap((row) => row.panels)) {
      expect(
        linked.filter((alert) => !names.has(alert)),
        title,
      ).toEqual([]);
      const named = description.match(/\b[A-Z][a-z]+[A-Z]\w*/g) ?? [];
      expect(
        named.filter((word) => names.has(word) && !linked.includes(word)),
        title,
      ).toEqual([]);
    }
    const [first] = dashboardModel(spec, LINKS).panels.flatMap((panel) =>
      "targets" in panel ? (panel.links ?? []) : [],
    );
    if (first !== undefined) {
      expect(first.url).toBe(`${LINKS.runbookUrl}#${first.title?.toLowerCase()}`);
    }
  });

  it("draws limits where an alert on what the panel shows begins", () => {
    for (const { title, limit, alerts: linked = [] } of spec.rows.flatMap((row) => row.panels)) {
      if (limit !== undefined) {
        const own = alerts.filter(({ alert }) => linked.includes(alert));
        const value = "above" in limit ? limit.above : limit.below;
        // A panel of what is used has the rest of what an alert says is free.
        const values = [value, 1 - value].map((each) => Number(each.toFixed(6)));
        expect(
          own.some(({ expr }) =>
            (expr.match(/(?<![\w.])\d+(\.\d+)?/g) ?? []).some((each) => values.includes(Number(each))),
          ),
          title,
        ).toBe(true);
      }
    }
  });

  it("uses only its own variables, and each of them", () => {
    const used = new Set(
      panels.flatMap(({ targets }) =>
        (targets ?? []).flatMap(({ expr }) => [...expr.matchAll(/\$([a-z_]\w*)/g)].map(([, name]) => name)),
      ),
    );
    used.delete("__rate_interval");
    expect([...used].sort()).toEqual(spec.variables.map(({ name }) => name).sort());
    for (const { metric } of spec.variables) {
      expect(known).toContain(metric);
    }
  });
});

describe("links of a dashboard", () => {
  const [spec] = DASHBOARDS;
  const model = spec && dashboardModel(spec, LINKS);

  it("lead to the other dashboards, the runbook, and what Loki and Jaeger have of a request", () => {
    expect(model?.links.map(({ title, type }) => [title, type])).toEqual([
      ["Dashboards", "dashboards"],
      ["Runbook", "link"],
      ["Logs of the request", "link"],
      ["Trace", "link"],
    ]);
    expect(model?.templating.list.at(-1)).toMatchObject({ name: "request", type: "textbox" });
  });

  it.each([LOGS_SOURCE, TRACES_SOURCE])("ask $uid for the id that the reader entered, as it is encoded", (source) => {
    const link = model?.links.find(({ url }) => url?.includes(`%22${source.uid}%22`));
    const id = '4bf9"}&x=1';
    const url = new URL(
      (link?.url ?? "").replaceAll(REQUEST_ID.replace("}", ":percentencode}"), encodeURIComponent(id)),
      "https://grafana.example",
    );
    expect(url.pathname).toBe("/explore");
    expect([...url.searchParams.keys()]).toEqual(["schemaVersion", "orgId", "panes"]);
    const panes = url.searchParams.get("panes") ?? "";
    expect(panes).toContain(id);
    const { request } = JSON.parse(panes.replaceAll(id, "4bf9"));
    expect(request).toMatchObject({ datasource: source.uid, queries: [{ datasource: { type: source.type } }] });
    expect(JSON.stringify(request)).not.toContain("$");
  });

  it("are left out where there is nothing to lead to", () => {
    const plain = spec && dashboardModel(spec);
    expect(plain?.links.map(({ title }) => title)).toEqual(["Dashboards"]);
    expect(plain?.templating.list.map(({ name }) => name)).not.toContain("request");
  });
});

describe("Grafana's types", () => {
  it("are those of the image's release", () => {
    const { version } = createRequire(import.meta.url)("@grafana/schema/package.json") as { readonly version: string };
    expect(version).toBe(imageEntry("grafana").tag);
  });
});

describe("Dashboards", () => {
  it("has one for the platform, models, GPUs, gateway, costs and service levels each", () => {
    const uids = DASHBOARDS.map(({ uid }) => uid.replace("inference-", ""));
    expect(uids).toEqual(expect.arrayContaining(["platform", "models", "gpus", "gateway", "costs", "slo"]));
  });

  it("puts each dashboard into a ConfigMap that Grafana's sidecar picks up", async () => {
    const deployment = await deploy(() =>
      dashboards("dashboards", { namespace: "observability", dashboards: ADDON_DASHBOARDS }, {}),
    );
    const maps = deployment.ofType("kubernetes:core/v1:ConfigMap");
    expect(maps).toHaveLength(all.length);
    for (const { inputs } of maps) {
      const { metadata, data } = inputs as {
        metadata: { namespace: string; labels: Record<string, string> };
        data: Record<string, string>;
      };
      expect(metadata.namespace).toBe("observability");
      expect(metadata.labels.grafana_dashboard).toBe("1");
      const [[file, json] = ["", ""]] = Object.entries(data);
      const parsed = JSON.parse(json) as DashboardModel;
      expect(file).toBe(`${parsed.uid}.json`);
      expect(parsed.title.length).toBeGreaterThan(0);
    }
  });
});
