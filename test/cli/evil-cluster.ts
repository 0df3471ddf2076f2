import { writeFileSync } from "node:fs";
import { EVIL } from "./hostile";
import { listen } from "./smoke-servers";

/** Writes a kubeconfig of a cluster that says nothing else, or refuses with it. @returns its path */
export async function evilCluster(file: string, { refuses = false } = {}): Promise<string> {
  const metadata = { name: EVIL, namespace: EVIL, labels: { [EVIL]: EVIL }, creationTimestamp: "2026-11-01T00:00:00Z" };
  const waiting = { reason: EVIL, message: EVIL };
  const items = [
    {
      ...{ metadata, provisioner: EVIL, type: "Warning", reason: EVIL, message: EVIL },
      ...{ involvedObject: { kind: EVIL, name: EVIL, namespace: EVIL }, spec: { nodeName: EVIL, containers: [] } },
      status: { phase: EVIL, reason: EVIL, message: EVIL, containerStatuses: [{ name: EVIL, state: { waiting } }] },
    },
  ];
  const { url } = await listen((request, response) => {
    const isVersion = request.url === "/version";
    response.statusCode = refuses ? 403 : 200;
    response.end(JSON.stringify(isVersion ? { gitVersion: `v1.34.1${EVIL}` } : { items, message: EVIL }));
  });
  const config = {
    "current-context": EVIL,
    clusters: [{ name: "c", cluster: { server: url } }],
    contexts: [{ name: EVIL, context: { cluster: "c" } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
