/** The client of `smoke`: whom it trusts, and that it ends where servers send without end. */
import { createServer } from "node:http";
import https from "node:https";
import { rootCertificates } from "node:tls";
import { afterEach, expect, it, vi } from "vitest";
import { readAnswer } from "../../cli/smoke/answer";
import { HttpClient } from "../../cli/smoke/http";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) {
    close();
  }
});

/** Sends one piece again and again until the connection is closed. */
async function endless(piece: string): Promise<string> {
  const server = createServer((_, response) => {
    const write = () => {
      if (!response.destroyed && response.write(piece)) {
        setImmediate(write);
      }
    };
    response.on("drain", write);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

const inTime = () => AbortSignal.timeout(20_000);

it("gives up on a line that never ends", async () => {
  const client = new HttpClient(await endless("x".repeat(1000)));
  await expect(client.request("GET", "/v1/models", inTime())).rejects.toThrow("without the end of a line");
});

it("keeps a bounded part of an answer that never ends", async () => {
  const client = new HttpClient(await endless(`${"x".repeat(1000)}\n`));
  const { text } = await client.request("GET", "/v1/models", inTime());
  expect(text.length).toBeGreaterThanOrEqual(1_000_000);
  expect(text.length).toBeLessThan(1_100_000);
});

it("ends a stream of more text than was asked for", async () => {
  const chunk = `data: ${JSON.stringify({ choices: [{ delta: { content: "more" } }] })}\n\n`;
  const { lines } = await new HttpClient(await endless(chunk)).stream("POST", "/", inTime(), {});
  await expect(readAnswer(lines, { mostChunks: 40 })).rejects.toThrow("more than 40 pieces of text");
});

it("trusts the authority that it is given besides the public ones, and those alone without it", async () => {
  const request = vi.spyOn(https, "request").mockImplementation(() => {
    throw new Error("not connected");
  });
  const ask = async (options: ConstructorParameters<typeof HttpClient>[1]) => {
    const client = new HttpClient("https://inference.example.com", options);
    await expect(client.request("GET", "/v1/models", inTime())).rejects.toThrow("not connected");
    return request.mock.lastCall?.[1];
  };
  expect(rootCertificates.length).toBeGreaterThan(100);
  expect(await ask({ ca: "own" })).toMatchObject({ ca: [...rootCertificates, "own"] });
  expect(await ask({ ca: "own", onlyCa: "its" })).toMatchObject({ ca: ["its"], allowPartialTrustChain: true });
  // Node's own choice then: the public ones.
  expect(await ask({})).not.toHaveProperty("ca");
});
