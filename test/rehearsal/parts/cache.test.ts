import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publish } from "../../../rehearsal/parts/cache";
import { useFolder } from "../../cli/run";

const folder = useFolder();
const part = join(folder, "etcd-1");
const put = (to: string, text: string) => {
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, "binary"), text);
};

describe("a part's folder", () => {
  it("replaces a damaged one of the same version", async () => {
    mkdirSync(part);
    writeFileSync(join(part, "damaged"), "");
    await publish(part, async (temporary) => put(temporary, "whole"));
    expect(readdirSync(part)).toEqual(["binary"]);
  });

  it("is kept from the process that was first, when two install it at a time", async () => {
    await publish(part, async (temporary) => {
      put(temporary, "second");
      await publish(part, async (other) => put(other, "first"));
    });
    expect(readFileSync(join(part, "binary"), "utf8")).toBe("first");
    expect(readdirSync(folder)).toEqual(["etcd-1"]);
  });

  it("stays while another is made, and where that fails", async () => {
    const failure = publish(part, async () => {
      expect(readdirSync(part)).toEqual(["binary"]);
      throw new Error("cut off");
    });
    await expect(failure).rejects.toThrow("cut off");
    expect(readdirSync(part)).toEqual(["binary"]);
  });

  it("does not appear when filling it fails", async () => {
    const missing = join(folder, "kwok-1");
    const failure = publish(missing, () => Promise.reject(new Error("cut off")));
    await expect(failure).rejects.toThrow("cut off");
    expect(readdirSync(folder)).not.toContain("kwok-1");
  });

  it("takes with it what killed installations left a day ago, not what another fills now", async () => {
    const [left, filled, whole] = ["envoy-1.tmp-7", "envoy-1.tmp-8", "tmp-tool-1"];
    for (const name of [left, filled, whole]) {
      put(join(folder, name), "");
    }
    const yesterday = Date.now() / 1000 - 86_400;
    for (const name of [left, whole]) {
      utimesSync(join(folder, name), yesterday, yesterday);
    }
    await publish(join(folder, "kwok-2"), async (temporary) => put(temporary, "whole"));
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining([filled, whole]));
    expect(names).not.toContain(left);
  });

  it("fails where it cannot be renamed for another reason", async () => {
    const failure = publish(join(folder, "file"), async () => writeFileSync(join(folder, "file"), ""));
    await expect(failure).rejects.toThrow("ENOTDIR");
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("");
  });
});
