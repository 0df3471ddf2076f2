/** A real Envoy with the configuration of an inference node: only ports and the name of the admin socket are this machine's. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENVOY_ARGUMENTS } from "../../../components/node/envoy-arguments";
import { type NodeConfigArgs, nodeConfig } from "../../../components/node/envoy-config";
import { NODE_METRICS_PATH, NODE_PORTS } from "../../../components/node/ports";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";

export interface RealNode {
  /** Of `/health` and `/infer`. */
  readonly url: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly process: ServerProcess;
  /** The access log's lines until now that are whole. */
  log(): Record<string, unknown>[];
  stop(): Promise<void>;
}

/**
 * @param args as the pod's; `enginePort` is where the engine listens on loopback.
 * @param admin path of the admin interface's socket. @default a name of this node's own without a file, as in a pod: they are one list for all that runs
 * on this machine
 */
export async function startNode(
  args: NodeConfigArgs & { readonly enginePort: number },
  admin = `@node-${randomUUID()}`,
): Promise<RealNode> {
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const config = onThisMachine(nodeConfig(args), port, metricsPort, admin);
  const process = await ServerProcess.start((folder) => {
    const path = join(folder, "envoy.json");
    writeFileSync(path, JSON.stringify(config));
    return {
      command: requirePart("envoy"),
      args: ["--config-path", path, ...ENVOY_ARGUMENTS],
      ready: async () => (await fetch(`http://127.0.0.1:${metricsPort}${NODE_METRICS_PATH}`)).status === 200,
    };
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    metricsPort,
    process,
    log: () => logOf(process.output()),
    stop: () => process.stop(),
  };
}

/** Replaces the pod's ports and the admin socket, wherever they stand. */
function onThisMachine(config: object, port: number, metricsPort: number, admin: string): object {
  const ports = new Map<unknown, number>([
    [NODE_PORTS.http, port],
    [NODE_PORTS.metrics, metricsPort],
  ]);
  return JSON.parse(JSON.stringify(config), (key, value) => {
    if (key === "port_value") {
      return ports.get(value) ?? value;
    }
    return key === "path" && typeof value === "string" && value.startsWith("@") ? admin : value;
  }) as object;
}

function logOf(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
}
