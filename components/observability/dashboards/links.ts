/** Links of dashboards: to each other, the runbook, log lines and traces of a request. */
import { runbookAnchor } from "../rules/rule-groups";
import type { LinkModel, VariableModel } from "./grafana-model";

/** A Grafana data source that finds a request by its id. */
export interface RequestSource {
  readonly kind: "logs" | "traces";
  readonly uid: string;
  readonly type: "loki" | "jaeger";
  /** Query with `REQUEST_ID` for the id that the reader enters. */
  readonly query: Readonly<Record<string, string>>;
}

export interface DashboardLinks {
  /** URL of the runbook. @default none */
  readonly runbookUrl?: string | undefined;
  /** @default none */
  readonly sources?: readonly RequestSource[];
}

export const DASHBOARD_TAG = "inference-stacks";

/** Variable with the id of a request or trace. */
export const REQUEST = "request";

/** Placeholder of the id in queries. */
export const REQUEST_ID = `\${${REQUEST}}`;

const LEADS: Readonly<Record<RequestSource["kind"], { readonly title: string; readonly tooltip: string }>> = {
  logs: { title: "Logs of the request", tooltip: "Lines with the id of the request or of its trace" },
  traces: { title: "Trace", tooltip: "Spans of the trace with that id" },
};

export function dashboardLinks({ runbookUrl, sources = [] }: DashboardLinks): LinkModel[] {
  return [
    { ...LINK, type: "dashboards", title: "Dashboards", tags: [DASHBOARD_TAG], asDropdown: true, includeVars: true },
    ...(runbookUrl === undefined
      ? []
      : [external({ title: "Runbook", url: runbookUrl, tooltip: "What each alert means, and its diagnosis and fix" })]),
    ...sources.map((source) => external({ ...LEADS[source.kind], url: exploreUrl(source) })),
  ];
}

export function requestVariable({ sources = [] }: DashboardLinks): VariableModel[] {
  return sources.length === 0
    ? []
    : [{ name: REQUEST, label: "Request or trace id", type: "textbox", query: "", current: { text: "", value: "" } }];
}

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

/**
 * Explore page with the query (Grafana 10 and later: `schemaVersion=1&panes={…}`); only the
 * variable stays unencoded.
 */
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
