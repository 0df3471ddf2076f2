/** OTLP receiver of request spans. */
export interface TraceReceiver {
  /** Cluster DNS name. */
  readonly host: string;
  /** OTLP over gRPC. */
  readonly grpcPort: number;
  /** OTLP over HTTP, at `/v1/traces`. */
  readonly httpPort: number;
}

/** Default OTLP ports of the specification. */
export const OTLP_PORTS = { grpcPort: 4317, httpPort: 4318 } as const;

/** OTLP/HTTP address without `/v1/traces`. */
export function otlpHttp({ host, httpPort }: Pick<TraceReceiver, "host" | "httpPort">): string {
  return `http://${host}:${httpPort}`;
}
