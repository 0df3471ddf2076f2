/** The model control API and its queue as an environment renders them, on this machine. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { ServerProcess } from "./registry/server-process";
import { Api, type ApiBundle } from "./start-api";

const configFile = z
  .object({
    listen: z.unknown(),
    redis: z.object({ passwordFile: z.string() }).loose(),
    registries: z.object({ allowed: z.array(z.string()) }).loose(),
    workers: z.array(z.object({ url: z.string(), scale: z.unknown() }).loose()),
    inference: z.object({ keyFile: z.string() }).loose(),
  })
  .loose();

export const keyFile = z.object({ keys: z.array(z.object({ id: z.string(), key: z.string() })) });

/** Where it runs here instead. */
export interface Surroundings {
  /** Of all workers. */
  readonly engineUrl: string;
  /** A registry without TLS, allowed beside those that the environment allows. */
  readonly registry: string;
}

/** One replica of the API with its rendered configuration, tokens and keys, and Redis with the rendered settings of Valkey. */
export class RenderedControl {
  private constructor(
    readonly api: Api,
    readonly redis: { readonly url: string; readonly process: ServerProcess },
    private readonly folder: string,
    private readonly deployment: Deployment,
  ) {}

  static async start(
    bundle: ApiBundle,
    deployment: Deployment,
    { engineUrl, registry }: Surroundings,
  ): Promise<RenderedControl> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const redis = await startQueue(deployment);
    const { listen: _, ...config } = configFile.parse(
      JSON.parse(configMap(deployment, "model-control")["config.json"] ?? ""),
    );
    const api = await Api.start(bundle, {
      ...config,
      redis: { url: redis.url, passwordFile: file("password", secretOf(deployment, "valkey").password ?? "") },
      tokensFile: file("tokens.json", secretOf(deployment, "api-tokens")["tokens.json"] ?? ""),
      registries: { ...config.registries, insecure: [registry] },
      workers: config.workers.map(({ scale: _scale, ...worker }) => ({ ...worker, url: engineUrl })),
      inference: { ...config.inference, keyFile: file("keys.json", JSON.stringify(keysOf(deployment))) },
    });
    await api.process.waitForOutput(/the task queue is connected/, 20);
    return new RenderedControl(api, redis, folder, deployment);
  }

  /** What a token's Secret holds. */
  token(owner: string): string {
    return secretOf(this.deployment, `token-${owner}`).token ?? "";
  }

  /** Of Valkey. */
  password(): string {
    return secretOf(this.deployment, "valkey").password ?? "";
  }

  /** What the API has in its file. */
  keys(): z.output<typeof keyFile>["keys"] {
    return keyFile.parse(JSON.parse(readFileSync(join(this.folder, "keys.json"), "utf8"))).keys;
  }

  /** As the kubelet does when the Secret has changed. @param use has the API need a key: it looks for new ones then. */
  async replaceKeys(keys: z.output<typeof keyFile>, use: () => Promise<unknown>): Promise<void> {
    const seen = () => this.api.process.output().match(/keys read again/g)?.length ?? 0;
    const before = seen();
    writeFileSync(join(this.folder, "keys.json"), JSON.stringify(keys));
    await waitFor(
      "the API to read its keys",
      async () => {
        await use();
        return seen() > before || undefined;
      },
      20,
    );
  }

  async stop(): Promise<void> {
    await this.api.process.stop();
    await this.redis.process.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The rendered file, with what the real provider of random values makes: so many letters and digits. */
export function keysOf(deployment: Deployment): z.output<typeof keyFile> {
  const { keys } = keyFile.parse(JSON.parse(secretOf(deployment, "inference-keys")["keys.json"] ?? ""));
  return {
    keys: keys.map(({ id }) => {
      const { inputs } = deployment.resource(
        "random:index/randomPassword:RandomPassword",
        `platform-control-keys-${id}`,
      );
      return { id, key: `${lettersAndDigits(z.number().parse(inputs.length))}=` };
    }),
  };
}

export function lettersAndDigits(length: number): string {
  return randomBytes(4 * length)
    .toString("base64")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, length);
}

/** A Redis with the rendered valkey.conf; only port and folder are others. */
async function startQueue(deployment: Deployment) {
  const [port = 0] = await freePorts(1);
  const { password = "" } = secretOf(deployment, "valkey");
  const lines = (configMap(deployment, "valkey")["valkey.conf"] ?? "").split("\n");
  const process = await ServerProcess.start((folder) => {
    const own = lines.filter((line) => !/^(port|dir|include) /.test(line));
    const conf = join(folder, "valkey.conf");
    writeFileSync(
      conf,
      [...own, "bind 127.0.0.1", `port ${port}`, `dir ${folder}`, `requirepass ${password}`].join("\n"),
    );
    return { command: requirePart("redis-server"), args: [conf], ready: async () => true };
  });
  await process.waitForOutput(/Ready to accept connections/, 10);
  return { url: `redis://127.0.0.1:${port}`, process };
}

function configMap(deployment: Deployment, name: string): Record<string, string> {
  return text(find(deployment, "ConfigMap", name).inputs.data);
}

function secretOf(deployment: Deployment, name: string): Record<string, string> {
  return text(find(deployment, "Secret", name).inputs.stringData);
}

function find(deployment: Deployment, kind: string, name: string) {
  const found = deployment.ofType(`kubernetes:core/v1:${kind}`).find((resource) => {
    const metadata = metadataOf(resource);
    return metadata.name === name && metadata.namespace === "model-control";
  });
  if (found === undefined) {
    throw new Error(`no ${kind} model-control/${name} is rendered`);
  }
  return found;
}

function text(data: unknown): Record<string, string> {
  return z.record(z.string(), z.string()).parse(data);
}
