import { connect } from "node:net";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";

/** What vLLM would read. */
export interface Echo {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A middleware of vLLM's API server in the server that vLLM runs it in (uvicorn). */
export class EchoServer {
  private constructor(
    readonly url: string,
    private readonly program: Program,
  ) {}

  /** @param middleware module and class, as `--middleware` takes them. */
  static async start(
    middleware: string,
    folder: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<EchoServer> {
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const program = new Program(
      requirePart("ray-python"),
      [join(repositoryRoot(), "test/e2e/cache-salt/echo.py"), String(port), middleware],
      join(folder, "log"),
      {
        env: {
          PYTHONPATH: join(repositoryRoot(), "components/serving/scripts"),
          PYTHONDONTWRITEBYTECODE: "1",
          ...env,
        },
        folder,
      },
    );
    await program.ready(async () => ((await fetch(url).catch(() => undefined))?.ok ? true : undefined), 60);
    return new EchoServer(url, program);
  }

  ask(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  /** The first line of the answer to a WebSocket's handshake. */
  upgrade(path: string, consumer = ""): Promise<string> {
    const { hostname, port, host } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: Upgrade", "Upgrade: websocket"];
        const keys = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];
        socket.write([...head, ...keys, `X-Consumer-Id: ${consumer}`, "", ""].join("\r\n"));
      });
      socket.once("data", (data) => {
        resolve(data.toString().split("\r\n")[0] ?? "");
        socket.destroy();
      });
      socket.once("error", reject);
    });
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }
}
