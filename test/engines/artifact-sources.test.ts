import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { artifactText, movingPart, originOf, parseSource, sourcePattern } from "../../engines/sources";

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const host = fc
  .tuple(fc.array(label, { minLength: 2, maxLength: 4 }), fc.option(fc.integer({ min: 1, max: 65535 })))
  .map(([labels, port]) => `${labels.join(".")}${port === null ? "" : `:${port}`}`);
const part = fc.stringMatching(/^[a-z0-9]{1,8}((\.|_|__|-{1,3})[a-z0-9]{1,8}){0,2}$/);
const tag = fc.stringMatching(/^\w[\w.-]{0,20}$/);
const digest = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}`);

describe("a source in a registry", () => {
  it("is read and written as one", () => {
    const named = fc.oneof(fc.record({ tag }), fc.record({ digest }), fc.record({ tag, digest })) as fc.Arbitrary<{
      tag?: string;
      digest?: string;
    }>;
    fc.assert(
      fc.property(host, fc.array(part, { minLength: 1, maxLength: 4 }), named, (registry, path, revision) => {
        const artifact = { kind: "artifact", registry, repository: path.join("/"), ...revision } as const;
        const text = artifactText(artifact);
        expect(sourcePattern.test(text)).toBe(true);
        expect(parseSource(text)).toEqual(artifact);
        expect(originOf(artifact).name).toBe(
          `${registry}/${path.join("/")}${revision.tag === undefined ? "" : `:${revision.tag}`}`,
        );
        expect(movingPart(artifact)).toBe(revision.digest === undefined ? `:${revision.tag}` : undefined);
      }),
    );
  });

  it.each([
    "oci://",
    "oci://registry.example.com",
    "oci://registry.example.com/",
    "oci://registry.example.com/model",
    "oci://model:v1",
    "oci://localhost:5000/model:v1",
    "oci://registry.example.com:0/model:v1",
    "oci://registry.example.com/Model:v1",
    "oci://registry.example.com/../model:v1",
    "oci://registry.example.com//model:v1",
    "oci://registry.example.com/model:",
    "oci://registry.example.com/model:v1@sha256:abc",
    `oci://registry.example.com/model@sha512:${"a".repeat(128)}`,
    "oci://user:password@registry.example.com/model:v1",
    "oci://registry.example.com/model:v1?x",
    "oci://registry.example.com/model:v1\n",
  ])("is none: %j", (text) => {
    expect(sourcePattern.test(text)).toBe(false);
  });
});
