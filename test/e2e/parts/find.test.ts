import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keptModule, partFolder } from "../../../rehearsal/parts/cache";
import { moduleFolder, requirePart, searchPart } from "../../../rehearsal/parts/find";
import { PARTS, partOf } from "../../../rehearsal/parts/parts";
import { fileModules, pinnedModule, pinnedVersion } from "../../../rehearsal/parts/pins";
import { askVersion, isAtLeast } from "../../../rehearsal/parts/version";

const ETCD = partOf("etcd");
const { PATH } = process.env;

describe("looking for a part", () => {
  let root = "";
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "parts-")));
    vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"));
    vi.stubEnv("PATH", `${join(root, "path")}:/usr/bin:/bin`);
    vi.stubEnv("KUBEBUILDER_ASSETS", undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });

  const binary = (folder: string, name: string, script: string): string => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const kept = () => binary(join(partFolder(ETCD) ?? "", "bin"), "etcd", "exit 0");

  it("takes the one on PATH before the installed one", () => {
    kept();
    const path = binary(join(root, "path"), "etcd", "echo etcd Version: 3.6.1");
    expect(searchPart(ETCD, "etcd")).toEqual({ found: { path, origin: "PATH", version: "3.6.1" }, skipped: [] });
  });

  it("takes the one of KUBEBUILDER_ASSETS before the one on PATH", () => {
    binary(join(root, "path"), "etcd", "echo etcd Version: 3.6.1");
    vi.stubEnv("KUBEBUILDER_ASSETS", join(root, "assets"));
    const path = binary(join(root, "assets"), "etcd", "echo etcd Version: 3.5.0");
    expect(searchPart(ETCD, "etcd").found).toEqual({ path, origin: "KUBEBUILDER_ASSETS", version: "3.5.0" });
  });

  it("looks for the Pulumi CLI in the bin folder of PULUMI_HOME", () => {
    vi.stubEnv("PULUMI_HOME", join(root, "home"));
    const path = binary(join(root, "home", "bin"), "pulumi", "echo v3.300.0");
    expect(searchPart(partOf("pulumi"), "pulumi").found).toEqual({ path, origin: "PULUMI_HOME", version: "3.300.0" });
  });

  it.each([
    { script: "echo etcd Version: 3.4.30", why: "is 3.4.30, older than 3.5.0" },
    { script: "echo broken; exit 3", why: "exit status 3: broken" },
  ])("passes over one on PATH that answers '$script'", ({ script, why }) => {
    const path = kept();
    binary(join(root, "path"), "etcd", script);
    const { found, skipped } = searchPart(ETCD, "etcd");
    expect(found).toEqual({ path, origin: "cache", version: "3.6.8" });
    expect(skipped).toHaveLength(1);
    expect(skipped[0]).toContain(why);
  });

  it("names the command when there is none", () => {
    expect(() => requirePart("kube-scheduler")).toThrow(
      'kube-scheduler is not installed. Run "npm run e2e:setup -- kubernetes", or "npm run e2e:setup" for all parts.',
    );
  });

  it("takes a module's files that came without Go before Go's own", async () => {
    const kept = keptModule(pinnedModule("istio.io/api"));
    mkdirSync(kept, { recursive: true });
    vi.stubEnv("PATH", root);
    expect(await moduleFolder("istio.io/api")).toBe(kept);
  });

  it("names only its own command for a part that is installed on request", () => {
    expect(() => requirePart("transformers-python")).toThrow(
      'transformers-python is not installed. Run "npm run e2e:setup -- transformers".',
    );
  });

  it("names the command when a module is not downloaded", async () => {
    vi.stubEnv("PATH", PATH);
    vi.stubEnv("GOMODCACHE", join(root, "modules"));
    await expect(moduleFolder("istio.io/api")).rejects.toThrow('Run "npm run e2e:setup -- crds"');
  });

  it("names the command when there is no Go", async () => {
    vi.stubEnv("PATH", root);
    await expect(moduleFolder("istio.io/api")).rejects.toThrow(/spawn go ENOENT.*Run "npm run e2e:setup -- crds"/);
  });

  it("names the pinned modules when asked for another", async () => {
    await expect(moduleFolder("example.org/none")).rejects.toThrow("pins example.org/none; there are: ");
  });
});

describe("installed parts", () => {
  const parts = PARTS.filter(({ onRequest }) => onRequest !== true);
  const binaries = parts.flatMap((part) => Object.keys(part.binaries).map((name) => ({ part, name })));

  it.each(binaries)("$name answers with its version", ({ part, name }) => {
    const { found } = searchPart(part, name);
    if (found === undefined) {
      throw new Error(`${name} is missing: run "npm run e2e:setup -- ${part.name}"`);
    }
    const version = part.versionArgs === undefined ? found.version : askVersion(found.path, part.versionArgs);
    if (part.oldest === undefined) {
      // Ours alone is used: it is what the pins say, or prints its usage in place of a version.
      expect([pinnedVersion(part), name]).toContainEqual(version.includes(name) ? name : version);
    } else {
      expect(isAtLeast(version, part.oldest), version).toBe(true);
    }
  });

  it("have the files of every pinned module", async () => {
    const folders = await Promise.all([...fileModules().keys()].map(moduleFolder));
    expect(folders.filter((folder) => !statSync(folder).isDirectory())).toEqual([]);
    expect(new Set(folders).size).toBe(fileModules().size);
  });
});
