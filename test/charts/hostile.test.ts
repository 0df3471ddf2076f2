import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type ChartEntry, chart } from "../../catalog/charts";
import { ChartRepositories } from "../../charts/find";
import { HttpRegistry } from "../../charts/http-registry";
import { obtainChart } from "../../charts/obtain";
import { ChartStore } from "../../charts/store";
import { paddingOf, TAR_END, tarHeader } from "../../downloads/tar";
import { chartArchiveOf, digestOf, sha256 } from "../bundle/registry";
import { cutOff, file, type Origin, redirect, startOrigin } from "../downloads/origin";

const { version } = chart("lws");
const ARCHIVE = chartArchiveOf("lws", version);
const LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

let origin: Origin;

beforeEach(async () => {
  origin = await startOrigin();
});

/**
 * What a run makes of the repository: the archive, or what it says against it.
 *
 * @param silenceSeconds a busy machine takes as long to answer at all
 */
async function obtained(repository: string, silenceSeconds = 20): Promise<Buffer | string> {
  const entry: ChartEntry = { ...chart("lws"), repository };
  const repositories = new ChartRepositories(new HttpRegistry({ silenceSeconds }), { silenceSeconds });
  try {
    return (await obtainChart(entry, undefined, new ChartStore("/nowhere/to/be/found"), repositories)).content;
  } catch (error) {
    return (error as Error).message;
  }
}

/** An index with one entry. */
function index(entry: Readonly<Record<string, unknown>>): RequestListener {
  return file(stringify({ entries: { lws: [{ version, urls: ["lws.tgz"], ...entry }] } }));
}

function archiveOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts = Object.entries(files).flatMap(([path, content]) => [
    tarHeader(path, content.length),
    content,
    paddingOf(content.length),
  ]);
  return gzipSync(Buffer.concat([...parts, TAR_END]));
}

const silent: RequestListener = () => undefined;

const endless: RequestListener = (_, response) => {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(2 ** 20))) {}
    response.once("drain", more);
  };
  more();
};

describe("an index repository", () => {
  const serve = (entry: Readonly<Record<string, unknown>>, archive: RequestListener, silenceSeconds?: number) => {
    origin.routes.set("/index.yaml", index(entry));
    origin.routes.set("/lws.tgz", archive);
    return obtained(`${origin.url}/`, silenceSeconds);
  };

  it("gives the chart by a relative address, by one of another server, and through redirects", async () => {
    expect(await serve({ digest: sha256(ARCHIVE) }, file(ARCHIVE))).toEqual(ARCHIVE);
    const other = await startOrigin({ "/else.tgz": file(ARCHIVE) });
    expect(await serve({ urls: [`${other.url}/else.tgz`], digest: `sha256:${sha256(ARCHIVE)}` }, silent)).toEqual(
      ARCHIVE,
    );
    expect(await serve({}, redirect(`${other.url}/else.tgz`))).toEqual(ARCHIVE);
  });

  it.each<[string, Readonly<Record<string, unknown>>, RequestListener, RegExp]>([
    [
      "gives other bytes than its index states",
      { digest: "0".repeat(64) },
      file(ARCHIVE),
      /its repository states 0{64}/,
    ],
    ["gives another chart", {}, file(chartArchiveOf("lws-evil", version)), /is not it: it holds lws-evil/],
    ["gives another version", {}, file(chartArchiveOf("lws", "9.9.9")), /is not it: it holds lws 9\.9\.9/],
    ["gives a page", {}, file("<html>log in</html>"), /is not it: it is no archive of a chart/],
    ["gives half of it", { digest: sha256(ARCHIVE) }, cutOff(ARCHIVE, 40), /does not give it/],
    ["gives no end of it", {}, endless, /more than 16777216 bytes came/],
    ["sends in circles", {}, redirect("/lws.tgz"), /more than 5 redirects/],
    ["sends to a file of this computer", {}, redirect("file:///etc/passwd"), /redirects to file:/],
    ["names a file of this computer", { urls: ["file:///etc/passwd"] }, silent, /does not give it/],
    ["has an archive that fills all memory", {}, file(gzipSync(Buffer.alloc(101 * 2 ** 20))), /no archive of a chart/],
    ["hides Chart.yaml", {}, file(archiveOf({ "../Chart.yaml": Buffer.from("name: lws") })), /is not it/],
    ["has no such version", { version: "1.0.0" }, silent, /has no such version; its first ones: 1\.0\.0/],
    ["has no address", { urls: [] }, silent, /has no such version/],
    ["has a version that is no text", { version: { a: 1 } }, silent, /has no such version/],
  ])("that %s is refused", async (_, entry, archive, message) => {
    const said = await serve(entry, archive);
    expect(said).toMatch(message);
    expect(said).toMatch(/^chart lws 0\.10\.0/);
  });

  it("that gives nothing is refused", async () => {
    expect(await serve({}, silent, 1)).toMatch(/^chart lws 0\.10\.0 .*nothing came for 1 s/);
  });

  it.each([
    ["is away", redirect("/away"), /answers 404/],
    ["is no YAML", file("{{{"), /is no index of charts/],
    ["has no entries", file("[]"), /has no such version; its first ones: none/],
    ["is a name of every object", file("entries: {constructor: []}"), /has no such version/],
    ["grows when it is read", file(`a: &a [x,x,x,x,x,x,x,x,x]\n${bomb()}`), /no index of charts|no such version/],
    ["has no end", endless, /more than 67108864 bytes came/],
  ])("whose index %s is refused", async (_, answer, message) => {
    origin.routes.set("/index.yaml", answer);
    expect(await obtained(origin.url)).toMatch(message);
  });
});

