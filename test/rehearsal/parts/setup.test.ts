import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keptFolder } from "../../../rehearsal/parts/cache";
import { searchPart } from "../../../rehearsal/parts/find";
import { partOf } from "../../../rehearsal/parts/parts";
import { pinnedVersion } from "../../../rehearsal/parts/pins";
import { Progress } from "../../../rehearsal/parts/progress";
import { ownPlatform, RELEASES_VARIABLE, releaseFiles } from "../../../rehearsal/parts/releases";
import { setUp } from "../../../rehearsal/parts/setup";
import { archiveOf } from "../../downloads/archive";
import { cutOff, file, inTurn, nowhere, type Origin, redirect, startOrigin } from "../../downloads/origin";

/** One with a .tar.gz for every platform that this repository is worked on. */
const PART = partOf("kubeconform");
const VERSION = pinnedVersion(PART) ?? "";
const [RELEASE] = releaseFiles(PART, ownPlatform());
const path = (url = "") => url.replace("https:/", "");
const FILE = path(RELEASE?.url);
const SUMS = path(RELEASE && "checksums" in RELEASE.expected ? RELEASE.expected.checksums : "");

const program = (text: string) => Buffer.from(`#!/bin/sh\necho ${text}\n`);
const packed = (content: Buffer, name = "kubeconform") =>
  gzipSync(
    archiveOf([
      { path: "LICENSE", content: Buffer.from("-") },
      { path: name, content },
    ]),
  );
const RIGHT = packed(program(`v${VERSION} # downloaded`));

function sums(content: Buffer, name = FILE.slice(FILE.lastIndexOf("/") + 1)) {
  return file(`${createHash("sha256").update(content).digest("hex")}  ${name}\n`);
}

