import { createServer, type Http2Server } from "node:http2";

/** Takes OTLP over gRPC: the bytes of each request, in which ids and texts can be looked for. */
export class SpanBytes {
  readonly received: Buffer[] = [];

  private constructor(private readonly server: Http2Server) {}

  static async start(port: number): Promise<SpanBytes> {
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
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return spans;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.received);
  }

  stop(): void {
    this.server.close();
  }
}