/** Aliases of aliases: some hundred bytes that stand for a billion items. */
function bomb(): string {
  const names = "abcdefghij".split("");
  return names
    .map((name, i) => `${names[i + 1] ?? "z"}: &${names[i + 1] ?? "z"} [${`*${name},`.repeat(9)}]`)
    .join("\n");
}

describe("an OCI registry", () => {
  const manifest = (layer: object): RequestListener => file(JSON.stringify({ layers: [layer] }));
  const right = { mediaType: LAYER, digest: digestOf(ARCHIVE), size: ARCHIVE.length };
  const repository = () => `oci://${new URL(origin.url).host}/charts/lws`;
  const blob = `/v2/charts/lws/blobs/${digestOf(ARCHIVE)}`;
  const serve = (answer: RequestListener, content: RequestListener, silenceSeconds?: number) => {
    origin.routes.set(`/v2/charts/lws/manifests/${version}`, answer);
    origin.routes.set(blob, content);
    return obtained(repository(), silenceSeconds);
  };

  it("gives the chart to anybody, and from another server that it sends to", async () => {
    expect(await serve(manifest(right), file(ARCHIVE))).toEqual(ARCHIVE);
    const storage = await startOrigin({ "/blob": file(ARCHIVE) });
    expect(await serve(manifest(right), redirect(`${storage.url}/blob`, 307))).toEqual(ARCHIVE);
  });

  it("gives it for a token that it gives to anybody, and the token goes to no other server", async () => {
    const seen: (string | undefined)[] = [];
    const storage = await startOrigin({
      "/blob": (request, response) => {
        seen.push(request.headers.authorization);
        file(ARCHIVE)(request, response);
      },
    });
    const behindToken =
      (answer: RequestListener): RequestListener =>
      (request, response) => {
        if (request.headers.authorization === "Bearer t0ken") {
          answer(request, response);
        } else {
          const challenge = `Bearer realm="${origin.url}/token",service="the registry"`;
          response.writeHead(401, { "www-authenticate": challenge }).end();
        }
      };
    origin.routes.set("/v2/", behindToken(silent));
    origin.routes.set(
      "/token?service=the+registry&scope=repository%3Acharts%2Flws%3Apull",
      file(JSON.stringify({ access_token: "t0ken" })),
    );
    const content = await serve(behindToken(manifest(right)), behindToken(redirect(`${storage.url}/blob`)));
    expect(content).toEqual(ARCHIVE);
    expect(seen).toEqual([undefined]);
    expect(origin.asked.filter((line) => line.includes("/token"))).toHaveLength(1);
  });

  it.each<[string, RequestListener, RegExp]>([
    ["asks for a login", challenge('Basic realm="registry"'), /asks for a login/],
    ["says nothing of what it asks for", challenge(""), /asks for a login/],
    ["gives no token", challenge("TOKEN"), /answers without a token/],
  ])("that %s is refused", async (_, answer, message) => {
    origin.routes.set("/v2/", answer);
    origin.routes.set("/none?service=&scope=repository%3Acharts%2Flws%3Apull", file('{"token": "a\\nb"}'));
    expect(await obtained(repository())).toMatch(message);
  });

  it.each<[string, RequestListener, RequestListener, RegExp]>([
    ["is no chart", manifest({ ...right, mediaType: "application/x-tar" }), file(ARCHIVE), /is no chart/],
    ["has no digest", manifest({ ...right, digest: "md5:abc" }), file(ARCHIVE), /is no chart/],
    ["names a path for a digest", manifest({ ...right, digest: "sha256:../../x" }), file(ARCHIVE), /is no chart/],
    ["is no manifest", file("[1]"), file(ARCHIVE), /is no chart/],
    ["has no end", endless, file(ARCHIVE), /more than 4194304 bytes came/],
    ["has other bytes", manifest(right), file(chartArchiveOf("lws", "1.0.0")), /what came has the SHA-256/],
    ["never ends its archive", manifest(right), endless, /more than 16777216 bytes came/],
  ])("whose chart %s is refused", async (_, answer, content, message) => {
    expect(await serve(answer, content)).toMatch(message);
  });

  it("that gives nothing is refused", async () => {
    origin.routes.set("/v2/", silent);
    expect(await obtained(repository(), 1)).toMatch(/does not give it/);
  });

  it("whose chart stalls is refused", async () => {
    expect(await serve(manifest(right), silent, 1)).toMatch(/nothing came for 1 s/);
  });

  function challenge(text: string): RequestListener {
    return (_, response) => {
      const said = text === "TOKEN" ? `Bearer realm="${origin.url}/none"` : text;
      response.writeHead(401, { "www-authenticate": said }).end();
    };
  }
});
