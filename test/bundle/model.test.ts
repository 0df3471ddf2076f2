import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fetchModel } from "../../bundle/model";
import { MANIFEST } from "../../components/storage/scripts/model-files.ts";
import { useFolder } from "../cli/run";
import { COMMIT, fakeHub, serve } from "../components/storage/fakes";

const HUB = "http://hub.invalid";
const FILES = { "config.json": Buffer.from("{}"), "model.safetensors": Buffer.alloc(5000, "weights") };

describe("a model behind a proxy", () => {
  const folder = useFolder();

  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const fetched = () =>
    fetchModel(
      { repository: "org/model", revision: "main", choose: async (_, __, files) => files.map(({ path }) => path) },
      folder,
      { endpoint: HUB },
      () => {},
    );

  it("fails at once where the variable is a SOCKS proxy", async () => {
    const retried = vi.spyOn(console, "error").mockReturnValue(undefined);
    vi.stubEnv("HTTP_PROXY", "socks5://127.0.0.1:1");
    await expect(fetched()).rejects.toThrow(/^HTTP_PROXY is a socks5:.* hub\.invalid in NO_PROXY$/);
    expect(retried).not.toHaveBeenCalled();
  });

  it("comes through it: its commit, both pages of its list, and its files", async () => {
    const hub = await fakeHub(FILES);
    const forward = (asked: IncomingMessage, response: ServerResponse) => {
      const url = asked.url?.replace(HUB, hub.url) ?? "";
      request(url, { headers: asked.headers }, (answer) => {
        const { link } = answer.headers;
        response.writeHead(answer.statusCode ?? 0, { ...(link && { link: String(link).replace(hub.url, HUB) }) });
        answer.pipe(response);
      }).end();
    };
    const proxy = await serve(forward);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const { commit, files } = await fetched();
    expect(commit).toBe(COMMIT);
    expect(files.map(({ path }) => path.split("/").at(-1))).toEqual(["config.json", "model.safetensors", MANIFEST]);
    await Promise.all([proxy.close(), hub.close()]);
  });
});
