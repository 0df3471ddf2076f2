import { createServer } from "node:http";
import { freePorts } from "../../../rehearsal/cluster/ports";

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export interface TraceReceiver {
  readonly url: string;
  readonly spans: () => readonly Span[];
  readonly stop: () => Promise<void>;
}

interface TracesRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const [port = 0] = await freePorts(1);
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/v1/traces") {
        response.writeHead(404).end();
        return;
      }
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as TracesRequest;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
