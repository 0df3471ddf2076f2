/** Grafana dashboards from rows of panels: positions, ids and the data source are worked out here. */

/** Units of Grafana (`@grafana/data` value formats) that the dashboards use. */
export type Unit = "short" | "s" | "ms" | "percent" | "percentunit" | "reqps" | "bytes" | "celsius" | "currencyUSD";

export interface Query {
  readonly expr: string;
  /** Name of each line, for example `{{model}}`. */
  readonly legend: string;
}

export interface PanelSpec {
  readonly title: string;
  /** What a reader should conclude from it, and from when on to worry. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** @default "timeseries" */
  readonly type?: "timeseries" | "stat" | "gauge";
  /** Upper end of the axis, for shares and percentages. */
  readonly max?: number;
}

export interface RowSpec {
  readonly title: string;
  /** Next to each other; four fit well. */
  readonly panels: readonly PanelSpec[];
}

export interface DashboardSpec {
  /** Stable: part of the dashboard's address. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly RowSpec[];
  /** Drop-down lists whose values come from a label; usable in queries as `$name`. */
  readonly variables: readonly { readonly name: string; readonly metric: string; readonly label: string }[];
}

/** The part of Grafana's dashboard model that we write. */
export interface DashboardModel {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly schemaVersion: number;
  readonly editable: boolean;
  readonly refresh: string;
  readonly tags: readonly string[];
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: { readonly list: readonly VariableModel[] };
  readonly panels: readonly PanelModel[];
}

export interface VariableModel {
  readonly name: string;
  readonly type: "datasource" | "query";
  readonly query: string;
  readonly [option: string]: unknown;
}

export interface PanelModel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
  readonly [option: string]: unknown;
}

/** Grafana's grid is 24 columns wide. */
const COLUMNS = 24;
const PANEL_HEIGHT = 8;
const ROW_HEIGHT = 1;

/** Name of the variable by which a dashboard finds Prometheus, whatever the data source is called. */
const DATASOURCE = { type: "prometheus", uid: "$datasource" };

/** The dashboard as Grafana imports it. */
export function dashboardModel(spec: DashboardSpec): DashboardModel {
  return {
    uid: spec.uid,
    title: spec.title,
    description: spec.description,
    schemaVersion: 41,
    editable: false,
    refresh: "30s",
    tags: ["inference-stacks"],
    time: { from: "now-3h", to: "now" },
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
        ...spec.variables.map(({ name, metric, label }) => ({
          name,
          type: "query" as const,
          datasource: DATASOURCE,
          query: `label_values(${metric}, ${label})`,
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: ".*",
          current: { text: ["All"], value: ["$__all"] },
        })),
      ],
    },
    panels: layout(spec.rows),
  };
}

function layout(rows: readonly RowSpec[]): PanelModel[] {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    const header = {
      id: ++id,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: ROW_HEIGHT },
    };
    const width = Math.floor(COLUMNS / panels.length);
    const placed = panels.map((panel, i) => ({
      id: ++id,
      ...panelModel(panel),
      gridPos: { x: i * width, y: y + ROW_HEIGHT, w: width, h: PANEL_HEIGHT },
    }));
    y += ROW_HEIGHT + PANEL_HEIGHT;
    return [header, ...placed];
  });
}

function panelModel({ title, description, unit, queries, type = "timeseries", max }: PanelSpec) {
  return {
    type,
    title,
    description,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, min: 0, ...(max !== undefined && { max }) }, overrides: [] },
    options:
      type === "timeseries" ? { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } } : {},
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + i),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
