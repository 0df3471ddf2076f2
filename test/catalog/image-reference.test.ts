import { expect, test } from "vitest";
import { parseImage } from "../../catalog/image-reference";

test.each([
  ["nginx", { repository: "nginx", tag: undefined, digest: undefined }],
  ["docker.io/library/nginx:1.29", { repository: "docker.io/library/nginx", tag: "1.29", digest: undefined }],
  ["host:5000/a/b", { repository: "host:5000/a/b", tag: undefined, digest: undefined }],
  ["host:5000/a/b:1@sha256:ab", { repository: "host:5000/a/b", tag: "1", digest: "sha256:ab" }],
])("%s", (reference, parts) => {
  expect(parseImage(reference)).toEqual(parts);
});
