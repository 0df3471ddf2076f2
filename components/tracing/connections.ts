import { OTLP_PORTS } from "../../names/trace-receiver";
import { type Connection, connect, type PodSelection } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { gatewayProxies } from "../gateway/names";
import { STACK_PODS } from "../observability/names";
import { JAEGER_PORTS, jaegerPods, traceCollectorPods } from "./names";

export interface TracingConnections {
  /** Pods of models that report spans, by the keys of the models. */
  readonly models: Readonly<Record<string, PodSelection>>;
  /** Where kept traces go. @default Jaeger */
  readonly outside?: OutsideAddress | undefined;
  readonly networks: Pick<ClusterNetworks, "privateCidrs">;
}

const PORTS = Object.values(OTLP_PORTS);

/** Who reports spans, where they go, and who reads them. */
export function tracingConnections({ models, outside, networks }: TracingConnections): Connection[] {
  return [
    connect({
      name: "gateway-to-trace-collector",
      reason: "The gateway's proxies report the spans of requests",
      from: gatewayProxies,
      to: traceCollectorPods,
      ports: [OTLP_PORTS.grpcPort],
    }),
    ...Object.entries(models).map(([model, pods]) =>
      connect({
        name: `model-${model}-to-trace-collector`,
        reason: "The engine, and Envoy where it is a node, report the spans of requests",
        from: pods,
        to: traceCollectorPods,
        ports: PORTS,
      }),
    ),
    ...(outside === undefined
      ? [
          connect({
            name: "trace-collector-to-jaeger",
            reason: "The collector stores the traces that it keeps",
            from: traceCollectorPods,
            to: jaegerPods,
            ports: [JAEGER_PORTS.otlp],
          }),
          connect({
            name: "grafana-to-jaeger",
            reason: "Grafana shows traces",
            from: STACK_PODS.grafana,
            to: jaegerPods,
            ports: [JAEGER_PORTS.query],
          }),
        ]
      : [
          connect({
            name: "trace-collector-to-outside",
            reason: "The collector sends the traces that it keeps to the environment's own server",
            from: traceCollectorPods,
            to: outsideEnds(outside, networks),
            ports: [serverAt(outside).port],
          }),
        ]),
  ];
}
