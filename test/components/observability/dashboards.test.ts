import { describe, expect, it } from "vitest";
import { DASHBOARDS } from "../../../components/observability/dashboards/all";
import {
  type DashboardModel,
  dashboardModel,
  type PanelModel,
} from "../../../components/observability/dashboards/builder";
import { dashboards } from "../../../components/observability/dashboards/dashboards";
import { ADDON_DASHBOARDS } from "../../../stacks/addons/watched";
import { deploy } from "../../harness/deploy";
import { exposedSeries, metricNames, recordedSeries } from "./metric-names";

const known = new Set([...(await exposedSeries()), ...recordedSeries()]);

function overlaps(a: PanelModel["gridPos"], b: PanelModel["gridPos"]): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

const all = [...DASHBOARDS, ...ADDON_DASHBOARDS];

describe.each(all)("dashboard $uid", (spec) => {
  const model = dashboardModel(spec);
  const panels = model.panels.filter(({ type }) => type !== "row");

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

describe("Dashboards", () => {
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
