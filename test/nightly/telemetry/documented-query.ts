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

/** What Loki answers to the documented request. */
export async function linesIn(loki: string, query: string): Promise<LogLine[]> {
  const asked = new URL("/loki/api/v1/query_range", loki);
  asked.search = new URLSearchParams({ since: "24h", query }).toString();
  const answer = await fetch(asked, { headers: documentedHeaders() });
  if (!answer.ok) {
    throw new Error(`Loki answers ${answer.status}: ${await answer.text()}`);
  }
  const { data } = (await answer.json()) as Answer;
  return data.result.flatMap(({ stream, values }) => values.map(([, text]) => ({ stream, text })));
}
