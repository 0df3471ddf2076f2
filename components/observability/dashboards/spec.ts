/** What a dashboard shows, without positions and data sources: `dashboardModel` works those out. */

/** Units of Grafana (`@grafana/data` value formats) that the dashboards use. */
export type Unit = "short" | "s" | "ms" | "percent" | "percentunit" | "reqps" | "bytes" | "celsius" | "currencyUSD";

export interface Query {
  readonly expr: string;
  /** Name of each line, for example `{{model}}`. */
  readonly legend: string;
}

/** A value from which on a panel is red: above it, or below. */
export type Limit = { readonly above: number } | { readonly below: number };

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
  /** Where an alert begins: a line in the panel, in its unit. @default none */
  readonly limit?: Limit;
  /** Alerts about what the panel shows: links to their runbook entries. @default none */
  readonly alerts?: readonly string[];
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
