/** Simulated metrics, scraped by a real Prometheus like those of engines and gateways. */
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { requirePart } from "../parts/find";
import type { ControlPlane } from "./control-plane";
import type { Program } from "./lifeline";
import { freePorts } from "./ports";

export type Labels = Readonly<Record<string, string>>;

export interface ReplayOptions {
  /**
   * Scrape targets with labels, also for `up`; labels of series take precedence.
   * @default one target "engine" without labels
   */
  readonly targets?: Readonly<Record<string, Labels>>;
  /** Scrape interval. @default 1 */
  readonly scrapeSeconds?: number;
  /** Rule groups in PrometheusRule format. @default none */
  readonly groups?: readonly object[];
  /** Evaluation interval. @default the scrape interval */
  readonly evaluationSeconds?: number;
}

/** Prometheus discovers targets for five seconds before its first scrape. */
const START_SECONDS = 60;

/** Formatted series: `name{label="value"}`. */
function seriesOf(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(",")}}`;
}

/** Exporter and Prometheus that end with the control plane. */
export class MetricsReplay {
  /** Values of each target by formatted series. */
  private readonly series = new Map<string, Map<string, number>>();
  private readonly down = new Set<string>();

  private constructor(
    /** URL of Prometheus' query API. */
    readonly url: string,
    private readonly prometheus: Program,
    private readonly exporter: Server,
    targets: readonly string[],
  ) {
    for (const target of targets) {
      this.series.set(target, new Map());
    }
  }

  /**
   * @throws Error with the log of a Prometheus that fails to start; Error with the install command.
   */
  static async start(plane: ControlPlane, options: ReplayOptions = {}): Promise<MetricsReplay> {
    const { targets = { engine: {} } } = options;
    const [port = 0] = await freePorts(1);
    let replay: MetricsReplay | undefined;
    const exporter = createServer(({ url = "" }, response) => {
      const text = replay?.exposition(url.slice(1));
      response.writeHead(text === undefined ? 503 : 200, { "Content-Type": "text/plain; version=0.0.4" });
      response.end(text);
    });
    const exporterPort = await listen(exporter);
    const config = join(plane.folder, "prometheus.json");
    writeFileSync(config, JSON.stringify(settings(plane, exporterPort, options)));
    const prometheus = plane.run(
      requirePart("prometheus"),
      [
        `--config.file=${config}`,
        `--web.listen-address=127.0.0.1:${port}`,
        `--storage.tsdb.path=${join(plane.folder, "prometheus")}`,
        "--log.level=warn",
      ],
      {},
      { restarts: true },
    );
    const url = `http://127.0.0.1:${port}`;
    replay = new MetricsReplay(url, prometheus, exporter, Object.keys(targets));
    await replay.reading();
    return replay;
  }

  /** Sets a series for the next scrape. */
  set(target: string, name: string, value: number, labels: Labels = {}): void {
    this.of(target).set(seriesOf(name, labels), value);
  }

  /** Removes a target's series, as when its process ends. */
  clear(target: string): void {
    this.of(target).clear();
  }

  /** Makes a target fail or recover: sets `up` to 0 or 1. */
  setUp(target: string, isUp: boolean): void {
    this.of(target);
    if (isUp) {
      this.down.delete(target);
    } else {
      this.down.add(target);
    }
  }

  async query(query: string): Promise<readonly { readonly labels: Labels; readonly value: number }[]> {
    const response = await fetch(`${this.url}/api/v1/query?${new URLSearchParams({ query })}`);
    const { status, error, data } = (await response.json()) as QueryAnswer;
    if (status !== "success") {
      throw new Error(`${query}: ${error}`);
    }
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
  }

  /** Stops Prometheus, as a lost node. */
  async stopPrometheus(): Promise<void> {
    await this.prometheus.stop();
  }

  async restartPrometheus(): Promise<void> {
    this.prometheus.restart();
    await this.reading();
  }

  /** Stops the exporter; Prometheus ends with the control plane. */
  stop(): void {
    this.exporter.closeAllConnections();
    this.exporter.close();
  }

  /** Waits until each target was scraped since the start. */
  private async reading(): Promise<void> {
    const since = Date.now() / 1000;
    await this.prometheus.ready(async () => {
      const found = await this.query("timestamp(up)");
      return found.filter(({ value }) => value >= since).length === this.series.size ? true : undefined;
    }, START_SECONDS);
  }

  private of(target: string): Map<string, number> {
    const series = this.series.get(target);
    if (series === undefined) {
      throw new Error(`no target ${target}; there are: ${[...this.series.keys()].join(", ")}`);
    }
    return series;
  }

  /** Response of a target; undefined: an error. */
  private exposition(target: string): string | undefined {
    const series = this.series.get(target);
    if (series === undefined || this.down.has(target)) {
      return undefined;
    }
    return [...series].map(([name, value]) => `${name} ${value}\n`).join("");
  }
}

interface QueryAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly { readonly metric: Labels; readonly value: readonly [number, string] }[] };
}

/** Prometheus configuration in JSON, which is valid YAML. */
function settings(
  plane: ControlPlane,
  exporterPort: number,
  { targets = { engine: {} }, scrapeSeconds = 1, evaluationSeconds = scrapeSeconds, groups = [] }: ReplayOptions,
): object {
  const rules = join(plane.folder, "rules.json");
  writeFileSync(rules, JSON.stringify({ groups }));
  return {
    global: {
      scrape_interval: `${scrapeSeconds}s`,
      scrape_timeout: `${scrapeSeconds}s`,
      evaluation_interval: `${evaluationSeconds}s`,
    },
    rule_files: [rules],
    scrape_configs: Object.entries(targets).map(([target, labels]) => ({
      job_name: target,
      metrics_path: `/${target}`,
      // Keeps pod and namespace labels of series.
      honor_labels: true,
      static_configs: [{ targets: [`127.0.0.1:${exporterPort}`], labels }],
    })),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("the exporter has no port");
  }
  return address.port;
}
