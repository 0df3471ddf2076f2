import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { Registry } from "../../../charts/registry";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { digestOf, type FakeRegistry } from "../../bundle/registry";

/** crane's own registry on a port of this machine, in memory. */
export class LocalRegistry {
  private constructor(
    private readonly process: ChildProcess,
    readonly host: string,
  ) {}

  static async start(): Promise<LocalRegistry> {
    const [port] = await freePorts(1);
    const host = `127.0.0.1:${port}`;
    const child = spawn(requirePart("crane"), ["registry", "serve", "--address", host], { stdio: "ignore" });
    const registry = new LocalRegistry(child, host);
    for (let attempt = 0; attempt < 100; attempt++) {
      const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
      if (answer?.ok) {
        return registry;
      }
      await pause(100);
    }
    registry.stop();
    throw new Error("crane registry serve does not answer");
  }

  stop(): void {
    this.process.kill();
  }

  /** What is in memory, by its whole name behind this registry's: `docker.io/a/b:1` becomes `<host>/docker.io/a/b:1`. */
  async push({ manifests, blobs }: FakeRegistry): Promise<void> {
    const places = new Set([...manifests.keys()].map((reference) => repositoryOf(reference)));
    for (const place of places) {
      for (const [digest, content] of blobs) {
        await this.send("POST", `${place}/blobs/uploads/?digest=${digest}`, content);
      }
    }
    // By their digests first: an index is taken only with the images that it names.
    const byDigest = [...manifests].sort(([a], [b]) => Number(b.includes("@")) - Number(a.includes("@")));
    const isIndex = (content: Buffer) => content.includes('"manifests"');
    for (const [reference, content] of byDigest.sort(([, a], [, b]) => Number(isIndex(a)) - Number(isIndex(b)))) {
      const place = repositoryOf(reference);
      const name = reference.includes("@") ? digestOf(content) : reference.slice(place.length + 1);
      const { mediaType = "application/vnd.oci.image.manifest.v1+json" } = JSON.parse(content.toString("utf8"));
      await this.send("PUT", `${place}/manifests/${name}`, content, mediaType);
    }
  }

  /** The same client, asked for references of other registries. */
  behind(registry: Registry): Registry {
    return {
      manifest: (reference) => registry.manifest(`${this.host}/${reference}`),
      blob: (repository, digest) => registry.blob(`${this.host}/${repository}`, digest),
    };
  }

  private async send(method: string, path: string, content: Buffer, type = "application/octet-stream"): Promise<void> {
    const body = new Uint8Array(content);
    const answer = await fetch(`http://${this.host}/v2/${path}`, { method, body, headers: { "content-type": type } });
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
  }
}

/** Without tag and digest. */
function repositoryOf(reference: string): string {
  return reference.replace(/@.*$/, "").replace(/:[^/:]+$/, "");
}
