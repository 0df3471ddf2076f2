/** The sidecar that registers a node, as its pod has it: command, variables and files are rendered; addresses are this machine's. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { RegistrationSettings } from "../../../components/node/scripts/registration.ts";
import { allOf, NODE_PROXY, NODE_REGISTRATION } from "../../../planner/sidecars";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Container, container, deployServing, literals, podTemplate } from "../../components/serving/fixture";
import { modelPlan } from "../../harness/plans";
import { ContainerFolder } from "../model-store/container-folder";
import { ScriptProcess } from "../model-store/script-process";
import type { RealNode } from "./real-node";

export const KEY = "sk-registrar-0123456789";
const GROUP = "inference-cluster";
const POD = "model-llama-8b-0";
/** So that a test need not wait: three of them are what a registration lives. */
export const RENEW_SECONDS = 1;

export const NODE_MODEL = { engine: "vllm", servedName: "llama-3.1-8b-instruct", task: "chat" } as const;

/** Where the registrar has the node. */
export const NODE_PATH = `/api/groups/${GROUP}/nodes/${POD}`;

export interface Registrar {
  readonly url: string;
  /** PEM of the authority that signed its certificate. @default none */
  readonly authority?: string;
}

interface LogLine {
  readonly state?: string;
  readonly reason?: string;
  readonly [field: string]: unknown;
}

export class RegisteredNode {
  private constructor(
    readonly process: ScriptProcess,
    readonly metricsUrl: string,
    private readonly hook: readonly string[],
    private readonly folder: string,
  ) {}

  /** @param node says by its `/health` whether it is well. */
  static async start({ url, authority }: Registrar, node: Pick<RealNode, "port">): Promise<RegisteredNode> {
    const { sidecar, files } = await rendered({ url, ...(authority && { authority }) });
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const [metricsPort = 0] = await freePorts(1);
    const mounts = sidecar.volumeMounts.map(({ name, mountPath }) => ({ path: mountPath, files: files(name) }));
    const env = literals(sidecar);
    const here = new ContainerFolder(
      { command: sidecar.command ?? [], env, mounts, liveness: undefined, preStop: [] },
      folder,
    );
    const settings = JSON.parse(env.REGISTRATION ?? "") as RegistrationSettings;
    const { keyFile, authoritiesFile } = settings;
    const process = new ScriptProcess({
      command: here.command,
      env: {
        ...here.env,
        POD_NAME: POD,
        POD_IP: "127.0.0.1",
        REGISTRATION: JSON.stringify({
          ...settings,
          port: node.port,
          metricsPort,
          ...(keyFile && { keyFile: here.here(keyFile) }),
          ...(authoritiesFile && { authoritiesFile: here.here(authoritiesFile) }),
        }),
      },
    });
    const { preStop } = sidecar.lifecycle as { preStop: { exec: { command: string[] } } };
    return new RegisteredNode(process, `http://127.0.0.1:${metricsPort}/metrics`, preStop.exec.command, folder);
  }

  /** Its lines, all of which are JSON. */
  log(): LogLine[] {
    return this.process.output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LogLine);
  }

  states(): (string | undefined)[] {
    return this.log().map(({ state }) => state);
  }

  async becomes(state: string, seconds = 30): Promise<LogLine> {
    return waitFor(
      `the node to be ${state}`,
      async () => {
        const last = this.log().at(-1);
        return last?.state === state ? last : undefined;
      },
      seconds,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; its log:\n${this.process.output}`);
    });
  }

  /** A series' value; of all of them, in words of the exposition. */
  async series(name: string): Promise<number> {
    const text = await (await fetch(this.metricsUrl)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    if (line === undefined) {
      throw new Error(`no series ${name} in:\n${text}`);
    }
    return Number(line.slice(name.length));
  }

  /** What the kubelet runs first when the pod is told to end. */
  preStop(): void {
    const signal = /^kill -(\w+) 1$/.exec(this.hook.at(-1) ?? "")?.[1];
    if (signal === undefined) {
      throw new Error(`the hook is ${this.hook.join(" ")}`);
    }
    this.process.signal(`SIG${signal}` as NodeJS.Signals);
  }

  async stop(): Promise<void> {
    await this.process.kill();
    rmSync(this.folder, { recursive: true });
  }
}

/** The container of a planned node, and the files of its volumes. */
async function rendered({ url, authority }: Registrar) {
  const registrar = {
    url,
    renewSeconds: RENEW_SECONDS,
    secretKey: "registrarApiKey",
    ...(authority && { authorities: { file: "office.pem", text: authority } }),
  };
  const model = modelPlan({
    node: { group: GROUP, registrar },
    sidecars: allOf([NODE_PROXY, NODE_REGISTRATION]),
  });
  const { deployment } = await deployServing([model], { apiKeys: { registrarApiKey: pulumi.secret(KEY) } });
  const { spec } = podTemplate(
    deployment.resource("kubernetes:apps/v1:Deployment", `serving-${model.name}-server-deployment`),
  );
  const sidecar: Container = container(spec, "registration");
  const files = (volume: string) => {
    const source = spec.volumes.find(({ name }) => name === volume) as
      | { configMap?: { name: string }; secret?: { secretName: string } }
      | undefined;
    const [type, name] = source?.configMap
      ? ["kubernetes:core/v1:ConfigMap", source.configMap.name]
      : ["kubernetes:core/v1:Secret", source?.secret?.secretName];
    const made = deployment.ofType(type).find(({ inputs }) => (inputs.metadata as { name: string }).name === name);
    return (made?.inputs.data ?? made?.inputs.stringData) as Readonly<Record<string, string>>;
  };
  return { sidecar, files };
}
