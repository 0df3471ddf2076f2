/** Where dashboards lead: to each other, to the runbook, and to a request's log lines and trace. */
import { runbookAnchor } from "../rules/rule-groups";
import type { LinkModel, VariableModel } from "./grafana-model";

/** A data source of Grafana that finds a request by its id. */
export interface RequestSource {
  readonly kind: "logs" | "traces";
  readonly uid: string;
  /** Type of Grafana's plugin. */
  readonly type: "loki" | "jaeger";
  /** Its query, in which `REQUEST_ID` is what the reader enters: an id of a request or a trace. */
  readonly query: Readonly<Record<string, string>>;
}

export interface DashboardLinks {
  /** URL of the runbook. @default none: a path in the repository is no link */
  readonly runbookUrl?: string | undefined;
  /** Of the add-ons that the environment has. @default none */
  readonly sources?: readonly RequestSource[];
}

/** Tag of every dashboard of the platform. */
export const DASHBOARD_TAG = "inference-stacks";

/** Variable for an id of a request or a trace, which links to logs and traces read. */
export const REQUEST = "request";

/** Stands for the id in queries of data sources. */
export const REQUEST_ID = `\${${REQUEST}}`;

const LEADS: Readonly<Record<RequestSource["kind"], { readonly title: string; readonly tooltip: string }>> = {
  logs: { title: "Logs of the request", tooltip: "Lines with the id of the request or of its trace" },
  traces: { title: "Trace", tooltip: "Spans of the trace with that id" },
};

/** Links of a dashboard's head. */
export function dashboardLinks({ runbookUrl, sources = [] }: DashboardLinks): LinkModel[] {
  return [
    { ...LINK, type: "dashboards", title: "Dashboards", tags: [DASHBOARD_TAG], asDropdown: true, includeVars: true },
    ...(runbookUrl === undefined
      ? []
      : [external({ title: "Runbook", url: runbookUrl, tooltip: "Meaning, diagnosis and fix of each alert" })]),
    ...sources.map((source) => external({ ...LEADS[source.kind], url: exploreUrl(source) })),
  ];
}

/** The field in which a reader enters the id, where a data source finds it. */
export function requestVariable({ sources = [] }: DashboardLinks): VariableModel[] {
  return sources.length === 0
    ? []
    : [{ name: REQUEST, label: "Request or trace id", type: "textbox", query: "", current: { text: "", value: "" } }];
}

/** Links of a panel: runbook entries of alerts. */
export function alertLinks(alerts: readonly string[], { runbookUrl }: DashboardLinks): LinkModel[] {
  return runbookUrl === undefined
    ? []
    : alerts.map((alert) =>
        external({ title: alert, url: `${runbookUrl}#${runbookAnchor(alert)}`, tooltip: "Entry of the runbook" }),
      );
}

const LINK = { icon: "external link", keepTime: true, tags: [], targetBlank: true, tooltip: "", asDropdown: false };

function external(to: { readonly title: string; readonly url: string; readonly tooltip: string }): LinkModel {
  return { ...LINK, type: "link", includeVars: false, keepTime: false, ...to };
}

/** A page of Explore with the query (Grafana 10 and later: `schemaVersion=1&panes={…}`). Only the variable stays unencoded. */
function exploreUrl({ uid, type, query }: RequestSource): string {
  const panes = {
    request: {
      datasource: uid,
      queries: [{ refId: "A", datasource: { type, uid }, ...query }],
      range: { from: "now-24h", to: "now" },
    },
  };
  const encoded = encodeURIComponent(JSON.stringify(panes)).replaceAll(
    encodeURIComponent(REQUEST_ID),
    `\${${REQUEST}:percentencode}`,
  );
  return `/explore?schemaVersion=1&orgId=1&panes=${encoded}`;
}
