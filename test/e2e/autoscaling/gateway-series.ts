import { PROXY_PORTS } from "../../../components/gateway/names";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import type { Labels, MetricsReplay } from "../../../rehearsal/cluster/metrics-replay";

/** What Prometheus calls its target of the gateway here, and what its monitor makes of it in a platform. */
export const GATEWAY_TARGET = {
  gateway: { job: "observability/gateway-envoy", namespace: "inference-gateway", pod: "proxy-0" },
};

const SAMPLE =
  /^(envoy_cluster_\w*upstream_(?:cx_none_healthy|cx_connect_fail|rq_total|rq_active|rq_xx))\{(.*)\} (\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;
const EVERY_MS = 500;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a real proxy says of requests to clusters, at the port where a platform's Prometheus reads it. */
export async function clusterSamples({ address }: Pick<GatewayProxy, "address">): Promise<readonly Sample[]> {
  const text = await (await fetch(`http://${address}:${PROXY_PORTS.envoyMetrics}/stats/prometheus`)).text();
  return text.split("\n").flatMap((line) => {
    const [, name, pairs, value] = SAMPLE.exec(line) ?? [];
    if (name === undefined || pairs === undefined) {
      return [];
    }
    const labels = Object.fromEntries([...pairs.matchAll(LABEL)].map(([, label = "", of = ""]) => [label, of]));
    return [{ name, labels, value: Number(value) }];
  });
}

/** Hands on what a proxy says, line by line, to a Prometheus that reads only what tests say. */
export class GatewaySeries {
  private handsOn = true;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly proxy: GatewayProxy,
    private readonly replay: MetricsReplay,
  ) {
    this.timer = setInterval(() => void this.read(), EVERY_MS);
  }

  /** From now on Prometheus has nothing new, or all. */
  set isRead(handsOn: boolean) {
    this.handsOn = handsOn;
  }

  /** Value of a series over all clusters of a route. */
  async value(series: string, route: string): Promise<number> {
    const samples = await clusterSamples(this.proxy);
    return samples
      .filter(({ name, labels }) => name === series && labels.envoy_cluster_name?.includes(`/${route}/rule/`))
      .reduce((sum, { value }) => sum + value, 0);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async read(): Promise<void> {
    const samples = await clusterSamples(this.proxy).catch(() => []);
    if (this.handsOn) {
      for (const { name, labels, value } of samples) {
        this.replay.set("gateway", name, value, labels);
      }
    }
  }
}
