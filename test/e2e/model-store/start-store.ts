import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { StoreKeys } from "../../../components/storage/scripts/credentials.ts";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";
import { Administrator } from "./administrator";
import { type Changes, ContainerFolder } from "./container-folder";
import type { RenderedContainer, RenderedPlatform } from "./platform";
import { type Outcome, ScriptProcess } from "./script-process";

/**
 * A real MinIO that runs as the platform renders it but on a loopback port, with the platform's bucket and users: the
 * provisioning Job's script makes them, with the real mc.
 */
export class TestStore {
  private readonly scripts: ScriptProcess[] = [];

  private constructor(
    private readonly server: ServerProcess,
    /** Of its endpoint, without a slash at its end. */
    readonly url: string,
    /** Certificate of the authority that signed the server's; PEM. */
    readonly authority: string,
    readonly administrator: Administrator,
  ) {}

  /** @param authority certificate of the authority that signed the server's; PEM. */
  static async start(platform: RenderedPlatform, authority: string): Promise<TestStore> {
    const [port = 0] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const administrator = new Administrator(url, authority, platform.rootKeys());
    const server = await ServerProcess.start((folder) => {
      const { command, env } = new ContainerFolder(platform.server(), folder);
      return {
        command: requirePart("minio"),
        args: command.map((word) => word.replace(/^:\d+$/, `127.0.0.1:${port}`)),
        env,
        ready: () => administrator.isReady(),
      };
    });
    const store = new TestStore(server, url, authority, administrator);
    try {
      const { status, output } = await store.provision(platform);
      if (status !== 0) {
        throw new Error(`provisioning ended with status ${status}:\n${output}`);
      }
      return store;
    } catch (error) {
      await store.stop();
      throw error;
    }
  }

  /** Runs the provisioning Job of a platform, which may be another one than the store was started with. */
  provision(platform: RenderedPlatform): Promise<Outcome> {
    const container = new ContainerFolder(platform.provisioning(), this.server.folder, {
      env: { STORE_HOST: new URL(this.url).host, PATH: [this.commands(), process.env.PATH].join(delimiter) },
    });
    return this.start(container).ended;
  }

  /** Runs the real mc as a user; the server is `store`. */
  mc({ accessKeyId, secretAccessKey }: StoreKeys, ...args: readonly string[]): Promise<Outcome> {
    const { host } = new URL(this.url);
    const folder = mkdtempSync(join(this.server.folder, "mc-"));
    writeFileSync(join(folder, "ca.crt"), this.authority);
    const env = {
      MC_HOST_store: `https://${accessKeyId}:${secretAccessKey}@${host}`,
      MC_CONFIG_DIR: folder,
      HOME: folder,
      SSL_CERT_FILE: join(folder, "ca.crt"),
    };
    return this.start({ command: [requirePart("mcli"), ...args], env }).ended;
  }

  /** A folder with the real mc under the name that it has in the image. */
  private commands(): string {
    const folder = join(this.server.folder, "bin");
    if (mkdirSync(folder, { recursive: true }) !== undefined) {
      symlinkSync(requirePart("mcli"), join(folder, "mc"));
    }
    return folder;
  }

  /** A container that has this store as its endpoint. */
  container(rendered: RenderedContainer, { env, files }: Changes = {}): ContainerFolder {
    return new ContainerFolder(rendered, this.server.folder, { env: { AWS_ENDPOINT_URL: this.url, ...env }, files });
  }

  /** Starts a container's script; again, as the kubelet restarts a container: with what is in its volumes by now. */
  start(container: Pick<ContainerFolder, "command" | "env">): ScriptProcess {
    const script = new ScriptProcess(container);
    this.scripts.push(script);
    return script;
  }

  /** What the server and every script printed until now. */
  output(): string {
    return [this.server.output(), ...this.scripts.map(({ output }) => output)].join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.scripts.map((script) => script.kill()));
    await this.server.stop();
  }
}