describe("setting a part up from its release", () => {
  let root = "";
  let origin: Origin;
  let lines: string[];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "setup-"));
    origin = await startOrigin({ [FILE]: file(RIGHT), [SUMS]: sums(RIGHT) });
    vi.stubEnv("XDG_CACHE_HOME", root);
    vi.stubEnv("PATH", join(root, "path"));
    vi.stubEnv(RELEASES_VARIABLE, origin.url);
    lines = [];
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });

  /** A compiler that writes a program which says that it was built. */
  function withGo(): void {
    const built = JSON.stringify(`#!/bin/sh\necho v${VERSION}`);
    const script = [
      `#!${process.execPath}`,
      'const { mkdirSync, writeFileSync } = require("node:fs");',
      'const { dirname } = require("node:path");',
      'const binary = process.argv[process.argv.indexOf("-o") + 1];',
      "mkdirSync(dirname(binary), { recursive: true });",
      `writeFileSync(binary, ${built}, { mode: 0o755 });`,
      `writeFileSync(${JSON.stringify(join(root, "built"))}, "");`,
    ];
    mkdirSync(join(root, "path"));
    writeFileSync(join(root, "path", "go"), script.join("\n"));
    chmodSync(join(root, "path", "go"), 0o755);
  }

  async function install(): Promise<string[]> {
    const progress = new Progress((line) => lines.push(line.trim()));
    const failed = await setUp(["kubeconform"], progress);
    progress.stop();
    return failed;
  }
  const said = () => lines.join("\n");
  const isBuilt = () => existsSync(join(root, "built"));
  const installed = () => readFileSync(join(keptFolder(PART), "bin", "kubeconform"), "utf8");

  it("takes what has the stated checksum, and nothing is built", async () => {
    withGo();
    expect(await install()).toEqual([]);
    expect([isBuilt(), installed()]).toEqual([false, String(program(`v${VERSION} # downloaded`))]);
    expect(searchPart(PART, "kubeconform").found).toMatchObject({ origin: "cache", version: VERSION });
    expect(said()).toMatch(/✓ kubeconform: download took \d+ s/);
    expect(readdirSync(keptFolder(PART))).toEqual(["bin"]);
  });

  it("downloads nothing that is there", async () => {
    await install();
    origin.asked.length = 0;
    expect(await install()).toEqual([]);
    expect(origin.asked).toEqual([]);
  });

  it("never uses what has another checksum: says so, and builds", async () => {
    withGo();
    const wrong = packed(program("evil"));
    origin.routes.set(FILE, file(wrong));
    expect(await install()).toEqual([]);
    expect([isBuilt(), installed().includes("evil")]).toEqual([true, false]);
    const digest = (content: Buffer) => createHash("sha256").update(content).digest("hex");
    expect(said()).toContain(
      `! kubeconform: download not used, build instead: ${origin.url}${FILE}: what came has the SHA-256 ${digest(wrong)}, and not ${digest(RIGHT)}`,
    );
    expect(origin.asked.filter((each) => each.includes(FILE))).toHaveLength(1);
  });

  it("goes on with a download that was cut off", async () => {
    origin.routes.set(FILE, inTurn(cutOff(RIGHT, 100), file(RIGHT)));
    expect(await install()).toEqual([]);
    expect(installed()).toContain("downloaded");
    expect(origin.asked.filter((each) => each.includes(FILE))).toHaveLength(2);
  });

  it("builds after the second time that it is cut off", async () => {
    withGo();
    origin.routes.set(FILE, cutOff(RIGHT, 100));
    expect([await install(), isBuilt()]).toEqual([[], true]);
    expect(origin.asked.filter((each) => each.includes(FILE))).toHaveLength(2);
  });

  it.each([
    {
      what: "the release is not there",
      change: () => origin.routes.delete(FILE),
      says: /kubeconform-\S+: answers 404/,
    },
    { what: "there are no checksums", change: () => origin.routes.delete(SUMS), says: /CHECKSUMS: answers 404/ },
    {
      what: "no checksum is of the file",
      change: () => origin.routes.set(SUMS, sums(RIGHT, "kubeconform-plan9-mips.tar.gz")),
      says: /CHECKSUMS: has no SHA-256 of kubeconform-/,
    },
    {
      what: "a page comes for the checksums",
      change: () => origin.routes.set(SUMS, file("<html>Sign in to the network</html>")),
      says: /CHECKSUMS: has no SHA-256 of kubeconform-/,
    },
    {
      what: "a page comes for the binary",
      change: () => origin.routes.set(FILE, file("<html>Sign in to the network</html>")),
      says: /what came has the SHA-256 [0-9a-f]{64}, and not [0-9a-f]{64}/,
    },
    {
      what: "redirects go round",
      change: () => origin.routes.set(FILE, redirect(FILE)),
      says: /more than 5 redirects/,
    },
    {
      what: "the archive lacks the binary",
      change: () => serve(packed(program("v1"), "other")),
      says: /tar\.gz: it has no file kubeconform/,
    },
    {
      what: "the binary does not run",
      change: () => serve(packed(Buffer.from("no program"))),
      says: /kubeconform -v: /,
    },
    { what: "the binary is too old", change: () => serve(packed(program("v0.5.9"))), says: /is 0\.5\.9, older than/ },
  ])("builds when $what", async ({ change, says }) => {
    withGo();
    change();
    expect([await install(), isBuilt()]).toEqual([[], true]);
    expect(said()).toMatch(says);
    expect(lines.filter((line) => line.includes("! "))).toHaveLength(1);
  });

  function serve(content: Buffer): void {
    origin.routes.set(FILE, file(content));
    origin.routes.set(SUMS, sums(content));
  }

  it("follows redirects", async () => {
    origin.routes.set("/storage/a", file(RIGHT));
    origin.routes.set(FILE, redirect(`${origin.url}/storage/a`));
    expect(await install()).toEqual([]);
    expect(installed()).toContain("downloaded");
  });

  it("says both where the release is away and there is no Go", async () => {
    vi.stubEnv(RELEASES_VARIABLE, await nowhere());
    vi.stubEnv("PATH", root);
    expect(await install()).toEqual(["kubeconform"]);
    expect(said()).toMatch(
      /✗ kubeconform failed: build: go is not on PATH: install Go, \S+; download: http\S+: connect ECONNREFUSED/,
    );
    expect(said()).toContain("try again: npm run e2e:setup -- kubeconform");
    expect(existsSync(keptFolder(PART))).toBe(false);
  });

  it("downloads nothing where that is off, and says nothing of it", async () => {
    withGo();
    vi.stubEnv(RELEASES_VARIABLE, "off");
    expect([await install(), isBuilt(), said().includes("download")]).toEqual([[], true, false]);
    expect(origin.asked).toEqual([]);
  });

  it("says what is wrong with the mirror's address", async () => {
    withGo();
    vi.stubEnv(RELEASES_VARIABLE, "mirror.example");
    expect([await install(), isBuilt()]).toEqual([[], true]);
    expect(said()).toContain("INFERENCE_STACKS_RELEASES is neither");
  });
});
