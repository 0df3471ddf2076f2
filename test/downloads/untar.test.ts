import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractFile } from "../../downloads/untar";
import { useFolder } from "../cli/run";
import { archiveOf } from "./archive";

const folder = useFolder();
const archive = join(folder, "a.tar.gz");
const target = join(folder, "target");
/** Of this process; Linux alone has it. */
const DESCRIPTORS = "/proc/self/fd";

function write(paths: readonly string[], size: number, end?: number): Buffer {
  const entries = paths.map((path, index) => ({ path, content: Buffer.alloc(size + index, path) }));
  const packed = gzipSync(archiveOf(entries));
  writeFileSync(archive, packed.subarray(0, end));
  return packed;
}

describe("a file of an archive", () => {
  it("is written as it went in, wherever it lies", async () => {
    const paths = ["README", "etcd-v1/etcdctl", "etcd-v1/etcd"];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200_000 }), fc.nat(2), async (size, index) => {
        write(paths, size);
        const path = paths[index] ?? "";
        await extractFile(archive, path, target);
        expect(readFileSync(target).equals(Buffer.alloc(size + index, path))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("is found behind ./", async () => {
    write(["./crane"], 10);
    await extractFile(archive, "crane", target);
    expect(readFileSync(target)).toHaveLength(10);
  });

  it("is missed where only its folder or its end is alike", async () => {
    write(["bin/etcd", "etcd/README"], 10);
    await expect(extractFile(archive, "etcd", target)).rejects.toThrow("it has no file etcd");
  });

  it("is refused where the archive is cut off", async () => {
    const { length } = write(["a", "b"], 5000);
    write(["a", "b"], 5000, length - 20);
    await expect(extractFile(archive, "c", target)).rejects.toThrow("unexpected end of file");
  });

  it("is refused where there is no archive", async () => {
    writeFileSync(archive, "<html>Sign in to the network</html>");
    await expect(extractFile(archive, "a", target)).rejects.toThrow("incorrect header check");
    await expect(extractFile(join(folder, "none"), "a", target)).rejects.toThrow("ENOENT");
  });

  it.runIf(existsSync(DESCRIPTORS))("is closed once its file is found", async () => {
    // Random bytes do not compress: the archive is longer than what streams read ahead.
    const entries = ["a", "b"].map((path) => ({ path, content: randomBytes(4_000_000) }));
    writeFileSync(archive, gzipSync(archiveOf(entries)));
    await extractFile(archive, "a", target);
    expect(openFiles()).not.toContain(archive);
  });
});

function openFiles(): string[] {
  return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
    try {
      return [readlinkSync(join(DESCRIPTORS, descriptor))];
    } catch {
      // The descriptor that readdir used.
      return [];
    }
  });
}
