import { createServer, type Http2Server } from "node:http2";

/** Takes OTLP over gRPC: the bytes of each request, in which ids and texts can be looked for. */
export class SpanBytes {
  readonly received: Buffer[] = [];

  private constructor(private readonly server: Http2Server) {}

  /** @param address where it listens. */
  static async start(port: number, address = "127.0.0.1"): Promise<SpanBytes> {
    const server = createServer();
    const spans = new SpanBytes(server);
    server.on("stream", (stream) => {
      stream.on("data", (chunk: Buffer) => spans.received.push(chunk));
      stream.on("end", () => {
        stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        // An empty message.
        stream.end(Buffer.alloc(5));
      });
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    return spans;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.received);
  }

  /** How many spans of a trace have come. */
  spansOf(traceId: string): number {
    const id = Buffer.from(traceId, "hex").toString("latin1");
    return this.bytes.toString("latin1").split(id).length - 1;
  }

  stop(): void {
    this.server.close();
  }
}
