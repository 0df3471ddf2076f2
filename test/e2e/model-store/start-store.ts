import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";
import { Administrator } from "./administrator";
import { type Changes, ContainerFolder } from "./container-folder";
import type { RenderedContainer, RenderedPlatform } from "./platform";
import { ScriptProcess } from "./script-process";

/** A real MinIO that runs as the platform renders it but on a loopback port, with the platform's bucket and users. */
export class TestStore {
  private readonly scripts: ScriptProcess[] = [];

  private constructor(
    private readonly server: ServerProcess,
    private readonly url: string,
    readonly administrator: Administrator,
  ) {}

  /** @param authority certificate of the authority that signed the server's; PEM. */
  static async start(platform: RenderedPlatform, bucket: string, authority: string): Promise<TestStore> {
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
    try {
      await administrator.createBucket(bucket);
      for (const [user, { secretKey, policy }] of platform.users()) {
        await administrator.addUser(user, secretKey, policy);
      }
      return new TestStore(server, url, administrator);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** A container that has this store as its endpoint. */
  container(rendered: RenderedContainer, { env, files }: Changes = {}): ContainerFolder {
    return new ContainerFolder(rendered, this.server.folder, { env: { AWS_ENDPOINT_URL: this.url, ...env }, files });
  }

  /** Starts a container's script; again, as the kubelet restarts a container: with what is in its volumes by now. */
  start(container: ContainerFolder): ScriptProcess {
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
