/** Where spans of requests go, by OTLP. */
export interface TraceReceiver {
  /** Name in the cluster's DNS. */
  readonly host: string;
  /** OTLP over gRPC. */
  readonly grpcPort: number;
  /** OTLP over HTTP, at `/v1/traces`. */
  readonly httpPort: number;
}

/** The ports that OTLP has by its specification. */
export const OTLP_PORTS = { grpcPort: 4317, httpPort: 4318 } as const;

/** Address of OTLP over HTTP, without `/v1/traces`. */
export function otlpHttp({ host, httpPort }: Pick<TraceReceiver, "host" | "httpPort">): string {
  return `http://${host}:${httpPort}`;
}
