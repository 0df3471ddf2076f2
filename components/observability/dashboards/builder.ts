/** Grafana dashboards from rows of panels. */

import type { DashboardModel, FieldModel, PanelModel, RowModel, TargetModel } from "./grafana-model";
import { alertLinks, DASHBOARD_TAG, type DashboardLinks, dashboardLinks, requestVariable } from "./links";
import type { DashboardSpec, PanelSpec, RowSpec } from "./spec";

/** Grafana's grid is 24 columns wide. */
const COLUMNS = 24;
const PANEL_HEIGHT = 8;
const ROW_HEIGHT = 1;

/** A variable, whatever the data source is called. */
const DATASOURCE = { type: "prometheus", uid: "$datasource" } as const;

export function dashboardModel(spec: DashboardSpec, links: DashboardLinks = {}): DashboardModel {
  return {
    uid: spec.uid,
    title: spec.title,
    description: spec.description,
    schemaVersion: 41,
    editable: false,
    refresh: "30s",
    tags: [DASHBOARD_TAG],
    time: { from: "now-3h", to: "now" },
    links: dashboardLinks(links),
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
        ...spec.variables.map(({ name, metric, label }) => ({
          name,
          type: "query" as const,
          datasource: DATASOURCE,
          query: `label_values(${metric}, ${label})`,
          refresh: 2 as const,
          multi: true,
          includeAll: true,
          allValue: ".*",
          current: { text: ["All"], value: ["$__all"] },
        })),
        ...requestVariable(links),
      ],
    },
    panels: layout(spec.rows, links),
  };
}

function layout(rows: readonly RowSpec[], links: DashboardLinks): (RowModel | PanelModel)[] {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    const header: RowModel = {
      id: ++id,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: ROW_HEIGHT },
    };
    const width = Math.floor(COLUMNS / panels.length);
    const placed = panels.map(
      (panel, i): PanelModel => ({
        id: ++id,
        ...panelModel(panel, links),
        gridPos: { x: i * width, y: y + ROW_HEIGHT, w: width, h: PANEL_HEIGHT },
      }),
    );
    y += ROW_HEIGHT + PANEL_HEIGHT;
    return [header, ...placed];
  });
}

function panelModel(spec: PanelSpec, links: DashboardLinks): Omit<PanelModel, "id" | "gridPos"> {
  const { title, description, queries, type = "timeseries", alerts = [] } = spec;
  return {
    type,
    title,
    description,
    datasource: DATASOURCE,
    links: alertLinks(alerts, links),
    fieldConfig: fieldModel(spec),
    options:
      type === "timeseries"
        ? {
            legend: { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] },
            tooltip: { mode: "multi", sort: "none" },
          }
        : {},
    targets: queries.map(
      ({ expr, legend }, i): TargetModel => ({
        refId: String.fromCharCode("A".charCodeAt(0) + i),
        datasource: DATASOURCE,
        expr,
        legendFormat: legend,
      }),
    ),
  };
}

const BAD = "red";
const GOOD = "transparent";

function fieldModel({ unit, max, limit, type = "timeseries" }: PanelSpec): FieldModel {
  return {
    defaults: {
      unit,
      min: 0,
      ...(max !== undefined && { max }),
      ...(limit !== undefined && {
        thresholds: {
          mode: "absolute",
          steps:
            "above" in limit
              ? [
                  { color: type === "timeseries" ? GOOD : "green", value: null },
                  { color: BAD, value: limit.above },
                ]
              : [
                  { color: BAD, value: null },
                  { color: type === "timeseries" ? GOOD : "green", value: limit.below },
                ],
        },
        custom: { thresholdsStyle: { mode: "dashed" } },
      }),
    },
    overrides: [],
  };
}
