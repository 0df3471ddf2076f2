import { describe, expect, it } from "vitest";
import { PARTS, partOf } from "../../../rehearsal/parts/parts";
import { isGoPart, pinnedVersion } from "../../../rehearsal/parts/pins";
import { mirrored, RELEASES, releaseFiles } from "../../../rehearsal/parts/releases";

const parts = PARTS.filter(({ name }) => name in RELEASES);

describe("releases", () => {
  it("are of parts that can be built where they are not to be had", () => {
    expect(parts.map(({ name }) => name).sort()).toEqual(Object.keys(RELEASES).sort());
    expect(parts.filter((part) => !isGoPart(part))).toEqual([]);
  });

  it("have a file for every binary, with its checksum, on every platform that they name", () => {
    for (const part of parts) {
      for (const platform of RELEASES[part.name]?.platforms ?? []) {
        const files = releaseFiles(part, platform);
        expect([part.name, platform, files.map(({ binary }) => binary)]).toEqual([
          part.name,
          platform,
          Object.keys(part.binaries),
        ]);
        expect(JSON.stringify(files)).not.toMatch(/[{}]\w+}/);
        expect(files.every(({ url }) => url.startsWith("https://") && url.includes(pinnedVersion(part) ?? ""))).toBe(
          true,
        );
      }
    }
  });

  it("state a checksum of the pinned version only", () => {
    const kwok = partOf("kwok");
    const { kwok: release } = RELEASES;
    expect(releaseFiles(kwok, "linux/amd64")).toHaveLength(1);
    const stale = { kwok: { ...release, sha256: { ...release?.sha256, version: "0.7.0" } } } as typeof RELEASES;
    expect(releaseFiles(kwok, "linux/amd64", stale)).toEqual([]);
  });

  it("name platforms as their projects do", () => {
    expect(releaseFiles(partOf("crane"), "linux/amd64")).toMatchObject([
      { url: expect.stringMatching(/\/v\d+\.\d+\.\d+\/go-containerregistry_Linux_x86_64\.tar\.gz$/), member: "crane" },
    ]);
    expect(releaseFiles(partOf("pulumi"), "darwin/arm64")).toMatchObject([
      { url: expect.stringMatching(/\/pulumi-v\d+\.\d+\.\d+-darwin-arm64\.tar\.gz$/) },
    ]);
  });

  it("are none on other platforms, and of other parts", () => {
    expect(releaseFiles(partOf("etcd"), "darwin/arm64")).toEqual([]);
    expect(releaseFiles(partOf("kubectl"), "win32/amd64")).toEqual([]);
    expect(releaseFiles(partOf("lws-manager"), "linux/amd64")).toEqual([]);
  });
});

describe("the address of a release", () => {
  const url = "https://dl.k8s.io/v1.2.3/bin/linux/amd64/kubectl";

  it.each([
    { mirror: undefined, address: url },
    { mirror: "", address: url },
    {
      mirror: "https://mirror.example/releases/",
      address: `https://mirror.example/releases/${url.slice("https://".length)}`,
    },
    { mirror: "http://127.0.0.1:8080", address: `http://127.0.0.1:8080/${url.slice("https://".length)}` },
  ])("with the mirror $mirror is $address", ({ mirror, address }) => {
    expect(mirrored(url, mirror)).toBe(address);
  });

  it.each(["mirror.example", "file:///releases", "https://"])("is refused with the mirror %s", (mirror) => {
    expect(() => mirrored(url, mirror)).toThrow('INFERENCE_STACKS_RELEASES is neither "off" nor an address');
  });
});
