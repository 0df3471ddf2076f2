import { describe, expect, it } from "vitest";
import { sha256In } from "../../../rehearsal/parts/checksums";

const A = "a".repeat(64);
const B = "b".repeat(64);

describe("the SHA-256 of a file", () => {
  it.each([
    { what: "lines of sha256sum", text: `${B}  etcd.tar.gz.sig\n${A}  etcd.tar.gz\n` },
    { what: "lines in binary mode", text: `${A} *etcd.tar.gz\n` },
    { what: "lines with ./", text: `${A}  ./etcd.tar.gz\n` },
    { what: "lines of Windows", text: `${B}  other\r\n${A}  etcd.tar.gz\r\n` },
    { what: "capital letters", text: `${A.toUpperCase()}  etcd.tar.gz` },
    { what: "a sum alone", text: A },
    { what: "a sum alone, with a line end", text: `${A}\n` },
    {
      what: "a release of GitHub's API",
      text: JSON.stringify({ assets: [{ name: "x" }, { name: "etcd.tar.gz", digest: `sha256:${A}` }] }),
    },
  ])("is read in $what", ({ text }) => {
    expect(sha256In(text, "etcd.tar.gz")).toBe(A);
  });

  it.each([
    { what: "another file's line", text: `${A}  etcd.tar.gz.sig\n` },
    { what: "a line that only ends alike", text: `${A}  old-etcd.tar.gz\n` },
    { what: "a sum of another algorithm", text: `${A}${B}  etcd.tar.gz\n` },
    { what: "a page", text: "<html><title>Sign in</title></html>" },
    { what: "nothing", text: "" },
    { what: "a release without that file", text: JSON.stringify({ assets: [{ name: "x", digest: `sha256:${A}` }] }) },
    { what: "a release without digests", text: JSON.stringify({ assets: [{ name: "etcd.tar.gz", digest: null }] }) },
    { what: "GitHub's refusal", text: JSON.stringify({ message: "API rate limit exceeded" }) },
    { what: "half a release", text: '{"assets": [' },
  ])("is not found in $what", ({ text }) => {
    expect(sha256In(text, "etcd.tar.gz")).toBeUndefined();
  });
});
