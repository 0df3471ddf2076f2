import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";
import { Administrator } from "./administrator";
import { type Changes, ContainerFolder } from "./container-folder";
import type { RenderedContainer, RenderedPlatform } from "./platform";
import { ScriptProcess } from "./script-process";

/** A script that was started, and the folders that its container mounts. */
export interface StartedScript {
  readonly container: ContainerFolder;
  readonly process: ScriptProcess;
}

/** A real MinIO that runs as the platform renders it but on a loopback port, with the platform's bucket and users. */
export class TestStore {
  private readonly scripts: ScriptProcess[] = [];

  private constructor(
    private readonly server: ServerProcess,
    private readonly url: string,
    private readonly folder: string,
    readonly administrator: Administrator,
  ) {}

  /** @param authority certificate of the authority that signed the server's; PEM. */
  static async start(platform: RenderedPlatform, bucket: string, authority: string): Promise<TestStore> {
    const [port = 0] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const { command, env } = new ContainerFolder(platform.server(), folder);
    const administrator = new Administrator(url, authority, {
      accessKeyId: readFileSync(env.MINIO_ROOT_USER_FILE ?? "", "utf8"),
      secretAccessKey: readFileSync(env.MINIO_ROOT_PASSWORD_FILE ?? "", "utf8"),
      region: "us-east-1",
    });
    const server = await ServerProcess.start(() => ({
      command: requirePart("minio"),
      args: command.map((word) => word.replace(/^:\d+$/, `127.0.0.1:${port}`)),
      env,
      ready: () => administrator.isReady(),
    }));
    const store = new TestStore(server, url, folder, administrator);
    await administrator.createBucket(bucket);
    for (const [user, { secretKey, policy }] of platform.users()) {
      await administrator.addUser(user, secretKey, policy);
    }
    return store;
  }

  /** Starts a container's script with this store as its endpoint. */
  script(rendered: RenderedContainer, { env, files }: Changes = {}): StartedScript {
    const container = new ContainerFolder(rendered, this.folder, {
      env: { AWS_ENDPOINT_URL: this.url, ...env },
      files,
    });
    const process = new ScriptProcess(container);
    this.scripts.push(process);
    return { container, process };
  }

  /** What the server and every script printed until now. */
  output(): string {
    return [this.server.output(), ...this.scripts.map(({ output }) => output)].join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.scripts.map((script) => script.kill()));
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
