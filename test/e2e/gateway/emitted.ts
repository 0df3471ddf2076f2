/** All that a proxy of the gateway writes and shows: what no prompt, answer or key may be in. */
import { PROXY_METRICS } from "../../../components/gateway/names";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";

const CONTAINERS = ["envoy", "shutdown-manager", "ai-gateway-extproc"];

/** Logs of its containers, and its metrics as Prometheus reads them. */
export async function emittedBy(proxy: GatewayProxy): Promise<Readonly<Record<string, string>>> {
  const logs = CONTAINERS.map((container) => [`log of ${container}`, proxy.output(container)] as const);
  const metrics = PROXY_METRICS.map(
    async ({ name, port, path }) =>
      [`metrics of ${name}`, await (await fetch(`http://${proxy.address}:${port}${path}`)).text()] as const,
  );
  return Object.fromEntries([...logs, ...(await Promise.all(metrics))]);
}

/** Where which secret is: none, it is to be hoped. */
export function leaks(emitted: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return Object.entries(emitted).flatMap(([where, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${where}`),
  );
}
