/** A Hugging Face hub of this machine: repositories with files, whose weights are headers in front of nothing. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";

/** A file: its text, or the first bytes of a larger one. */
export type HubFile = string | { readonly start: Uint8Array; readonly bytes: number };

export interface HubRepository {
  readonly commit: string;
  readonly files: Readonly<Record<string, HubFile>>;
  /** Status of every answer about it. @default it answers */
  readonly status?: number;
}

export interface FakeHub {
  readonly url: string;
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[];
}

/** Answers a request itself and returns true, or leaves it to the hub. */
type Instead = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop();
  }
});

export async function fakeHub(
  repositories: Readonly<Record<string, HubRepository>>,
  instead: Instead = () => false,
): Promise<FakeHub> {
  const asked: FakeHub["asked"] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    if (!instead(path, request, response)) {
      answer(repositories, path, request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function answer(
  repositories: Readonly<Record<string, HubRepository>>,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [, asked, name, file = ""] =
    /^\/(?:(api)\/models\/)?([^/]+\/[^/]+)\/(?:revision|resolve\/[^/]+)\/(.+)$/.exec(path) ?? [];
  const repository = name === undefined ? undefined : repositories[name];
  if (repository?.status !== undefined) {
    response.writeHead(repository.status).end("{}");
  } else if (repository === undefined) {
    response.writeHead(404).end("{}");
  } else if (asked === "api") {
    response.end(JSON.stringify({ sha: repository.commit }));
  } else {
    sendFile(repository.files[file], request, response);
  }
}

function sendFile(file: HubFile | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  const { start, bytes } = typeof file === "string" ? { start: Buffer.from(file), bytes: file.length } : file;
  const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  if (from === "") {
    response.end(start);
    return;
  }
  const part = start.subarray(Number(from), Number(to) + 1);
  response.writeHead(206, { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${bytes}` }).end(part);
}
