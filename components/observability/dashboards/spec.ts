/** Dashboards without positions and data sources. */

/** Units of Grafana (`@grafana/data` value formats). */
export type Unit = "short" | "s" | "ms" | "percent" | "percentunit" | "reqps" | "bytes" | "celsius" | "currencyUSD";

export interface Query {
  readonly expr: string;
  /** Name of each line, for example `{{model}}`. */
  readonly legend: string;
}

/** Where a panel turns red. */
export type Limit = { readonly above: number } | { readonly below: number };

export interface PanelSpec {
  readonly title: string;
  /** What to conclude, and from when on to worry. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** @default "timeseries" */
  readonly type?: "timeseries" | "stat" | "gauge";
  /** Upper end of the axis. */
  readonly max?: number;
  /** Line where an alert begins. @default none */
  readonly limit?: Limit;
  /** Alerts whose runbook entries the panel links. @default none */
  readonly alerts?: readonly string[];
}

export interface RowSpec {
  readonly title: string;
  /** Next to each other; four fit. */
  readonly panels: readonly PanelSpec[];
}

export interface DashboardSpec {
  /** Stable: part of the dashboard's address. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly RowSpec[];
  /** Drop-down lists of a label's values, in queries as `$name`. */
  readonly variables: readonly { readonly name: string; readonly metric: string; readonly label: string }[];
}
