/** A hub that gives more than it says, or never ends; and one to which a token would go in clear. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fetchModel } from "../../../bundle/model";
import { HuggingFaceRepository } from "../../../components/storage/scripts/hugging-face.ts";
import { repositoryOf } from "../../../components/storage/scripts/repository.ts";
import { COMMIT, serve } from "./fakes";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function hubThat(answers: (response: ServerResponse, url: string) => void): Promise<HuggingFaceRepository> {
  const { url, close } = await serve((request, response) => answers(response, request.url ?? ""));
  closing.push(close);
  return new HuggingFaceRepository("org/model", undefined, url);
}

function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(2 ** 20, " ");
  const fill = () => {
    while (response.write(chunk)) {}
  };
  response.on("drain", fill);
  fill();
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
  }
  return bytes;
}

const FILE = { path: "model.safetensors", size: 10, gitBlob: "x" };

describe("a hub without end", () => {
  it("is left once a file has more bytes than it says", async () => {
    const hub = await hubThat(endless);
    await expect(bytesOf(hub.download(COMMIT, FILE))).rejects.toThrow("model.safetensors: more than its 10 bytes came");
  });

  it.each<[string, (hub: HuggingFaceRepository) => Promise<unknown>]>([
    ["a text", (hub) => hub.text(COMMIT, "model.safetensors.index.json")],
    ["a list of files", (hub) => hub.files(COMMIT)],
    ["a commit", (hub) => hub.commit("main")],
  ])("is left where it fills the memory: %s", async (_, ask) => {
    await expect(ask(await hubThat(endless))).rejects.toThrow(`more than ${64 * 2 ** 20} bytes came`);
  });

  it("is left where its list of files has a next page for ever", async () => {
    const hub = await hubThat((response, url) =>
      response.writeHead(200, { link: `<http://${response.req.headers.host}${url}>; rel="next"` }).end("[]"),
    );
    await expect(hub.files(COMMIT)).rejects.toThrow("the list of files has more than 1000 pages");
  });
});

describe("a token", () => {
  it("is sent over plain HTTP to no other machine, by a bundle or by a Job", async () => {
    const asked = vi.spyOn(globalThis, "fetch");
    const endpoint = "http://hub.example.com";
    const model = { repository: "o/n", revision: "main", choose: async () => [] };
    await expect(fetchModel(model, "/nowhere", { endpoint, token: "hf_SECRET" }, () => {})).rejects.toThrow(
      `${endpoint} has no TLS: the Hugging Face token would be readable on the way`,
    );
    vi.stubEnv("HF_ENDPOINT", endpoint);
    expect(repositoryOf("o/n", {})).toBeInstanceOf(HuggingFaceRepository);
    vi.stubEnv("HF_TOKEN_PATH", import.meta.filename);
    expect(() => repositoryOf("o/n", {})).toThrow("has no TLS");
    expect(asked).not.toHaveBeenCalled();
  });
});
