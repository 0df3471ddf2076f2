import { ISSUED_SECRET } from "../../../names/gateway";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { Authority } from "../../../rehearsal/cluster/authority";
import type { Program } from "../../../rehearsal/cluster/lifeline";
import type { Machine } from "./machine/machine";

/** Answers over HTTPS as the gateway does with one vLLM behind it, and prints the keys that it is given. */
const SERVER = `
const { createServer } = require("node:https");
const { CERTIFICATE: cert, KEY: key, MODEL } = process.env;
const event = (data) => "data: " + JSON.stringify(data) + "\\n\\n";
createServer({ cert, key }, (request, response) => {
  console.log("key " + request.headers.authorization);
  request.resume();
  if (request.url === "/" + MODEL + "/v1/models") {
    response.end(JSON.stringify({ data: [{ id: MODEL }] }));
  } else if (request.method === "POST" && request.url === "/" + MODEL + "/v1/chat/completions") {
    response.write(event({ choices: [{ delta: { content: "one" } }] }));
    response.write(event({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { completion_tokens: 1 } }));
    response.end("data: [DONE]\\n\\n");
  } else {
    response.writeHead(404).end();
  }
}).listen(443, () => console.log("listens"));
`;

/** A gateway at a machine's address, with a certificate of its owner's authority, as kubectl puts it into the Secret. */
export class FakeGateway {
  private constructor(private readonly program: Program) {}

  /** @param model that answers, by its name in the environment. */
  static async start(machine: Machine, client: ApiClient, hostname: string, model: string): Promise<FakeGateway> {
    const authority = new Authority();
    const issued = authority.issue([`DNS:${hostname}`]);
    authority.discard();
    await client.create({
      ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls" },
      metadata: { name: ISSUED_SECRET, namespace: GATEWAY_NAMESPACE },
      stringData: { "tls.crt": issued["tls.crt"], "tls.key": issued["tls.key"] },
    });
    const env = { CERTIFICATE: issued["tls.crt"], KEY: issued["tls.key"], MODEL: model };
    return new FakeGateway(await machine.serve(SERVER, env));
  }

  /** Keys of the requests that came, each once. */
  get keys(): string[] {
    return [...new Set([...this.program.output().matchAll(/^key Bearer (.*)$/gm)].map(([, key = ""]) => key))];
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
