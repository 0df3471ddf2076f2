import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { save, WrongContentError } from "../../downloads/save";
import { useFolder } from "../cli/run";

const folder = useFolder();

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function fail(message: string): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error(message)) }) };
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("begun");
  throw new Error("the connection was reset");
}

describe("saving a file", () => {
  it("has closed what it opened when its source fails, so that the folder can be deleted", async () => {
    const paths = Array.from({ length: 30 }, (_, index) => join(folder, `away-${index}`));
    for (const path of paths) {
      const failure = save("a", path, () => fail("no such host"), {}, { resumes: true });
      await expect(failure).rejects.toThrow("no such host");
      expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, true]);
    }
  });

  it.each([{ bytes: 10 }, { atMostBytes: 10 }])(
    "leaves a source without end, and keeps nothing of it: %j",
    async (expected) => {
      const path = join(folder, `endless-${Object.keys(expected)}`);
      let left = false;
      const endless = async function* () {
        try {
          for (let pieces = 0; pieces < 300; pieces++) {
            yield Buffer.alloc(2 ** 20);
          }
          throw new Error("300 MiB were taken");
        } finally {
          left = true;
        }
      };
      const failure = save("e", path, endless, expected, { resumes: true });
      await expect(failure).rejects.toThrow("e: more than 10 bytes came");
      expect([left, existsSync(path), existsSync(`${path}.part`)]).toEqual([true, false, false]);
    },
  );

  it("goes on with what came before", async () => {
    const path = join(folder, "b");
    await expect(save("b", path, broken, {}, { resumes: true })).rejects.toThrow();
    const began = readFileSync(`${path}.part`, "utf8");
    await save("b", path, (byte) => whole("begun and ended".slice(byte)), {}, { resumes: true });
    expect(readFileSync(path, "utf8")).toBe("begun and ended");
    expect("begun").toContain(began);
  });

  it("keeps what a connection brought that ended early, where the source can go on, and else throws it away", async () => {
    const expected = { bytes: 15, sha256: createHash("sha256").update("begun and ended").digest("hex") };
    const path = join(folder, "d");
    const short = () => whole("begun");
    await expect(save("d", path, short, expected, { resumes: false })).rejects.toThrow(WrongContentError);
    expect(existsSync(`${path}.part`)).toBe(false);
    await expect(save("d", path, short, expected, { resumes: true })).rejects.toThrow(WrongContentError);
    const asked: number[] = [];
    const rest = (byte: number) => {
      asked.push(byte);
      return whole("begun and ended".slice(byte));
    };
    await save("d", path, rest, expected, { resumes: true });
    expect(asked).toEqual([5]);
    expect(readFileSync(path, "utf8")).toBe("begun and ended");
  });

  it("throws away what has another checksum", async () => {
    const path = join(folder, "c");
    const failure = save("c", path, () => whole("other"), { sha256: "0".repeat(64) }, { resumes: true });
    await expect(failure).rejects.toThrow(WrongContentError);
    expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false]);
  });
});
