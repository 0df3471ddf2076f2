import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";

/** Records of what was decided and judged then: their series may be gone. */
const RECORDS = ["decisions/", "reviews/"];

const QUERY_OPTION = /--data-urlencode 'query=(?<query>[^']+)'/g;
const ADAPTED_SERIES = /seriesQuery: '\{__name__=~"(?<names>[^"]+)"/g;
const PLAIN_BLOCK = /^```\n(?<text>[^`]+?)\n```$/gm;
/** Inline code that begins with a series of an exporter, an engine or a rule. */
const NAMED_SERIES =
  /`(?<name>(?:(?:vllm|inference):|(?:DCGM_(?:FI|EXP)|envoy_(?:cluster|http)|nv_inference|tgi|ray_vllm|kube|otelcol|loki|gen_ai_server|istio|keda|karpenter|certmanager|minio_cluster|node_filesystem|model_control|model_relay)_)[\w:]*[a-zA-Z\d])(?:\{[^`]*\})?`/g;
/** Labels begin as the series that have them. */
const LABELS = new Set(["envoy_cluster_name", "envoy_http_conn_manager_prefix"]);

export interface Documented {
  readonly page: string;
  readonly text: string;
}

interface Page {
  readonly name: string;
  readonly text: string;
}

function pages(): Page[] {
  const docs = join(repositoryRoot(), "docs");
  const inDocs = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md") && !RECORDS.some((folder) => name.startsWith(folder)));
  const files = [...inDocs.map((name) => join("docs", name)), "README.md", "services/model-control/README.md"];
  return files.map((name) => ({ name, text: readFileSync(join(repositoryRoot(), name), "utf8") }));
}

const found = (pattern: RegExp, group: string) =>
  pages().flatMap(({ name, text }): Documented[] =>
    [...text.matchAll(pattern)].map(({ groups }) => ({ page: name, text: groups?.[group] ?? "" })),
  );

/** Loki's queries begin with a selector of streams, or ask the rate of one. */
const isPromQl = ({ text }: Documented) => !/^\{|\(\{/.test(text) && /^[\w:]+\s*[({]/.test(text);

/** PromQL that pages tell readers to ask. */
export function documentedQueries(): Documented[] {
  const asked = found(QUERY_OPTION, "query").filter(({ text }) => !text.startsWith("{"));
  const adapted = found(ADAPTED_SERIES, "names").flatMap(({ page, text }) =>
    text.split("|").map((name): Documented => ({ page, text: name })),
  );
  return [...asked, ...adapted, ...found(PLAIN_BLOCK, "text").filter(isPromQl)];
}

/** Series and metrics that pages name. */
export function documentedSeries(): Documented[] {
  return found(NAMED_SERIES, "name").filter(({ text }) => !LABELS.has(text));
}
