/**
 * Registers a node with its server group's registrar, renews and deregisters it: `node
 * registration.ts`, a sidecar (docs/nodes.md, "Registrar").
 *
 * Errors never end the process, which would make the pod unready. SIGUSR2, from the preStop hook,
 * starts draining; SIGTERM comes after serving.
 *
 * Runs unmodified in the sidecar (Node 24 strips the types).
 */
import { createServer, get, type Server } from "node:http";
import { isIPv6 } from "node:net";
import { Membership, type Standing } from "./membership.ts";
import { callRegistrar, codeOf, withDeadline } from "./registrar.ts";

export interface RegistrationSettings {
  /** Base URL of the registrar, without trailing slash. */
  readonly registrar: string;
  readonly group: string;
  /** Value of clients' `model` field. */
  readonly model: string;
  readonly engine: string;
  readonly renewSeconds: number;
  readonly port: number;
  readonly health: string;
  readonly infer: string;
  /** Port of `/metrics`. */
  readonly metricsPort: number;
  /** File with the bearer token. @default none */
  readonly keyFile?: string;
  /** PEM file with the registrar's CA certificates. @default those of the image */
  readonly authoritiesFile?: string;
}

export interface NodeIdentity {
  /** Pod name. */
  readonly name: string;
  readonly address: string;
}

/** Registration body of a node, without `ttlSeconds`. */
export function nodeRecord({ group, model, engine, port, health, infer }: RegistrationSettings, node: NodeIdentity) {
  const host = isIPv6(node.address) ? `[${node.address}]` : node.address;
  return { group, node: node.name, address: `http://${host}:${port}`, health, infer, model, engine };
}

export function nodeUrl({ registrar, group }: RegistrationSettings, { name }: NodeIdentity): string {
  return `${registrar}/groups/${encodeURIComponent(group)}/nodes/${encodeURIComponent(name)}`;
}

const HEALTH_DEADLINE_MS = 5_000;

/** Whether the node's own `/health` succeeds. Never throws. */
export function isWell(url: string, signal: AbortSignal): Promise<boolean> {
  return withDeadline(HEALTH_DEADLINE_MS, signal, (deadline) => answersOk(url, deadline));
}

function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = get(url, { agent: false, signal });
    outgoing.once("response", ({ statusCode }) => {
      resolve(statusCode === 200);
      outgoing.destroy();
    });
    outgoing.on("error", () => resolve(false));
    outgoing.once("close", () => resolve(false));
  });
}

interface Series {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

/** Metrics in Prometheus format; the scraper adds pod, model and group. */
export function metricsText({ registered, wanted, lastSuccess, renewals, failures }: Standing): string {
  const series: readonly Series[] = [
    {
      name: "inference_node_registered",
      type: "gauge",
      help: "1 while the registrar has the node, as far as it last said.",
      samples: [["", Number(registered)]],
    },
    {
      name: "inference_node_registration_wanted",
      type: "gauge",
      help: "1 while the node is well and stays, so that the registrar should have it.",
      samples: [["", Number(wanted)]],
    },
    {
      name: "inference_node_registration_last_success_timestamp_seconds",
      type: "gauge",
      help: "When the registrar last took the node, Unix time; 0 before the first.",
      samples: [["", lastSuccess]],
    },
    {
      name: "inference_node_registration_renewals_total",
      type: "counter",
      help: "How often the registrar took the node.",
      samples: [["", renewals]],
    },
    {
      name: "inference_node_registration_failures_total",
      type: "counter",
      help: "Calls to the registrar that failed, by kind.",
      samples: Object.entries(failures).map(([kind, count]) => [`{kind="${kind}"}`, count]),
    },
  ];
  return series
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

/** Serves only `GET /metrics`, with limited connections and time. */
export function metricsServer(text: () => string): Server {
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 8192 },
    (request, response) => {
      const known = request.method === "GET" && request.url === "/metrics";
      response.writeHead(known ? 200 : 404, {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        connection: "close",
      });
      response.end(known ? text() : "");
    },
  );
  server.maxConnections = 16;
  server.timeout = 10_000;
  return server;
}

/** One JSON line per state change. */
function log(line: Readonly<Record<string, string | undefined>>): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), ...line }));
}

/** @returns after the node was stopped and deregistration succeeded or failed. */
async function main(settings: RegistrationSettings, node: NodeIdentity): Promise<void> {
  const { group, port, health, renewSeconds, metricsPort, keyFile, authoritiesFile } = settings;
  const membership = new Membership({
    url: nodeUrl(settings, node),
    record: nodeRecord(settings, node),
    renewSeconds,
    call: (call) => callRegistrar({ ...call, keyFile, authoritiesFile }),
    healthy: (signal) => isWell(`http://127.0.0.1:${port}${health}`, signal),
    changed: (state, reason) => log({ group, node: node.name, state, reason }),
  });
  metricsServer(() => metricsText(membership.standing()))
    .on("error", (error) => log({ group, node: node.name, error: `metrics: ${codeOf(error)}` }))
    .listen(metricsPort);
  process.on("SIGUSR2", () => void membership.leave());
  process.once("SIGTERM", () => void membership.leave().finally(() => process.exit(0)));
  await membership.run();
}

if (process.env.RUN === "registration") {
  // An unread line is a stream error. The handler below would log it and loop (Node 24.21).
  process.stdout.on("error", () => undefined);
  process.on("uncaughtException", (error) => log({ error: `unexpected: ${codeOf(error)}` }));
  void main(JSON.parse(process.env.REGISTRATION ?? "{}") as RegistrationSettings, {
    name: process.env.POD_NAME ?? "",
    address: process.env.POD_IP ?? "",
  });
}
