import { expect, test } from "vitest";
import { hasCompanion } from "../../../policies/lib/buckets";
import { toResource } from "../../../policies/lib/resource";
import { UNKNOWN } from "../cases";

const unknownPaths = new Set<string>();
const bucketUrn = "urn:pulumi:test::p::aws:s3/bucket:Bucket::models";
const BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock";
const bucket = toResource(
  {
    type: "aws:s3/bucket:Bucket",
    name: "models",
    urn: bucketUrn,
    props: { bucket: "models" },
    opts: { protect: true },
  },
  unknownPaths,
);

/** Its inputs hold no name. */
const prefixed = toResource(
  {
    type: "aws:s3/bucket:Bucket",
    name: "models",
    urn: bucketUrn,
    props: { bucketPrefix: "models-", id: "offline-models" },
    opts: { protect: true },
  },
  unknownPaths,
);

/** A public access block as the engine tells it, with the resource that its bucket's name was computed from. */
function block(name: unknown, origin?: string) {
  const facts = { type: BLOCK, name: "block", urn: "urn:block", props: { bucket: name }, opts: { protect: false } };
  const propertyDependencies: Record<string, { urn: string }[]> =
    origin === undefined ? {} : { bucket: [{ urn: origin }] };
  return toResource({ ...facts, propertyDependencies }, unknownPaths);
}

test.each([
  ["the same name", block("models"), true, []],
  ["another name", block("logs"), false, []],
  ["an unknown name, computed from this bucket", block(UNKNOWN, bucketUrn), true, []],
  ["an unknown name of unknown origin: the benefit of the doubt", block(UNKNOWN), true, ["bucket"]],
])("%s", (_, companion, expected, unknown) => {
  unknownPaths.clear();
  expect(hasCompanion(bucket, BLOCK, [bucket, companion])).toBe(expected);
  expect([...unknownPaths]).toEqual(unknown);
});

test.each([
  ["computed from this bucket", block("models-7f3a", bucketUrn), true],
  ["computed from another bucket", block("models-7f3a", "urn:other"), false],
  ["of unknown origin", block("models-7f3a"), false],
])("of a bucket with a prefix, a name %s", (_, companion, expected) => {
  expect(hasCompanion(prefixed, BLOCK, [prefixed, companion])).toBe(expected);
});

test("two unknown names of one origin: the benefit of the doubt", () => {
  const facts = { type: "aws:s3/bucket:Bucket", name: "models", urn: bucketUrn, opts: { protect: true } };
  const suffixed = toResource(
    { ...facts, props: { bucket: UNKNOWN }, propertyDependencies: { bucket: [{ urn: "urn:suffix" }] } },
    unknownPaths,
  );
  expect(hasCompanion(suffixed, BLOCK, [block(UNKNOWN, "urn:suffix")])).toBe(true);
});

test("an unknown name, computed from another bucket, is not this bucket's", () => {
  expect(hasCompanion(bucket, BLOCK, [block(UNKNOWN, "urn:other")])).toBe(false);
});
