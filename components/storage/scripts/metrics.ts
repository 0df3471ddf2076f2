/**
 * Serves the store's metrics to Prometheus, which has no key of the store: `node metrics.ts`, a pod of its own. The server
 * gives them only to who proves to be a user that may read them, by a token signed with that user's secret key
 * (HS512, issuer "prometheus"; github.com/minio/mc cmd/admin-prometheus-metrics.go, read 2026-11-22). One is made
 * for each scrape, for a minute.
 */
import { createHmac } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type StoreKeys, storeKeys } from "./credentials.ts";
import { describe, environmentVariable, runMain } from "./retry.ts";

/** Of the whole store. */
const METRICS_PATH = "/minio/v2/metrics/cluster";

/** Prometheus gives up after 10 seconds. */
const TIMEOUT_MS = 8_000;

/** A token that opens the server's metrics until a minute after `now`. */
export function metricsToken({ accessKeyId, secretAccessKey }: StoreKeys, now: Date): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const expires = Math.floor(now.getTime() / 1000) + 60;
  const signed = `${encoded({ alg: "HS512", typ: "JWT" })}.${encoded({ exp: expires, sub: accessKeyId, iss: "prometheus" })}`;
  return `${signed}.${createHmac("sha512", secretAccessKey).update(signed).digest("base64url")}`;
}

async function scrape(response: ServerResponse): Promise<void> {
  const url = `${environmentVariable("AWS_ENDPOINT_URL")}${METRICS_PATH}`;
  try {
    // Keys are read each time: they may have been replaced.
    const authorization = `Bearer ${metricsToken(storeKeys(), new Date())}`;
    const answer = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`HTTP ${answer.status} ${text.slice(0, 200)}`);
    }
    response.writeHead(200, { "content-type": answer.headers.get("content-type") ?? "text/plain" }).end(text);
  } catch (error) {
    const message = `${url}: ${describe(error)}`;
    console.error(message);
    response.writeHead(502, { "content-type": "text/plain" }).end(`${message}\n`);
  }
}

/** Answers `/metrics` and, for probes, `/health`. */
export function metricsServer(): Server {
  return createServer((request, response) => {
    if (request.url === "/metrics") {
      void scrape(response);
    } else {
      response.writeHead(request.url === "/health" ? 200 : 404).end();
    }
  });
}

async function main(): Promise<void> {
  const server = metricsServer();
  process.once("SIGTERM", () => server.close(() => process.exit(0)));
  server.listen(Number(environmentVariable("PORT")), process.env.HOST);
}

if (process.env.RUN === "metrics") {
  runMain(main);
}
