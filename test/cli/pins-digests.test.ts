/** `npm run pins -- --digests` against registries on this machine. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type ImageDigests, imageDigests } from "../../catalog/image-digests";
import { imageEntry } from "../../catalog/images";
import { HttpRegistry } from "../../charts/http-registry";
import { main, type PinsPlace } from "../../cli/pins";
import { type DigestRow, digestsText, imagesToAsk } from "../../cli/pins/digests";
import { assertImage } from "../../cli/pins/registry-image";
import { repositoryRoot } from "../../names/repository-root";
import { FakeRegistry } from "../bundle/registry";
import { runPiped, useFolder } from "./run";
import { closeServers, listen } from "./smoke-servers";

const folder = useFolder();
const file = join(folder, "image-digests.json");
const TOKEN = "a-token-for-anybody";
const PLATFORMS = ["linux/amd64", "linux/arm64"];
afterAll(closeServers);

/** The same images over HTTP, as public registries have them: with a token that anybody gets. @returns host and port */
async function overHttp(images: FakeRegistry): Promise<string> {
  const { url } = await listen(({ url = "", headers }, response) => {
    const [, name = "", version = ""] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url) ?? [];
    const content = images.manifests.get(`${name}${version.startsWith("sha256:") ? "@" : ":"}${version}`);
    if (url.startsWith("/token?")) {
      response.end(JSON.stringify({ token: TOKEN }));
    } else if (headers.authorization !== `Bearer ${TOKEN}`) {
      const realm = `http://${headers.host}/token`;
      response.writeHead(401, { "www-authenticate": `Bearer realm="${realm}",service="fake"` }).end();
    } else if (!headers.accept?.includes("application/vnd.oci.image.index.v1+json")) {
      response.writeHead(406).end();
    } else {
      response.writeHead(content === undefined ? 404 : 200).end(content);
    }
  });
  return url.replace("http://", "");
}

const registry = new FakeRegistry();
const proxy = registry.push("envoyproxy/envoy", "v1", PLATFORMS);
const gateway = registry.push("envoyproxy/gateway", "v2", ["linux/amd64"], { index: false });
const host = await overHttp(registry);
const by = { source: "three public projects", readOn: "2026-11-01" };

/** An image of an index. */
function part(architecture: string) {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  return { mediaType, digest: `sha256:${"a".repeat(64)}`, size: 1, platform: { os: "linux", architecture } };
}

/** Runs the command on a list of these digests, which it writes anew. */
async function digests(list: Partial<ImageDigests>, images: readonly string[], ...argv: string[]) {
  const place: PinsPlace = {
    rows: () => [],
    today: new Date("2026-12-01T12:00:00Z"),
    digests: { about: "about", digests: [], byTag: [], ...list },
    images,
    registry: new HttpRegistry(),
    file,
  };
  const result = await runPiped((args, io) => main(args, io, place), ["--digests", ...argv]);
  return { ...result, written: (JSON.parse(readFileSync(file, "utf8")) as ImageDigests).digests };
}

