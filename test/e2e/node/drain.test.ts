/** A pod that leaves in the middle of an answer, which comes through the node's own Envoy: the engine sees no client but that. */
import { execFile } from "node:child_process";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NODE_PORTS } from "../../../components/node/ports";
import { whileConnected } from "../../../components/serving/drain";
import { ollama } from "../../../engines/ollama";
import { deployNode } from "../../components/node/node-pods";
import { container, preStop } from "../../components/serving/fixture";
import { type RealNode, startNode } from "./real-node";

let engine: Server;
let enginePort: number;
let node: RealNode;
/** The answer that the engine writes until a test ends it. */
const answers: ServerResponse[] = [];

beforeAll(async () => {
  engine = createServer((incoming, response) => {
    incoming.resume();
    if (incoming.url === ollama.health.ready) {
      response.end("{}");
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
    answers.push(response);
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  enginePort = (engine.address() as AddressInfo).port;
  const model = {
    engine: "ollama",
    servedName: "llama-3.2-3b",
    task: "chat",
    node: { group: "inference-cluster" },
  } as const;
  node = await startNode({ model, enginePort });
});

afterAll(async () => {
  await node?.stop();
  engine.closeAllConnections();
  engine.close();
});

/** An address of this machine that is not loopback: to the pod's kernel, the gateway. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.find(({ internal, family }) => !internal && family === "IPv4");
  if (own === undefined) {
    throw new Error("this machine has no address but loopback: run the test where it has a network interface");
  }
  return own.address;
}

function asked(): { readonly first: Promise<void>; readonly whole: Promise<string> } {
  const told: { first: () => void } = { first: () => undefined };
  const first = new Promise<void>((resolve) => {
    told.first = resolve;
  });
  const whole = new Promise<string>((resolve, reject) => {
    const call = request(
      { host: ownAddress(), port: node.port, path: "/infer", method: "POST", agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          told.first();
        });
        response.once("end", () => resolve(text)).once("error", reject);
      },
    );
    call.setHeader("content-type", "application/json");
    call.once("error", reject).end("{}");
  });
  return { first, whole };
}

/** What the pod of a node on Ollama runs before its engine is told to stop, with this machine's ports and without the gateway's seconds. */
async function hook(): Promise<readonly [shell: string, ...words: string[]]> {
  const { node: pod } = await deployNode("Ollama");
  const hexadecimal = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
  const script = preStop(container(pod.spec, "ollama")).replace("/bin/sh -c ", "");
  const here = script
    .replace("sleep 10\n", "")
    .replaceAll(`:${hexadecimal(11434)}`, `:${hexadecimal(enginePort)}`)
    .replaceAll(`:${hexadecimal(NODE_PORTS.http)}`, `:${hexadecimal(node.port)}`);
  expect(here).toContain(`:${hexadecimal(node.port)}`);
  return ["/bin/sh", "-c", here];
}

it("stops its engine when the answer is whole, and not before", { timeout: 60_000 }, async () => {
  const { first, whole } = asked();
  await first;
  const [shell, ...words] = await hook();
  const seen: string[] = [];
  const left = new Promise<void>((resolve, reject) => {
    execFile(shell, words, (error) => (error ? reject(error) : resolve()));
  }).then(() => seen.push("engine may stop"));
  // It looks every second: twice, at least.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(seen).toEqual([]);
  // What the engine itself can see of the request is its neighbour alone.
  const { shell: own, test } = whileConnected([enginePort]);
  const ignorant = await new Promise<boolean>((resolve) =>
    execFile(own, ["-c", `busy() { ${test}; }\nbusy`], (error) => resolve(error === null)),
  );
  expect(ignorant).toBe(false);
  const done = whole.then((text) => {
    seen.push("answer is whole");
    return text;
  });
  for (const answer of answers.splice(0)) {
    answer.end("data: last\n\n");
  }
  expect(await done).toBe("data: first\n\ndata: last\n\n");
  await left;
  expect(seen).toEqual(["answer is whole", "engine may stop"]);
});
