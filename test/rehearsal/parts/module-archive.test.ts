import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LoggedCommands } from "../../../rehearsal/parts/command";
import { downloadModule, escaped, moduleHash, proxiesOf } from "../../../rehearsal/parts/module-archive";
import { fileModules, pinFolder, pinnedModule } from "../../../rehearsal/parts/pins";
import { useFolder } from "../../cli/run";
import { file, nowhere, startOrigin } from "../../downloads/origin";
import { zipOf } from "../../downloads/zip-of";

const folder = useFolder();
const ENTRIES = [
  { path: "example.org/M@v1.0.0/go.mod", content: Buffer.from("module example.org/m\n") },
  { path: "example.org/M@v1.0.0/a/b.yaml", content: Buffer.from("kind: A\n") },
];
/** By sha256sum, sort and base64 alone. */
const HASH = "h1:PbC6bPf+xEiBFS6gtbOtY+Yd8n8Zld0OECp1d98WIhU=";
const PATH = "/example.org/!m/@v/v1.0.0.zip";

describe("a module's files without Go", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** @param hash in go.sum. */
  async function download(proxies: string, hash = HASH): Promise<string> {
    writeFileSync(join(folder, "go.sum"), `example.org/M v1.0.0/go.mod h1:other\nexample.org/M v1.0.0 ${hash}\n`);
    vi.stubEnv("GOPROXY", proxies);
    const pinned = { module: "example.org/M", version: "v1.0.0", pins: relative(pinFolder("."), folder) };
    const target = join(folder, "module");
    await downloadModule(pinned, target, new LoggedCommands(join(folder, "log")));
    return target;
  }

  it("come from the first proxy that has them, and are compared with go.sum", async () => {
    const empty = await startOrigin();
    const full = await startOrigin({ [PATH]: file(zipOf(ENTRIES)) });
    const target = await download(`${await nowhere()},${empty.url}|${full.url}/,direct`);
    expect(readFileSync(join(target, "a", "b.yaml"), "utf8")).toBe("kind: A\n");
    expect(readdirSync(target)).toEqual(["a"]);
    expect([empty.asked, full.asked]).toEqual([[`GET ${PATH}`], [`GET ${PATH}`]]);
  });

  it("are refused where one is another", async () => {
    const [first, second] = ENTRIES;
    const changed = [first, { ...second, content: Buffer.from("kind: B\n") }] as typeof ENTRIES;
    const { url } = await startOrigin({ [PATH]: file(zipOf(changed)) });
    const says = `${url}${PATH}: the file has the hash ${moduleHash(changed)}, but go.sum has ${HASH}`;
    await expect(download(url)).rejects.toThrow(says);
  });

  it.each(["example.org/M@v1.0.0/../../x", "elsewhere/x", "example.org/M@v1.0.0/x\nhash  y"])(
    "are refused where one is %s",
    async (path) => {
      const entries = [...ENTRIES, { path, content: Buffer.from("x") }];
      const { url } = await startOrigin({ [PATH]: file(zipOf(entries)) });
      await expect(download(url, moduleHash(entries))).rejects.toThrow(
        `has a file ${path} outside of example.org/M@v1.0.0/`,
      );
    },
  );

  it("are missed with what each proxy says", async () => {
    const [away, { url }] = [await nowhere(), await startOrigin()];
    await expect(download(`${away},${url}`)).rejects.toThrow(/connect ECONNREFUSED.*; http.*answers 404/);
    await expect(download("direct")).rejects.toThrow("GOPROXY names no proxy");
  });

  it("are refused where a page comes", async () => {
    const { url } = await startOrigin({ [PATH]: file("<html>Sign in to the network</html>") });
    await expect(download(url)).rejects.toThrow(`${url}${PATH}: it is no zip archive`);
  });
});

describe("GOPROXY", () => {
  it.each([
    { variable: undefined, proxies: ["https://proxy.golang.org"] },
    { variable: "", proxies: ["https://proxy.golang.org"] },
    {
      variable: "https://a.example/go/, https://b.example|direct",
      proxies: ["https://a.example/go", "https://b.example"],
    },
    { variable: "https://a.example,off,https://b.example", proxies: ["https://a.example"] },
    { variable: "file:///modules", proxies: [] },
  ])("$variable names $proxies", ({ variable, proxies }) => {
    expect(proxiesOf(variable)).toEqual(proxies);
  });

  it("is asked with small letters", () => {
    expect(escaped("github.com/Azure/ARM")).toBe("github.com/!azure/!a!r!m");
  });
});

describe("pinned modules", () => {
  it("all have a hash in go.sum", () => {
    for (const module of fileModules().keys()) {
      const { version, pins } = pinnedModule(module);
      expect(readFileSync(join(pinFolder(pins), "go.sum"), "utf8")).toContain(`${module} ${version} h1:`);
    }
  });

  it("are named where another is asked for", () => {
    expect(() => pinnedModule("example.org/none")).toThrow(/pins example.org\/none; there are: .*istio.io\/api/);
  });
});
