import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { LoaderJob } from "../../../components/serving/scripts/model-loader";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { type Container, container, literals, type PodSpec } from "../../components/serving/fixture";
import { type Ollama, startOllama } from "../model-control/registry";
import { ScriptProcess } from "../model-store/script-process";

const PROBE_MILLISECONDS = 250;

/** Where containers of the pod find what here is elsewhere: of each the port, of the server its folders too. */
const REPLACED = ["HOME", "OLLAMA_HOST", "OLLAMA_MODELS"];

/**
 * An Ollama pod as its kubelet runs it: the loader restarts whenever it ends, and the pod's Ready condition follows the
 * loader's probe. Its programs are the pod's own, on free ports of this machine.
 */
export class ReplicaPod {
  private stopped = false;
  private loader: ScriptProcess | undefined;
  private readonly work: Promise<unknown>;

  private constructor(
    private readonly client: ApiClient,
    private readonly pod: KubernetesObject,
    private readonly ollama: Ollama,
    private readonly folder: string,
    command: readonly string[],
    env: Readonly<Record<string, string>>,
    readyPort: number,
  ) {
    this.work = Promise.all([this.runLoader(command, env), this.probe(readyPort)]);
  }

  /** @param authority PEM file of who signed the registry's certificate. */
  static async start(client: ApiClient, pod: KubernetesObject, authority: string): Promise<ReplicaPod> {
    const spec = pod.spec as PodSpec;
    const settings = Object.entries(literals(container(spec, "ollama"))).filter(([name]) => !REPLACED.includes(name));
    const ollama = await startOllama({ ...Object.fromEntries(settings), SSL_CERT_FILE: authority });
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const loader = container(spec, "loader");
    const command = await mounted(client, pod, loader, folder);
    const env = literals(loader);
    const [readyPort = 0] = await freePorts(1);
    const job: LoaderJob = { ...(JSON.parse(env.MODEL_LOADER ?? "") as LoaderJob), server: ollama.url, readyPort };
    const changed = { ...env, MODEL_LOADER: JSON.stringify(job) };
    return new ReplicaPod(client, pod, ollama, folder, command, changed, readyPort);
  }

  get url(): string {
    return this.ollama.url;
  }

  /** Folder in which Ollama keeps its models. */
  get volume(): string {
    return this.ollama.process.folder;
  }

  /** What Ollama printed until now. */
  get serverOutput(): string {
    return this.ollama.process.output();
  }

  killServer(): Promise<void> {
    return this.ollama.process.kill();
  }

  startServer(): Promise<void> {
    return this.ollama.process.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.loader?.kill();
    await this.work;
    await this.ollama.stop();
    rmSync(this.folder, { recursive: true });
  }

  private async runLoader(command: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
    while (!this.stopped) {
      this.loader = new ScriptProcess({ command, env });
      await this.loader.ended;
      await pause();
    }
  }

  private async probe(readyPort: number): Promise<void> {
    let told: boolean | undefined;
    while (!this.stopped) {
      const ready = await isOpen(readyPort);
      if (ready !== told) {
        await this.tell(ready);
      }
      told = ready;
      await pause();
    }
  }

  private async tell(ready: boolean): Promise<void> {
    const { name, namespace } = this.pod.metadata;
    const status = {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: new Date().toISOString() }],
    };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const body = JSON.stringify({ status });
    const answer = await this.client.request("PATCH", path, body, "application/merge-patch+json");
    if (answer.status !== 200) {
      throw new Error(JSON.stringify(answer.body));
    }
  }
}

/** The container's command, with the files of its ConfigMap in a folder. */
async function mounted(
  client: ApiClient,
  { metadata: { namespace }, spec }: KubernetesObject,
  { command = [], volumeMounts }: Container,
  folder: string,
): Promise<string[]> {
  const mount = volumeMounts.find(({ mountPath }) => command[1]?.startsWith(`${mountPath}/`));
  const volume = (spec as PodSpec).volumes.find(({ name }) => name === mount?.name);
  const { name } = (volume?.configMap ?? {}) as { readonly name?: string };
  if (name === undefined) {
    throw new Error(`no ConfigMap holds ${command[1]}`);
  }
  const map = await client.get({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } });
  const { data = {} } = map as unknown as { readonly data?: Readonly<Record<string, string>> };
  for (const [file, text] of Object.entries(data)) {
    writeFileSync(join(folder, file), text);
  }
  return command.map((word) => (word.startsWith(`${mount?.mountPath}/`) ? join(folder, basename(word)) : word));
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PROBE_MILLISECONDS));
}
