import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";

const PAGE = join(repositoryRoot(), "docs", "telemetry.md");

/** The query of the command in docs/telemetry.md that finds a request. */
export function documentedQuery(id: string): string {
  const query = /--data-urlencode 'query=(?<query>[^']+REQUEST_ID[^']+)'/.exec(readFileSync(PAGE, "utf8"))?.groups
    ?.query;
  if (query === undefined) {
    throw new Error(`${PAGE} has no command with query=… and REQUEST_ID`);
  }
  return query.replace("REQUEST_ID", id);
}

interface Counts {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly k8s_container_name: string };
      readonly value: readonly [number, string];
    }[];
  };
}

function documentedHeaders(): Record<string, string> {
  const { name, value } = /curl -sG -H '(?<name>[\w-]+): (?<value>\w+)'/.exec(readFileSync(PAGE, "utf8"))?.groups ?? {};
  if (name === undefined || value === undefined) {
    throw new Error(`${PAGE} has no curl with a header`);
  }
  return { [name]: value };
}

export interface LogLine {
  readonly stream: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly stream: LogLine["stream"];
      readonly values: readonly (readonly [string, string])[];
    }[];
  };
}

async function asked<T>(loki: string, call: string, parameters: Readonly<Record<string, string>>): Promise<T> {
  const url = new URL(`/loki/api/v1/${call}`, loki);
  url.search = new URLSearchParams(parameters).toString();
  const answer = await fetch(url, { headers: documentedHeaders() });
  if (!answer.ok) {
    throw new Error(`Loki answers ${answer.status}: ${await answer.text()}`);
  }
  return (await answer.json()) as T;
}

/** What Loki answers to the documented request. */
export async function linesIn(loki: string, query: string): Promise<LogLine[]> {
  const { data } = await asked<Answer>(loki, "query_range", { since: "24h", query });
  return data.result.flatMap(({ stream, values }) => values.map(([, text]) => ({ stream, text })));
}

/** How many lines Loki has of each container, by its name. @param selector of streams and lines */
export async function countsIn(loki: string, selector: string): Promise<Readonly<Record<string, number>>> {
  const query = `sum by (k8s_container_name) (count_over_time(${selector} [24h]))`;
  const { data } = await asked<Counts>(loki, "query", { query });
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.k8s_container_name, Number(value[1])]));
}
