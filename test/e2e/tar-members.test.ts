/** Tar archives as they stream, made by the real tar. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { tarMembers } from "../../components/storage/scripts/tar-members.ts";
import { tarOf } from "../components/storage/artifacts";
import { sha256 } from "../components/storage/fakes";

const folder = mkdtempSync(join(tmpdir(), "tar-members-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LONG = `models/${"a-long-folder/".repeat(12)}${"name-".repeat(12)}é.json`;
const FILES: Readonly<Record<string, Buffer>> = {
  "models/config.json": Buffer.from("{}"),
  "models/empty.txt": Buffer.alloc(0),
  "models/model.safetensors": randomBytes(70_000),
  [LONG]: Buffer.from("long"),
};

const HASHES = Object.fromEntries(Object.entries(FILES).map(([path, body]) => [path, sha256(body)]));

function archived(...options: readonly string[]): Buffer {
  const place = mkdtempSync(join(folder, "files-"));
  for (const [path, body] of Object.entries(FILES)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), body);
  }
  symlinkSync("config.json", join(place, "models/link.json"));
  return execFileSync("tar", [...options, "-C", place, "-cf", "-", "models"], { maxBuffer: 2 ** 24 });
}

/** The archive in pieces of any length. */
async function* cut(archive: Buffer, at: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const ends = [...at.map((end) => Math.min(end, archive.length)), archive.length].sort((a, b) => a - b);
  for (const [index, end] of ends.entries()) {
    yield archive.subarray(ends[index - 1] ?? 0, end);
  }
}

interface Read {
  /** SHA-256 by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly others: Readonly<Record<string, string>>;
}

/** @param isRead whether contents are taken, or left to be skipped. */
async function read(stream: AsyncIterable<Uint8Array>, archive: Buffer, isRead = true): Promise<Read> {
  const files: Record<string, string> = {};
  const others: Record<string, string> = {};
  for await (const { path, kind, size, offset, content } of tarMembers(stream)) {
    if (kind !== "file") {
      others[path] = kind;
      continue;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of isRead ? content : []) {
      chunks.push(chunk);
    }
    const there = archive.subarray(offset, offset + size);
    files[path] = sha256(isRead ? Buffer.concat(chunks) : there);
    expect(sha256(there)).toBe(files[path]);
  }
  return { files, others };
}

describe.each(["gnu", "pax"])("an archive of tar --format=%s", (format) => {
  const archive = archived(`--format=${format}`);

  it("has its files with their names, sizes and places, whatever the pieces are, read or skipped", async () => {
    const cuts = fc.array(fc.nat(archive.length), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (at, isRead) => {
        const { files, others } = await read(cut(archive, at), archive, isRead);
        expect(files).toEqual(HASHES);
        expect(others).toMatchObject({ "models/": "folder", "models/link.json": "link" });
      }),
      { numRuns: 20 },
    );
  });

  it("that is cut off anywhere is refused, or has fewer files", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), async (length) => {
        const part = archive.subarray(0, length);
        const outcome = await read(cut(part), part).catch((error: Error) => error.message);
        const isRefused = typeof outcome === "string" && /cut off|no tar archive|extended header/.test(outcome);
        // Without its end a whole member more or less cannot be told: the layer's digest does.
        const isShorter = typeof outcome !== "string" && Object.keys(outcome.files).every((path) => path in FILES);
        expect(isRefused || isShorter).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe("an archive", () => {
  it.each(["gnu", "pax"])("with a sparse file of --format=%s is refused", async (format) => {
    const place = mkdtempSync(join(folder, "sparse-"));
    writeFileSync(join(place, "hole"), "x");
    truncateSync(join(place, "hole"), 2 ** 22);
    const archive = execFileSync("tar", ["--sparse", `--format=${format}`, "-C", place, "-cf", "-", "hole"]);
    await expect(read(cut(archive), archive)).rejects.toThrow(/sparse files|type "S"/);
  });

  it("with a size above 8 GiB in its header has that size", async () => {
    const archive = tarOf({ a: "x" });
    archive.writeUInt8(0x80, 124);
    archive.writeBigUInt64BE(BigInt(9 * 2 ** 30), 128);
    archive.fill(" ", 148, 156);
    const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    archive.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const members = tarMembers(cut(archive));
    expect((await members.next()).value).toMatchObject({ path: "a", size: 9 * 2 ** 30 });
    await members.return(undefined);
  });

  it("with another header than its checksum says is refused", async () => {
    const archive = tarOf({ a: "x" });
    archive.write("b", 0);
    await expect(read(cut(archive), archive)).rejects.toThrow(/no tar archive, or damaged/);
  });
});
