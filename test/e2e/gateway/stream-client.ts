import { connect } from "node:http2";
import { request } from "node:https";
import type { Readable } from "node:stream";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";

export type HttpVersion = "HTTP/1.1" | "HTTP/2";

export interface ChatStreamArgs {
  readonly http: HttpVersion;
  readonly path: string;
  /** Names the answer to the engine. */
  readonly user: string;
  /** Whether the client asks for the usage at the end. */
  readonly usage?: boolean;
  readonly proxy?: GatewayProxy;
}

/** A streamed answer as a client reads it. */
export interface ChatStream {
  readonly status: number;
  /** Calls back with each token, in order, until the answer's end. @throws what a client sees of an answer that is cut. */
  read(onToken: (token: string) => void): Promise<string>;
  /** Closes its connection. */
  leave(): void;
}

/** Asks for a streamed chat on a connection of its own. */
export async function chatStream(
  stand: GatewayStand,
  { http, path, user, usage = false, ...to }: ChatStreamArgs,
): Promise<ChatStream> {
  const proxy = to.proxy ?? stand.proxies[0];
  if (proxy === undefined) {
    throw new Error("the stand has no proxy");
  }
  const options = connectionOptions(proxy, stand);
  const authorization = `Bearer ${await stand.key("default")}`;
  const body = JSON.stringify({
    model: "assistant",
    messages: [{ role: "user", content: "Count." }],
    user,
    stream: true,
    ...(usage && { stream_options: { include_usage: true } }),
  });
  const headers = { authorization, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  if (http === "HTTP/1.1") {
    return new Promise((resolve, reject) => {
      const sent = request(
        { ...options, path, method: "POST", agent: false, headers: { host: stand.hostname, ...headers } },
        (response) => {
          const read = (onToken: (token: string) => void) => readEvents(response, onToken);
          resolve({ status: response.statusCode ?? 0, read, leave: () => sent.destroy() });
        },
      );
      sent.once("error", reject);
      sent.end(body);
    });
  }
  const session = connect(`https://${stand.hostname}`, {
    host: options.host,
    port: options.port,
    servername: options.servername,
    ca: options.ca,
  });
  return new Promise((resolve, reject) => {
    session.once("error", reject);
    const sent = session.request({ ":method": "POST", ":path": path, ":authority": stand.hostname, ...headers });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      const read = async (onToken: (token: string) => void) => {
        const text = await readEvents(sent, onToken).finally(() => session.close());
        if (sent.rstCode !== 0) {
          throw new Error(`the stream was reset: ${sent.rstCode}`);
        }
        return text;
      };
      resolve({ status: Number(answer[":status"]), read, leave: () => session.destroy() });
    });
    sent.end(body);
  });
}

/** @throws Error where the body breaks off. */
async function readEvents(body: Readable, onToken: (token: string) => void): Promise<string> {
  let text = "";
  let seen = 0;
  for await (const chunk of body) {
    text += (chunk as Buffer).toString("utf8");
    const tokens = [...text.matchAll(/"content":"(\d+) "/g)].map(([, token = ""]) => token);
    for (const token of tokens.slice(seen)) {
      onToken(token);
    }
    seen = tokens.length;
  }
  return text;
}