describe("npm run pins -- --digests", () => {
  beforeEach(() => writeFileSync(file, "{}"));

  it("adds what registries have under a tag: the digest of the index, or of the one manifest", async () => {
    const images = [`${host}/envoyproxy/envoy:v1`, `${host}/envoyproxy/gateway:v2`];
    const { status, out, written } = await digests({}, images);
    const found = { source: "registry", readOn: "2026-12-01" };
    expect(written).toEqual([
      { image: images[0], digest: proxy, ...found },
      { image: images[1], digest: gateway, ...found },
    ]);
    expect(status).toBe(0);
    expect(out).toContain("The list has every digest; 2 came in this run.");
  });

  it("leaves what the list has as it is, and drops tags that are pinned no more", async () => {
    const listed = { image: `${host}/envoyproxy/envoy:v1`, digest: proxy, ...by };
    const old = { ...listed, image: `${host}/envoyproxy/envoy:v0` };
    const { status, out, written } = await digests({ digests: [old, listed] }, [listed.image], "--json");
    expect([status, written]).toEqual([0, [listed]]);
    expect((JSON.parse(out) as DigestRow[]).map(({ state }) => state)).toEqual(["same", "dropped"]);
  });

  it("replaces no digest by another that a registry has: a tag that moved is a finding", async () => {
    const listed = { image: `${host}/envoyproxy/envoy:v1`, digest: `sha256:${"0".repeat(64)}`, ...by };
    const { status, out, written } = await digests({ digests: [listed] }, [listed.image]);
    expect([status, written]).toEqual([1, [listed]]);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `the registry has ${proxy} under this tag, the list ${listed.digest} (three public projects, 2026-11-01)`,
    );
  });

  it("takes no answer that is no image, and goes on with the others", async () => {
    const page = await listen((_, response) => void response.end("<html>sign in</html>"));
    const login = await listen((_, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    });
    const of = (url: string) => `${url.replace("http://", "")}/a/b:1`;
    const images = [of(page.url), of(login.url), `${host}/a/b:1`, `${host}/envoyproxy/envoy:v1`];
    const { status, out, written } = await digests({}, images, "--json");
    expect([status, written.map(({ image }) => image)]).toEqual([1, [images[3]]]);
    const rows = JSON.parse(out) as DigestRow[];
    expect(rows.map(({ state }) => state)).toEqual(["failed", "failed", "failed", "added"]);
    expect(rows.map(({ problem = "" }) => problem).join("\n")).toMatch(
      /JSON[\s\S]+asks for a login, and only public registries are asked[\s\S]+answers 404/,
    );
  });

  it.each([
    ["an index of nothing", { manifests: [] }, /malformed/],
    ["what only resembles one", { manifests: "x" }, /malformed/],
    [
      "a digest of another form",
      { manifests: [{ ...part("amd64"), digest: "sha256:0" }] },
      /malformed: index.0.digest/,
    ],
    ["an index for other machines", { manifests: [part("s390x")] }, /not made for linux\/amd64, only for linux\/s390x/],
    [
      "a Helm chart",
      { config: { ...part("amd64"), mediaType: "application/vnd.cncf.helm.config.v1+json" }, layers: [] },
      /"application\/vnd.cncf.helm.config.v1\+json", and no container image/,
    ],
  ])("writes no digest of %s", async (_, answer, problem) => {
    const { url } = await listen((_request, response) => void response.end(JSON.stringify(answer)));
    const { status, out, written } = await digests({}, [`${url.replace("http://", "")}/a/b:1`], "--json");
    const [row] = JSON.parse(out) as DigestRow[];
    expect([status, written, row?.state]).toEqual([1, [], "failed"]);
    expect(row?.problem).toMatch(problem);
  });

  it("wants of an image all platforms that the catalogue names", () => {
    const index = (...of: string[]) => Buffer.from(JSON.stringify({ manifests: of.map(part) }));
    const wanted = ["linux/amd64", "linux/arm64"];
    expect(() => assertImage(index("amd64"), "a:1", wanted)).toThrow("a:1 is not made for linux/arm64");
    expect(() => assertImage(index("amd64", "arm64", "s390x"), "a:1", wanted)).not.toThrow();
    const content = registry.manifests.get("envoyproxy/gateway:v2") as Buffer;
    expect(() => assertImage(content, "a:1", wanted)).toThrow("one image without an index");
  });

  it("says which images keep their tag", async () => {
    const byTag = [{ repository: "nvcr.io/nvidia/driver", why: "the operator adds to it" }];
    const { out } = await digests({ byTag }, []);
    expect(out).toContain("By its tag: nvcr.io/nvidia/driver: the operator adds to it.");
  });

  it("asks for all of the public path but what keeps its tag", () => {
    const asked = imagesToAsk(imageDigests);
    const of = (component: string) => `${imageEntry(component).repository}:${imageEntry(component).tag}`;
    expect(asked).toEqual(
      expect.arrayContaining(["envoy-proxy", "envoy-gateway", "ai-gateway-extproc", "calico-node"].map(of)),
    );
    expect(asked).toEqual(expect.arrayContaining(imageDigests.digests.map(({ image }) => image)));
    expect(asked.filter((image) => image === of("gpu-driver") || image === of("grafana"))).toEqual([]);
  });

  it("writes the list as it stands in the catalogue", () => {
    expect(digestsText(imageDigests)).toBe(
      readFileSync(join(repositoryRoot(), "catalog", "image-digests.json"), "utf8"),
    );
  });
});
