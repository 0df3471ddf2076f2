/** Series that a test sets, and a real Prometheus that reads them as it reads those of engines and gateways. */
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
   * What Prometheus reads, and the labels that it gives to what it finds there, and to `up`, unless a series says something else of
   * itself. @default one target without labels, named "engine"
   */
  readonly targets?: Readonly<Record<string, Labels>>;
  /** How often it reads. @default 1 */
  readonly scrapeSeconds?: number;
  /** Groups of rules, as a PrometheusRule has them. @default none */
  readonly groups?: readonly object[];
  /** How often it computes rules. @default as often as it reads */
  readonly evaluationSeconds?: number;
}

/** Prometheus looks five seconds for targets before it reads the first. */
const START_SECONDS = 60;

/** What a series is called with these labels: `name{label="value"}`. */
function seriesOf(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(",")}}`;
}

/** An exporter and a Prometheus that end with the control plane. */
export class MetricsReplay {
  /** Series of each target, by what they are called, with their values. */
  private readonly series = new Map<string, Map<string, number>>();
  private readonly down = new Set<string>();

  private constructor(
    /** Where Prometheus answers queries. */
    readonly url: string,
    private readonly prometheus: Program,
    private readonly exporter: Server,
    targets: readonly string[],
  ) {
    for (const target of targets) {
      this.series.set(target, new Map());
    }
  }

  /** @throws Error with the log of a Prometheus that does not start; Error that names the command which installs it. */
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

  /** Sets a series, which Prometheus has with its next reading. */
  set(target: string, name: string, value: number, labels: Labels = {}): void {
    this.of(target).set(seriesOf(name, labels), value);
  }

  /** Takes all series of a target away, as a process does that ends: Prometheus knows from its next reading on that they are gone. */
  clear(target: string): void {
    this.of(target).clear();
  }

  /** Has a target answer with errors, or answer again: its `up` is 0 or 1 then. */
  setUp(target: string, isUp: boolean): void {
    this.of(target);
    if (isUp) {
      this.down.delete(target);
    } else {
      this.down.add(target);
    }
  }

  /** Values of what a query finds, with their labels. */
  async query(query: string): Promise<readonly { readonly labels: Labels; readonly value: number }[]> {
    const response = await fetch(`${this.url}/api/v1/query?${new URLSearchParams({ query })}`);
    const { status, error, data } = (await response.json()) as QueryAnswer;
    if (status !== "success") {
      throw new Error(`${query}: ${error}`);
    }
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
  }

  /** Ends Prometheus as a lost node does. */
  async stopPrometheus(): Promise<void> {
    await this.prometheus.stop();
  }

  /** Starts Prometheus again on its data. */
  async restartPrometheus(): Promise<void> {
    this.prometheus.restart();
    await this.reading();
  }

  /** Ends the exporter; Prometheus ends with the control plane. */
  stop(): void {
    this.exporter.closeAllConnections();
    this.exporter.close();
  }

  /** Waits until Prometheus has read every target once since it started. */
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

  /** What a target answers with; undefined: an error. */
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

/** Prometheus's configuration: JSON is YAML too. */
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
      // A series keeps the pod and namespace that it names.
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
