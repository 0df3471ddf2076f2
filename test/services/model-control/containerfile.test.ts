import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { image } from "../../../catalog/images";

describe("the image", () => {
  const text = readFileSync(join(__dirname, "../../../services/model-control/Containerfile"), "utf8");

  it("is built on the catalogue's Node", () => {
    const bases = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual([image("node"), image("node")]);
  });

  it("does not run as root", () => {
    expect(text).toMatch(/^USER 10001:10001$/m);
  });
});
