/** A node whose kubelet gives logs and nothing else: what `kubectl logs` asks of it, by way of the API server. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";

export class FakeKubelet {
  /** `namespace/pod/container?query` of each log that was asked for. */
  readonly asked: string[] = [];

  private constructor(private readonly server: Server) {}

  /** @param line all that is in each log. */
  static async start({ certificate }: Pick<ControlPlane, "certificate">, line: string): Promise<FakeKubelet> {
    const files = { cert: readFileSync(certificate.certificate), key: readFileSync(certificate.key) };
    const server = createServer(files, ({ url = "" }, response) => {
      const log = /^\/containerLogs\/(.*)$/.exec(url)?.[1];
      kubelet.asked.push(log ?? url);
      response.writeHead(log === undefined ? 404 : 200, { "content-type": "text/plain" }).end(`${line}\n`);
    });
    const kubelet = new FakeKubelet(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return kubelet;
  }

  /** A node with this kubelet, and room for pods. */
  node(name: string): KubernetesObject {
    const resources = { cpu: "4", memory: "8Gi", pods: "20" };
    const { port } = this.server.address() as AddressInfo;
    return {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      status: {
        capacity: resources,
        allocatable: resources,
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
